import { cardinalAt, germanOrdinals } from './cardinals.ts';
import { valueBelowHundred, type NumberWords } from './digit-runs.ts';
import { foldWord } from './number-phrases.ts';
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
  'y',
  'et',
]);
const cues = new Set(
  'born birthday birthdate dob birth geboren geb geburtsdatum geburtstag né née naissance nací nació nacido nacida nacimiento cumpleaños'.split(
    ' ',
  ),
);
/** Words for the date of birth: digits after them need no month. */
const forms = new Set('dob birthdate geburtsdatum naissance nacimiento'.split(' '));
const zeros = new Set('oh o zero null zéro cero'.split(' '));
const firsts = new Set('premier primero'.split(' '));
const farthest = 9;

const farthestBefore = 8;

/** Dates beside a word for birth: "I was born on the third of march nineteen eighty four", "am 14.3.1978 geboren". */
export function findBirthDates(tokens: readonly Token[], words: NumberWords, language: string): Span[] {
  const text = { tokens, words, language };
  return tokens.flatMap((_, at) => {
    if (!isCue(tokens, at)) return [];
    const isForm = forms.has(tokens[at]?.word ?? '') || isSpelledDob(tokens, at) || isDateOfBirth(tokens, at);
    for (let first = at + 1; first <= Math.min(tokens.length - 1, at + farthest); first += 1) {
      const date = dateAt(text, first, isForm);
      if (date) return [date.span];
    }
    return dateBefore(text, at);
  });
}

function isCue(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.word.replace(/^qu'/, '') ?? '';
  if (cues.has(word) || isSpelledDob(tokens, at)) return true;
  // "l'anniversaire de l'entreprise" is no person's.
  if (word === 'anniversaire') return /^(?:mon|ton|son|notre|votre)$/.test(tokens[at - 1]?.word ?? '');
  return word === 'welt' && tokens[at - 1]?.word === 'zur';
}

function isDateOfBirth(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.word === 'birth' && tokens[at - 2]?.word === 'date';
}

/** The last full date of the same sentence before the cue: "on 14 March 1978 she was born". */
function dateBefore(text: DatedText, at: number): Span[] {
  let found: Span[] = [];
  for (let first = at - 1; first >= Math.max(0, at - farthestBefore - longestDate); first -= 1) {
    const { endsSentence, endsPassage, word } = text.tokens[first] as Token;
    if (endsPassage || (endsSentence && !/^\d{1,2}$/.test(word))) break;
    const date = dateAt(text, first, false);
    if (date?.isFull && date.next <= at && at - date.next <= farthestBefore) found = [date.span];
    else if (found.length > 0 && !connectors.has(word)) break;
  }
  return found;
}

function isSpelledDob(tokens: readonly Token[], at: number): boolean {
  return ['d', 'o', 'b'].every((letter, i) => tokens[at + i]?.word === letter);
}

type DatedText = { tokens: readonly Token[]; words: NumberWords; language: string };
/** `isFull`: with a month or in digits; a bare year is none. */
type FoundDate = { span: Span; isFull: boolean; next: number };
const longestDate = 12;

function dateAt(text: DatedText, first: number, isForm: boolean): FoundDate | undefined {
  const { tokens } = text;
  const isZero = (at: number): boolean => isForm && zeros.has(tokens[at]?.word ?? '');
  if (!isZero(first) && nextPart(text, first) === undefined) return undefined;
  let last = first;
  for (let at = first; at < Math.min(tokens.length, first + longestDate); at += 1) {
    if (at > first && tokens[at - 1]?.endsSentence && !/^\d{1,2}$/.test(tokens[at - 1]?.text ?? '')) break;
    const next = nextPart(text, at) ?? (isZero(at) ? at + 1 : undefined);
    if (next !== undefined) {
      last = next - 1;
      at = last;
    } else if (!connectors.has(tokens[at]?.word ?? '')) break;
  }
  const part = tokens.slice(first, last + 1);
  const isFull = isFullDate(part);
  if (!isFull && !isYear(text, first, last) && !(isForm && part.length > 2)) return undefined;
  const article = tokens[first - 1];
  const start = (article?.word === 'the' ? article : part[0])?.start ?? 0;
  return { span: { kind: 'birth_date', start, end: part.at(-1)?.end ?? start }, isFull, next: last + 1 };
}

/** The token after the part of a date that begins here. */
function nextPart({ tokens, words, language }: DatedText, at: number): number | undefined {
  const word = tokens[at]?.word ?? '';
  const cardinal = cardinalAt(tokens, at, language);
  if (cardinal) return cardinal.next;
  const isOrdinal = firsts.has(word) || (language === 'de' && germanOrdinals.has(foldWord(word)));
  return isOrdinal || isDateWord(word, words) ? at + 1 : undefined;
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

/** A month with a day or a year, a date in digits, or "siebter zwölfter". */
function isFullDate(part: readonly Token[]): boolean {
  if (part.some(({ word }) => months.has(word)) && part.length > 1) return true;
  const [first, second] = part.map(({ word }) => germanOrdinals.has(foldWord(word)));
  return (first && second) || part.some(({ word }) => /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/.test(word));
}

/** A bare number ("born in 2 minutes") is none. */
function isYear({ tokens, language }: DatedText, first: number, last: number): boolean {
  const text = tokens
    .slice(first, last + 1)
    .map(({ word }) => word)
    .join(' ');
  if (/\b(19|20)\d\d\b/.test(text)) return true;
  if (/\b(eighteen|nineteen|twenty|two thousand)\b/.test(text) && last > first) return true;
  const value = cardinalAt(tokens, first, language)?.value ?? 0;
  return value >= 1900 && value < 2100;
}
