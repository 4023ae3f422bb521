import type { Word } from './transcription.ts';

/** A character of a script that is written without spaces between words. */
export const unspacedScript =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** A text that begins or ends in such a script, or with its marks or punctuation. */
export const beginsUnspaced =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\uff01-\uff1f]/u;
export const endsUnspaced =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}\uff01-\uff1f]$/u;
const unspacedCharacter =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*/u;
const counted = new RegExp(
  `${unspacedCharacter.source}|(?:(?!${unspacedCharacter.source})[\\p{L}\\p{N}\\p{M}'])+`,
  'gu',
);

/** What counts as a word in an error rate: of a script without spaces, each character with its marks. */
export function countedWords(word: string): string[] {
  if (!unspacedCharacter.test(word)) return word === '' ? [] : [word];
  return word.match(counted) ?? [];
}

const endsPhrase = /[\p{Po}\p{Pd}\p{Pe}\p{Pf}]$/u;
const pauseSeconds = 0.3;
const longestPhrase = 30;

/**
 * Words of scripts without spaces become phrases, which end at punctuation or in a pause: a transcript has a space between
 * its words. Engines give such text by the character. Words of other scripts stay as they are.
 */
export function joinUnspaced(words: readonly Word[]): Word[] {
  const joined: { phrase: Word; confidences: number[] }[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    const own = word.confidence === null ? [] : [word.confidence];
    if (!last || !continues(last.phrase, word)) {
      joined.push({ phrase: word, confidences: own });
      continue;
    }
    last.confidences.push(...own);
    last.phrase = {
      ...last.phrase,
      ...(word.overlap ? { overlap: true } : {}),
      word: last.phrase.word + word.word,
      end: Math.max(last.phrase.end, word.end),
    };
  }
  return joined.map(({ phrase, confidences }) =>
    confidences.length > 1 ? { ...phrase, confidence: meanOf(confidences) } : phrase,
  );
}

function continues(phrase: Word, next: Word): boolean {
  return (
    next.start - phrase.end < pauseSeconds &&
    phrase.word.length + next.word.length <= longestPhrase &&
    beginsUnspaced.test(next.word) &&
    endsUnspaced.test(phrase.word) &&
    !endsPhrase.test(phrase.word)
  );
}

function meanOf(values: readonly number[]): number {
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1000) / 1000;
}
