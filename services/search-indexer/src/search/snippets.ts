import { indexAt, type Layout } from '../chunking/chunking.ts';
import { formsOf, joinedWords, keepsInitials, splitWords, stemmerOf, type Word } from '../tokenize/tokenize.ts';

/** Stems to mark: of single words, and of phrases word by word (each word with all its variants). */
export type Marks = { words: ReadonlySet<string>; phrases: readonly (readonly ReadonlySet<string>[])[] };
export type Snippet = {
  /** HTML whose only markup is `<mark>`. */
  html: string;
  /** Seconds at which the first marked word is spoken, or the token in focus. */
  start: number;
  /** Its speaker. */
  speaker: string | null;
  /** The marked words of the whole passage. */
  markedWords: string[];
};

export type SnippetInput = {
  text: string;
  layout: Layout;
  language: string | null;
  marks: Marks;
  /** The token to show when no word is marked. */
  focus: number | null;
  /** Only words of these speakers are marked; null: all speakers. */
  spokenBy: ((speaker: string | null) => boolean) | null;
};

/** Approximate length of a snippet in characters. */
const width = 240;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The part of a passage around its first match, with the match's time and speaker. */
export function snippetOf(input: SnippetInput): Snippet {
  const { text, layout } = input;
  const searched = input.marks.words.size + input.marks.phrases.length > 0;
  const words = searched ? splitWords(text) : [];
  const marked = matches(words, input)
    .map((i) => words[i])
    .filter((word) => word !== undefined);
  const [first] = marked;
  const firstOwn = layout.turns.find(([, speaker]) => isOwn(speaker, input.spokenBy)) ?? layout.turns[0];
  const token = first ? indexAt(layout.at, first.at) : (input.focus ?? firstOwn?.[0] ?? 0);
  return {
    html: excerpt(text, layout.at[token] ?? 0, marked),
    start: (layout.ms[token] ?? 0) / 1000,
    speaker: speakerAt(layout, token),
    markedWords: marked.map((word) => word.text),
  };
}

function speakerAt({ turns }: Layout, token: number): string | null {
  const starts = turns.map(([start]) => start);
  return turns[indexAt(starts, token)]?.[1] ?? null;
}

function isOwn(speaker: string | null, spokenBy: SnippetInput['spokenBy']): boolean {
  return spokenBy === null || spokenBy(speaker);
}

/** A quick check before stemming. @param initials null: stems may begin with another letter than their words. */
function mayMatch(word: string, initials: ReadonlySet<string | undefined> | null): boolean {
  return initials === null || initials.has(word[0]?.toLowerCase()) || /[^a-z]/i.test(word);
}

/** Indexes of the words to mark, in ascending order. */
function matches(words: readonly Word[], { text, marks, layout, language, spokenBy }: SnippetInput): number[] {
  const stem = stemmerOf(language);
  const found = new Set<number>();
  const isMarked = (word: string): boolean => formsOf(word, language).some((form) => marks.words.has(form));
  const initials = keepsInitials(language) ? new Set([...marks.words].map((marked) => marked[0])) : null;
  for (const [i, word] of words.entries()) if (mayMatch(word.text, initials) && isMarked(word.text)) found.add(i);
  for (const { text: joined, from, to } of joinedWords(text, words))
    if (isMarked(joined)) for (let i = from; i <= to; i++) found.add(i);
  for (const phrase of marks.phrases)
    for (let i = 0; i + phrase.length <= words.length; i++)
      if (phrase.every((variants, offset) => variants.has(stem(words[i + offset]?.text ?? ''))))
        phrase.forEach((_, offset) => found.add(i + offset));
  const own = (i: number): boolean => isOwn(speakerAt(layout, indexAt(layout.at, words[i]?.at ?? 0)), spokenBy);
  return (spokenBy ? [...found].filter(own) : [...found]).sort((x, y) => x - y);
}

/** `width` characters around `focus`, split at word boundaries, escaped and marked. */
function excerpt(text: string, focus: number, marked: readonly Word[]): string {
  const { from, to } = excerptBounds(text, focus);
  let html = from > 0 ? '… ' : '';
  let at = from;
  for (const word of marked) {
    if (word.at < at || word.end > to) continue;
    html += `${escapeHtml(text.slice(at, word.at))}<mark>${escapeHtml(text.slice(word.at, word.end))}</mark>`;
    at = word.end;
  }
  return html + escapeHtml(text.slice(at, to)) + (to < text.length ? ' …' : '');
}

function excerptBounds(text: string, focus: number): { from: number; to: number } {
  const wanted = Math.max(0, focus - Math.floor(width / 3));
  const blankBefore = text.indexOf(' ', wanted);
  const from = wanted === 0 ? 0 : blankBefore >= 0 && blankBefore < focus ? blankBefore + 1 : focus;
  const end = from + width;
  if (end >= text.length) return { from, to: text.length };
  const blank = text.lastIndexOf(' ', end);
  // Scripts without spaces: split anywhere except within a surrogate pair.
  if (blank <= focus) return { from, to: end + (/[\uDC00-\uDFFF]/.test(text[end] ?? '') ? 1 : 0) };
  return { from, to: blank };
}
