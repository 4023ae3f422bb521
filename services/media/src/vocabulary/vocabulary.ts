import { maxTermLength } from '@overtone/contracts';
import { diffArrays } from 'diff';

/** A text before the first and after the last correction of it. */
export type CorrectedText = { before: string; after: string };

/** What longer texts differ in is not compared; it takes the square of it. */
const maxChangedWords = 100;
const maxWords = 50_000;
/** A spelling of more words is a sentence. */
const maxWordsOfTerm = 3;
const minLetters = 4;
const minCount = 2;
const maxSuggestions = 5;

/** Terms that differ only in case and width are the same one. */
export function termKey(term: string): string {
  return term.normalize('NFKC').toLowerCase();
}

/** Spellings that replaced others at least twice, the most frequent first. */
export function repeatedSpellings(texts: readonly CorrectedText[], known: ReadonlySet<string>): string[] {
  const found = new Map<string, { spelling: string; count: number }>();
  let words = 0;
  for (const { before, after } of texts) {
    const [left, right] = [wordsOf(before), wordsOf(after)];
    words += left.length + right.length;
    if (words > maxWords) break;
    for (const spelling of newSpellings(left, right)) {
      const entry = found.get(termKey(spelling));
      if (entry) entry.count += 1;
      else found.set(termKey(spelling), { spelling, count: 1 });
    }
  }
  return [...found]
    .filter(([key, { count }]) => count >= minCount && !known.has(key))
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, maxSuggestions)
    .map(([, { spelling }]) => spelling);
}

/** Words that stand where others stood. What was only added, or written with another case, is no other spelling. */
function newSpellings(left: string[], right: string[]): string[] {
  const changes = diffArrays(left, right, { maxEditLength: maxChangedWords }) ?? [];
  return changes.flatMap((change, i) => {
    const removed = changes[i - 1];
    if (!change.added || !removed?.removed) return [];
    if (Math.max(change.count, removed.count) > maxWordsOfTerm) return [];
    const spelling = trimmed(change.value.join(' '));
    const isSame = lettersOf(spelling) === lettersOf(removed.value.join(' '));
    return isSame || !isTerm(spelling) ? [] : [spelling];
  });
}

function isTerm(spelling: string): boolean {
  return lettersOf(spelling).length >= minLetters && spelling.length <= maxTermLength && /\p{L}/u.test(spelling);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter(Boolean);
}

function trimmed(text: string): string {
  return /[\p{L}\p{N}](?:.*[\p{L}\p{N}\p{M}])?/u.exec(text)?.[0] ?? '';
}

function lettersOf(text: string): string {
  return termKey(text).replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '');
}
