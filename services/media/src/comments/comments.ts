import type { CommentThread, RedactionKind, SegmentObject } from '@overtone/contracts';
import { mergeSpans, withheldText, type Span } from '@overtone/redaction';
import type { Caller } from '@overtone/service-kit';

/**
 * A comment or a highlight is anchored at a time of the recording, in milliseconds, and stores no text of the transcript.
 * Ids of passages and positions of letters change when a passage is corrected, split or merged, and with every new run; the
 * time at which something was said does not. What is quoted is read from the transcript as its reader may see it, so that a
 * quote never shows what is masked.
 */
export type Place = { startMs: number; endMs: number };

/** The comments of a file as the caller may see them, in order of their times. */
export type ListComments = (caller: Caller, fileId: string) => Promise<{ threads: CommentThread[] }>;

type Quotable = Pick<SegmentObject, 'start_time' | 'end_time' | 'text' | 'words' | 'redactions' | 'withheld'>;
const maxQuote = 500;

export function toMs(seconds: number): number {
  return Math.round(seconds * 1000);
}

/** The text at a place, by passages in order of time, shortened; null: nothing. */
export function quoteOf(
  passages: readonly Quotable[],
  { startMs, endMs }: Place,
  maxLength: number = maxQuote,
): string | null {
  let quote = '';
  for (const passage of passages) {
    if (toMs(passage.end_time) <= startMs || toMs(passage.start_time) >= endMs) continue;
    const part = partOf(passage, { startMs, endMs });
    if (part !== '') quote += quote === '' ? part : ` ${part}`;
    if (quote.length > maxLength) return `${shortened(quote, maxLength)}…`;
  }
  return quote === '' ? null : quote;
}

function shortened(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), maxLength / 2)).toWellFormed();
}

function partOf(passage: Quotable, place: Place): string {
  if (passage.withheld) return withheldText;
  const part = rangeOf(passage, place);
  return part ? passage.text.slice(part.from, part.to) : '';
}

/** Where the text of a place stands in that of a passage; null: nowhere. */
export function rangeOf(passage: Quotable, place: Place): { from: number; to: number } | null {
  const isInside = (start: number, end: number): boolean => {
    const middle = toMs((start + end) / 2);
    return middle >= place.startMs && middle <= place.endMs;
  };
  const words = placedWords(passage);
  // Words that are not in the text cannot be found one by one.
  if (!words) return isInside(passage.start_time, passage.end_time) ? wholeOf(passage) : null;
  const inside = words.filter(({ start, end }) => isInside(start, end));
  const [first, last] = [inside[0], inside.at(-1)];
  if (!first || !last) return null;
  // Punctuation belongs to the word before it.
  const rest = /^[^\s[]*/u.exec(passage.text.slice(last.to))?.[0] ?? '';
  return { from: first.from, to: last.to + rest.length };
}

/** All of the text but the space around it; null: there is none. */
export function wholeOf({ text }: Pick<Quotable, 'text'>): { from: number; to: number } | null {
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  return to > from ? { from, to } : null;
}

type PlacedWord = { from: number; to: number; start: number; end: number };

/** Where the words stand in the text; those of a masked part where its placeholder stands. */
function placedWords({ text, words, redactions }: Quotable): PlacedWord[] | null {
  const placed: PlacedWord[] = [];
  let from = 0;
  for (const { word, start, end } of words) {
    const wanted = word.trim();
    const masked = wanted === '' ? redactions.find((span) => span.end > from) : undefined;
    if (wanted === '' && !masked) continue;
    const at = masked ? masked.start : text.indexOf(wanted, from);
    if (at < 0) return null;
    const to = masked ? masked.end : at + wanted.length;
    placed.push({ from: at, to, start, end });
    from = to;
  }
  return placed.length === 0 ? null : placed;
}

type Phrase = { kind: RedactionKind; text: string };
/** Longer parts within a phrase are found as parts that overlap. */
const maxPartWords = 8;
/** Changes with the rule: texts that were scanned by another one are scanned again. */
export const phraseRule = 2;
type Node = { next: Map<string, Node>; kind?: RedactionKind };

/**
 * Finds where a comment repeats what is masked in the transcript, word by word, or a part of it: each of its words that says
 * something alone, with those beside it. Names are found as they are written there, because many are ordinary words too.
 */
export function phraseFinder(phrases: readonly Phrase[]): (text: string) => Span[] {
  const [names, others]: [Node, Node] = [{ next: new Map() }, { next: new Map() }];
  for (const { kind, text } of phrases) {
    const words = tokensOf(text).map(({ word }) => word);
    for (const from of words.keys()) addParts(kind === 'name' ? names : others, kind, words, from);
  }
  return (text) => {
    const tokens = tokensOf(text);
    const folded = tokens.map((token) => ({ ...token, word: token.word.toLowerCase() }));
    return mergeSpans([...spansIn(tokens, names), ...spansIn(folded, others)]);
  };
}

/** Adds the parts of a phrase that begin with one of its words. The whole phrase counts, whatever its words are. */
function addParts(root: Node, kind: RedactionKind, words: readonly string[], from: number): void {
  let node = root;
  let saysSomething = false;
  for (const [i, word] of words.slice(from, from === 0 ? words.length : from + maxPartWords).entries()) {
    const token = kind === 'name' ? word : word.toLowerCase();
    const next = node.next.get(token) ?? { next: new Map<string, Node>() };
    node.next.set(token, next);
    node = next;
    saysSomething ||= isSignificant(kind, word);
    const isWhole = from === 0 && i === words.length - 1;
    if (saysSomething || isWhole) node.kind = kind;
  }
}

/** Of a name each capitalised word; of others long words, and numbers of three digits and more. Scripts without case have no long words. */
function isSignificant(kind: RedactionKind, word: string): boolean {
  if (/\p{Lo}/u.test(word)) return true;
  if (kind === 'name') return /^\p{Lu}.+/u.test(word);
  return /^\d{3,}$/.test(word) || word.length > 3;
}

type Token = { word: string; start: number; end: number };

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
  }));
}

function spansIn(tokens: readonly Token[], root: Node): Span[] {
  return tokens.flatMap((first, i) => {
    let node: Node | undefined = root;
    let longest: Span[] = [];
    for (let at = i; node; at += 1) {
      const token = tokens[at];
      node = token && node.next.get(token.word);
      if (token && node?.kind) longest = [{ kind: node.kind, start: first.start, end: token.end }];
    }
    return longest;
  });
}
