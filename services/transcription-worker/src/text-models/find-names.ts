import { personLabels } from '@overtone/models';
import type { Encoder, Output } from './encoder.ts';

type Word = { start: number; end: number; ids: readonly number[] };
export type Range = [start: number, end: number];

/** Tokens of one run of the model: longer ones cost more than they help. */
const windowTokens = 256;
/** Words that two windows have in common: a name at the edge of one is inside the other. */
const overlapWords = 32;
/** The joint probability of the person labels above which a word counts as a part of a name. */
const threshold = 0.5;

/**
 * The names of people in consecutive texts, as ranges of the characters of each. Texts are read as one, so that a short one
 * has its context.
 */
export async function findNames(encoder: Encoder, texts: readonly string[], signal: AbortSignal): Promise<Range[][]> {
  const labels = personLabels(encoder.json['config']);
  if (labels.size === 0) throw new TypeError(`the model ${encoder.id} has no label for people`);
  const [first, last] = endsOf(encoder);
  const text = texts.join('\n');
  const words = wordsOf(encoder, text);
  const isName = words.map(() => false);
  for (const { from, to } of windowsOf(words, Math.min(windowTokens, encoder.maxTokens) - first.length - last.length)) {
    signal.throwIfAborted();
    const part = words.slice(from, to);
    const output = await encoder.run([[...first, ...part.flatMap(({ ids }) => ids), ...last]], ['logits']);
    let at = first.length;
    for (const [i, { ids }] of part.entries()) {
      const scores = ids.map((_, offset) => probabilityOf(output, at + offset, labels));
      isName[from + i] ||= Math.max(0, ...scores) > threshold;
      at += ids.length;
    }
  }
  return divide(
    joinWords(
      text,
      words.filter((_, i) => isName[i]),
    ),
    texts,
  );
}

/** Words and signs with their tokens. Each is encoded separately, so that its place in the text is exact. */
function wordsOf({ tokenizer, maxTokens }: Encoder, text: string): Word[] {
  const known = new Map<string, readonly number[]>();
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+|[^\s]/gu)].map(({ 0: word, index: start }) => {
    const spaced = start === 0 || /\s/.test(text[start - 1] ?? '') ? ` ${word}` : word;
    const ids =
      known.get(spaced) ?? tokenizer.encode(spaced, { add_special_tokens: false }).ids.slice(0, maxTokens / 4);
    known.set(spaced, ids);
    return { start, end: start + word.length, ids };
  });
}

/** The tokens before and after a text. */
function endsOf({ tokenizer }: Encoder): [readonly number[], readonly number[]] {
  const { ids } = tokenizer.encode('');
  return [ids.slice(0, 1), ids.slice(1)];
}

/** Overlapping windows of at most so many tokens. */
export function windowsOf(words: readonly Pick<Word, 'ids'>[], tokens: number): { from: number; to: number }[] {
  const windows: { from: number; to: number }[] = [];
  let from = 0;
  while (from < words.length) {
    let [to, used] = [from, 0];
    while (to < words.length && used + (words[to]?.ids.length ?? 0) <= tokens) used += words[to++]?.ids.length ?? 0;
    // A single word is never longer than a window.
    windows.push({ from, to });
    if (to >= words.length) break;
    from = Math.max(from + 1, to - overlapWords);
  }
  return windows;
}

function probabilityOf({ data, dims }: Output, token: number, labels: ReadonlySet<number>): number {
  const width = dims[2] ?? 0;
  const logits = data.subarray(token * width, (token + 1) * width);
  const largest = Math.max(...logits);
  let [wanted, total] = [0, 0];
  for (const [label, logit] of logits.entries()) {
    const weight = Math.exp(logit - largest);
    total += weight;
    if (labels.has(label)) wanted += weight;
  }
  // Not a number would count as no name.
  if (!(total > 0)) throw new TypeError('the model returned no labels');
  return wanted / total;
}

/** "Mary" and "Jane-Smith" are one name; signs at its ends are not part of it. */
export function joinWords(text: string, words: readonly Pick<Word, 'start' | 'end'>[]): Range[] {
  const ranges: Range[] = [];
  for (const { start, end } of words) {
    if (!/[\p{L}\p{N}]/u.test(text.slice(start, end))) continue;
    const last = ranges.at(-1);
    if (last && /^[ \t.'’-]{0,3}$/.test(text.slice(last[1], start))) last[1] = end;
    else ranges.push([start, end]);
  }
  return ranges;
}

/** Ranges of the joined texts as ranges of each. */
function divide(ranges: readonly Range[], texts: readonly string[]): Range[][] {
  let offset = 0;
  return texts.map((text) => {
    const [from, to] = [offset, offset + text.length];
    offset = to + 1;
    return ranges.filter(([start]) => start >= from && start < to).map(([start, end]) => [start - from, end - from]);
  });
}
