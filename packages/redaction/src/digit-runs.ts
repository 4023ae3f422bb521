import { isCardNumber } from './checksums.ts';
import {
  foldWord,
  foreignPhrases,
  numberPhrases,
  phraseAt,
  type ForeignPhrase,
  type NumberPhrases,
} from './number-phrases.ts';
import type { Token } from './tokens.ts';

/** Consecutive words that name digits. */
export type DigitRun = {
  digits: string;
  /** Indexes of tokens. */
  first: number;
  last: number;
  /** Begins with `+` or "plus". */
  plus: boolean;
  /** The values of its words, e.g. [4, 15, 5]. */
  values: number[];
  /** The language of its words, when it is not that of the transcript. */
  foreignLanguage?: string;
};

const english = 'zero one two three four five six seven eight nine';
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const zeros = new Set(['oh', 'o', 'nought', 'naught', 'nil']);
/** Words that a speech engine writes for a digit: they count only between two digits. */
const homophones: Readonly<Record<string, number>> = {
  to: 2,
  too: 2,
  for: 4,
  won: 1,
  ate: 8,
  tree: 3,
  fife: 5,
  niner: 9,
};
const repeats: Readonly<Record<string, number>> = { double: 2, triple: 3, treble: 3, doppel: 2, doble: 2 };
/** Words between digits that do not end the number. */
const fillers = new Set(
  'dash hyphen space uh um er ah euh äh ähm then - – — / slash stroke parenthesis bracket open close comma okay'.split(
    ' ',
  ),
);

/** "one moment": no digit. */
const pauses = new Set(['moment', 'second', 'sec', 'minute']);

export type NumberWords = {
  /** Digits of English, in which numbers are often dictated, and of the language of the transcript. */
  digitOf: (word: string) => number | undefined;
  /** Numbers of the language of the transcript; undefined: it is English, or has no table. */
  phrases: NumberPhrases | undefined;
  languages: ReadonlySet<string>;
};
/** With the numbers of a text in other languages. */
type NumbersOfText = NumberWords & { foreign: ReadonlyMap<number, ForeignPhrase> };

export function numberWords(language: string | null): NumberWords {
  const base = language?.slice(0, 2).toLowerCase() ?? 'en';
  const phrases = numberPhrases(base);
  const known = new Map(english.split(' ').map((word, digit) => [word, digit]));
  for (const [phrase, value] of phrases ?? []) if (value < 10) known.set(phrase, value);
  if (base === 'de') known.set('ein', 1);
  return { digitOf: (word) => known.get(foldWord(word)), phrases, languages: new Set(['en', base]) };
}

/** The value of a word below 100, e.g. "seven", "fifteen", "twenty-one". */
export function valueBelowHundred(word: string, { digitOf }: NumberWords): number | undefined {
  const digit = digitOf(word);
  if (digit !== undefined) return digit;
  if (teens.includes(word)) return 10 + teens.indexOf(word);
  const [left = '', right] = word.split('-');
  if (!tens.includes(left)) return undefined;
  const base = 20 + 10 * tens.indexOf(left);
  if (right === undefined) return base;
  const rest = digitOf(right);
  return rest === undefined || rest === 0 ? undefined : base + rest;
}

const amount = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+,\d+$/;
const time = /^\d{1,2}:\d{2}(?::\d{2})?$/;
/** Letters that are written for a digit. */
const confusable: Readonly<Record<string, string>> = { O: '0', o: '0', l: '1', I: '1' };

/** The digits of a numeral with separators, e.g. `(415)`, `555-2671`; undefined for amounts, times and decimals. */
function numeralOf(text: string): string | undefined {
  if (/^[〇零一二三四五六七八九]{2,}$/u.test(text)) return Array.from(text).map(chineseDigit).join('');
  if (/^[\dOolI]{3,}$/.test(text) && /\d/.test(text))
    return text.replaceAll(/\D/g, (letter) => confusable[letter] ?? '');
  if (!/^[+(]?\d[\d\-–()[\]./_,:;*+~•|\\]*$/u.test(text)) return undefined;
  if (/^\d{1,3}\.\d{1,2}$|^\d{1,2}\/\d{1,2}\/\d{2,4}$/.test(text) || amount.test(text) || time.test(text))
    return undefined;
  return text.replaceAll(/\D/g, '');
}

function chineseDigit(sign: string): string {
  return String(Math.max(0, '零一二三四五六七八九'.indexOf(sign)));
}

type Piece = { digits: string; value: number; next: number };

/** All runs of digits, written or spoken, in order. */
export function digitRuns(tokens: readonly Token[], words: NumberWords): DigitRun[] {
  const runs: DigitRun[] = [];
  const foreign = foreignPhrases(tokens, words.languages, ({ word }) => fillers.has(word));
  const numbers = { ...words, foreign };
  let at = 0;
  while (at < tokens.length) {
    const run = runAt(tokens, at, numbers);
    if (run) runs.push(run);
    at = run ? run.last + 1 : at + 1;
  }
  return runs;
}

function runAt(tokens: readonly Token[], from: number, words: NumbersOfText): DigitRun | undefined {
  const saysPlus = tokens[from]?.word === 'plus';
  const first = pieceAt(tokens, saysPlus ? from + 1 : from, words, false);
  if (!first) return undefined;
  const plus = saysPlus || Boolean(tokens[from]?.text.startsWith('+'));
  const run: DigitRun = { digits: first.digits, first: from, last: first.next - 1, plus, values: [first.value] };
  const foreign = words.foreign.get(saysPlus ? from + 1 : from);
  if (foreign) run.foreignLanguage = foreign.language;
  for (let at = first.next; at < tokens.length;) {
    const skipped = skipReplies(tokens, skipFillers(tokens, at, words));
    const piece = pieceAt(tokens, skipped, words, true);
    if (!piece) {
      const joined = skipConnectives(tokens, { from: at, digits: run.digits.length }, words);
      if (joined === undefined) break;
      at = joined;
      continue;
    }
    // A new international number begins.
    if (tokens[skipped]?.text.startsWith('+')) break;
    run.digits += piece.digits;
    run.values.push(piece.value);
    run.last = piece.next - 1;
    at = piece.next;
  }
  return run;
}

/** What a listener says during the dictation of a number. */
const replies = new Set(
  'mhm hmm mm yes yeah yep yup ok okay right uh-huh uh huh sure alright correct got it go on ahead and next then thanks you thank perfect great noted i see'.split(
    ' ',
  ),
);
const longestReply = 4;
const connectives = new Set('and then finally followed by next comes uh um let me see sorry again'.split(' '));

/** Passages between two parts of a number in which a listener only confirms. */
function skipReplies(tokens: readonly Token[], from: number): number {
  let at = from;
  while (tokens[at - 1]?.endsPassage) {
    let end = at;
    while (end < at + longestReply && replies.has(tokens[end]?.word ?? '') && !tokens[end]?.endsPassage) end += 1;
    if (!tokens[end]?.endsPassage || !replies.has(tokens[end]?.word ?? '')) return at;
    at = end + 1;
  }
  return at;
}

/** "4111 and then 1111": the position of the next group of digits, unless one of the two is a year. */
function skipConnectives(
  tokens: readonly Token[],
  { from, digits }: { from: number; digits: number },
  words: NumberWords,
): number | undefined {
  let at = from;
  while (at < from + 5 && connectives.has(tokens[at]?.word ?? '') && !tokens[at]?.endsSentence) at += 1;
  const isGroup = (token: Token | undefined): boolean =>
    /^\d{3,6}$/.test(token?.text ?? '') && !/^(?:19|20)\d\d$/.test(token?.text ?? '');
  const isDictated =
    isDigitWord(tokens[from - 1], words) && isDigitWord(tokens[at], words) && isDigitWord(tokens[at + 1], words);
  // "415 and 2671" are two numbers.
  if (at === from || (digits < 8 && at === from + 1 && tokens[from]?.word === 'and')) return undefined;
  return (isGroup(tokens[from - 1]) && isGroup(tokens[at])) || isDictated ? at : undefined;
}

export function isReply(word: string): boolean {
  return replies.has(word);
}

function skipFillers(tokens: readonly Token[], from: number, { foreign, phrases }: NumbersOfText): number {
  let at = from;
  const isFiller = (): boolean => {
    const word = tokens[at]?.word ?? '';
    // "um" is a digit in Portuguese.
    return fillers.has(word) && !foreign.has(at) && phrases?.has(word) !== true;
  };
  while (at < from + 3 && isFiller()) at += 1;
  return at;
}

function pieceAt(tokens: readonly Token[], at: number, words: NumbersOfText, inside: boolean): Piece | undefined {
  const token = tokens[at];
  if (!token || (token.word === 'one' && pauses.has(tokens[at + 1]?.word ?? ''))) return undefined;
  const card = cardWithCommas(tokens, at);
  if (card) return card;
  const phrase = words.foreign.get(at) ?? (words.phrases && phraseAt(tokens, at, words.phrases));
  if (phrase) return { digits: String(phrase.value), value: phrase.value, next: phrase.next };
  const numeral = numeralOf(token.text);
  if (numeral !== undefined) return { digits: numeral, value: Number(numeral), next: at + 1 };
  const times = repeats[token.word];
  if (times !== undefined) return repeated(tokens, at, words, times);
  const value = valueBelowHundred(token.word, words);
  if (value !== undefined) return spokenPiece(tokens, at, value, words);
  if (zeros.has(token.word) && (inside || isDigitWord(tokens[at + 1], words)))
    return { digits: '0', value: 0, next: at + 1 };
  const homophone = homophones[token.word];
  if (homophone !== undefined && inside && isDigitWord(tokens[at + 1], words))
    return { digits: String(homophone), value: homophone, next: at + 1 };
  return undefined;
}

/** "4,111,111,111,111,111", and "4,111 1,111 1,111 1,111": a card number that was written like amounts. */
function cardWithCommas(tokens: readonly Token[], at: number): Piece | undefined {
  if (!amount.test(tokens[at]?.text ?? '')) return undefined;
  let digits = '';
  for (let next = at; next < Math.min(tokens.length, at + 6) && digits.length < 19; next += 1) {
    const { text, endsSentence } = tokens[next] as Token;
    if (!/^\d[\d,]*$/.test(text)) return undefined;
    digits += text.replaceAll(',', '');
    // No amount is that long: as a card number it may be misspoken.
    const isCard = isCardNumber(digits) || (next === at && digits.length >= 16);
    if (isCard) return { digits, value: Number(digits), next: next + 1 };
    if (endsSentence) return undefined;
  }
  return undefined;
}

export function isDigitWord(token: Token | undefined, words: NumberWords): boolean {
  if (!token) return false;
  return (
    words.digitOf(token.word) !== undefined ||
    zeros.has(token.word) ||
    repeats[token.word] !== undefined ||
    /^\d$/.test(token.text)
  );
}

function repeated(tokens: readonly Token[], at: number, words: NumberWords, times: number): Piece | undefined {
  const token = tokens[at + 1];
  if (!token) return undefined;
  const digit = zeros.has(token.word)
    ? 0
    : (words.digitOf(token.word) ?? (/^\d$/.test(token.text) ? Number(token.text) : undefined));
  if (digit === undefined) return undefined;
  return { digits: String(digit).repeat(times), value: digit, next: at + 2 };
}

/** "twenty one", "eight hundred", "two thousand", "five". */
function spokenPiece(tokens: readonly Token[], at: number, value: number, words: NumberWords): Piece {
  let total = value;
  let next = at + 1;
  const ones = valueBelowHundred(tokens[next]?.word ?? '', words);
  if (total >= 20 && total % 10 === 0 && ones !== undefined && ones > 0 && ones < 10) {
    total += ones;
    next += 1;
  }
  if (tokens[next]?.word === 'hundred') return withHundreds(tokens, next + 1, total, words);
  if (tokens[next]?.word === 'thousand') return { digits: `${total}000`, value: total * 1000, next: next + 1 };
  return { digits: String(total), value: total, next };
}

function withHundreds(tokens: readonly Token[], next: number, count: number, words: NumberWords): Piece {
  const joined = tokens[next]?.word === 'and';
  const restAt = joined ? next + 1 : next;
  const rest = valueBelowHundred(tokens[restAt]?.word ?? '', words);
  // "eight hundred five five five" is 800 and three digits; "one hundred twenty" is one number.
  if (rest === undefined || (!joined && rest < 10)) return { digits: `${count}00`, value: count * 100, next };
  const piece = spokenPiece(tokens, restAt, rest, words);
  const total = count * 100 + piece.value;
  return { digits: String(total), value: total, next: piece.next };
}

/** Counting and tables ("one two three four five six seven"): values with one constant step. */
export function isCounting({ values }: Pick<DigitRun, 'values'>): boolean {
  if (values.length < 5) return false;
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  return step !== 0 && values.every((value, i) => i === 0 || value - (values[i - 1] ?? 0) === step);
}
