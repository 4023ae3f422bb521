import { diff3Merge } from 'node-diff3';

/** The time of a comparison grows with the square of the words. Longer passages are no passages of speech. */
const maxWords = 2_000;

/**
 * Two changes of one text as one, word by word. What both added at the same place stands one after the other.
 * @returns null when both changed the same words, or a text is too long
 */
export function mergeTexts(old: string, mine: string, theirs: string): string | null {
  const [before, own, other] = [wordsOf(old), wordsOf(mine), wordsOf(theirs)];
  if (Math.max(before.length, own.length, other.length) > maxWords) return null;
  const merged: string[] = [];
  for (const { ok, conflict } of diff3Merge(own, before, other, { excludeFalseConflicts: true })) {
    if (conflict && conflict.o.length > 0) return null;
    merged.push(...(ok ?? []), ...(conflict ? [...conflict.b, ...conflict.a] : []));
  }
  return merged.join(' ');
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '');
}
