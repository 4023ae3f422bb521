import { vocabularyOf, wordsOf } from '../src/extractive/words.ts';

/** F1 between 0 and 1. */
export type Rouge = { one: number; two: number; longest: number };

const { stem } = vocabularyOf('en');

/** ROUGE-1, ROUGE-2 and ROUGE-L of a summary against a reference: stemmed words, stop words kept. */
export function rougeOf(summary: string, reference: string): Rouge {
  const [ours, theirs] = [stemsOf(summary), stemsOf(reference)];
  return {
    one: f1(overlap(ours, theirs), ours.length, theirs.length),
    two: f1(overlap(pairsOf(ours), pairsOf(theirs)), ours.length - 1, theirs.length - 1),
    longest: f1(longestCommon(ours, theirs), ours.length, theirs.length),
  };
}

export function meanRouge(all: readonly Rouge[]): Rouge {
  const mean = (valueOf: (rouge: Rouge) => number): number =>
    all.reduce((sum, rouge) => sum + valueOf(rouge), 0) / (all.length || 1);
  return { one: mean(({ one }) => one), two: mean(({ two }) => two), longest: mean(({ longest }) => longest) };
}

function stemsOf(text: string): string[] {
  return wordsOf(text).map((word) => stem(word));
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i]} ${word}`);
}

function overlap(ours: readonly string[], theirs: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of theirs) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of ours) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return shared;
}

/** Length of the longest common subsequence. */
function longestCommon(ours: readonly string[], theirs: readonly string[]): number {
  let row = new Uint32Array(theirs.length + 1);
  for (const word of ours) {
    const next = new Uint32Array(theirs.length + 1);
    for (const [i, other] of theirs.entries())
      next[i + 1] = word === other ? (row[i] ?? 0) + 1 : Math.max(row[i + 1] ?? 0, next[i] ?? 0);
    row = next;
  }
  return row.at(-1) ?? 0;
}

function f1(shared: number, ours: number, theirs: number): number {
  return shared <= 0 ? 0 : (2 * shared) / (ours + theirs);
}
