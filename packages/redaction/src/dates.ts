import { valueBelowHundred, type NumberWords } from './digit-runs.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

const months = new Set(
  'january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(
    ' ',
  ),
);
const ordinals = new Set(
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'.split(
    ' ',
  ),
);
const connectors = new Set([
  'of',
  'the',
  'in',
  'on',
  'and',
  'hundred',
  'thousand',
  'slash',
  'dash',
  'oh',
  'o',
  'de',
  'del',
]);
const cues = new Set([
  'born',
  'birthday',
  'birthdate',
  'dob',
  'birth',
  'geboren',
  'geburtsdatum',
  'geburtstag',
  'né',
  'née',
  'nací',
  'nacimiento',
]);
const farthest = 9;

/** Dates that follow a word for birth: "I was born on the third of march nineteen eighty four". */
export function findBirthDates(tokens: readonly Token[], words: NumberWords): Span[] {
  return tokens.flatMap((token, at) => {
    if (!cues.has(token.word) && !isSpelledDob(tokens, at)) return [];
    for (let first = at + 1; first <= Math.min(tokens.length - 1, at + farthest); first += 1) {
      const span = dateAt(tokens, first, words);
      if (span) return [span];
    }
    return [];
  });
}

function isSpelledDob(tokens: readonly Token[], at: number): boolean {
  return ['d', 'o', 'b'].every((letter, i) => tokens[at + i]?.word === letter);
}

function dateAt(tokens: readonly Token[], first: number, words: NumberWords): Span | undefined {
  const isPart = (word: string): boolean => isDateWord(word, words);
  if (!isPart(tokens[first]?.word ?? '')) return undefined;
  let last = first;
  for (let at = first + 1; at < Math.min(tokens.length, first + 12); at += 1) {
    if (tokens[at - 1]?.endsSentence && !/^\d{1,2}$/.test(tokens[at - 1]?.text ?? '')) break;
    const word = tokens[at]?.word ?? '';
    if (isPart(word)) last = at;
    else if (!connectors.has(word)) break;
  }
  const part = tokens.slice(first, last + 1);
  if (!isDate(part)) return undefined;
  const article = tokens[first - 1];
  const start = (article?.word === 'the' ? article : part[0])?.start ?? 0;
  return { kind: 'birth_date', start, end: part.at(-1)?.end ?? start };
}

function isDateWord(word: string, words: NumberWords): boolean {
  return (
    months.has(word) ||
    ordinals.has(word) ||
    /^\d{1,4}(st|nd|rd|th|er|\.|º)?$/.test(word) ||
    /^\d{1,4}[./-]\d{1,2}([./-]\d{1,4})?$/.test(word) ||
    word === 'hundred' ||
    valueBelowHundred(word, words) !== undefined
  );
}

/** A month, a numeric date, or a year; a bare number ("born in 2 minutes") is none. */
function isDate(part: readonly Token[]): boolean {
  const text = part.map(({ word }) => word).join(' ');
  if (part.some(({ word }) => months.has(word)) && part.length > 1) return true;
  if (/\d{1,4}[./-]\d{1,2}[./-]\d{1,4}/.test(text) || /\b(19|20)\d\d\b/.test(text)) return true;
  return /\b(eighteen|nineteen|twenty|two thousand)\b/.test(text) && part.length > 1;
}
