import { cueNear, type Cue } from './cues.ts';
import { isDigitWord, valueBelowHundred, type NumberWords } from './digit-runs.ts';
import { phraseAt } from './number-phrases.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

/** Letters and digits, as on passports and licences: "AB1234567", "S123-4567-8901". */
const documentNumber = /^(?=(?:.*\d){4})(?=.*\p{L})[\p{L}\d](?:[\p{L}\d]|-(?=[\p{L}\d])){5,19}$/u;
const kinds: Readonly<Partial<Record<Cue, 'id_number' | 'account'>>> = { id_number: 'id_number', account: 'account' };

/** Numbers with letters near a word for a document or an account. Numbers of digits only are digit runs. */
export function findDocumentNumbers(tokens: readonly Token[], words: NumberWords): Span[] {
  return [...findWritten(tokens), ...findSpelled(tokens, words)];
}

function findWritten(tokens: readonly Token[]): Span[] {
  return tokens.flatMap(({ text, start, end }, at) => {
    if (!documentNumber.test(text)) return [];
    const found = cueNear(tokens, at, at);
    const kind = found?.near ? kinds[found.cue] : undefined;
    return kind ? [{ kind, start, end }] : [];
  });
}

/** Words that stand for a letter. */
const letterWords = new Set(
  (
    'alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey whisky x-ray xray yankee zulu ' +
    'anton berta cäsar dora emil friedrich gustav heinrich ida julius kaufmann ludwig martha nordpol otto paula quelle richard samuel siegfried theodor ulrich viktor wilhelm xanthippe ypsilon zacharias zeppelin'
  ).split(' '),
);
const fewestSigns = 6;
const fewestDigits = 3;
const mostSigns = 24;

/** Letters and digits that are spelled out: "c zero one x zero zero t four seven". */
function findSpelled(tokens: readonly Token[], words: NumberWords): Span[] {
  const spans: Span[] = [];
  for (let first = 0; first < tokens.length;) {
    const { next, letters, digits } = spelledAt(tokens, first, words);
    if (letters > 0 && digits >= fewestDigits && letters + digits >= fewestSigns) {
      const found = cueNear(tokens, first, next - 1);
      const kind = found?.near ? kinds[found.cue] : undefined;
      if (kind) spans.push({ kind, start: tokens[first]?.start ?? 0, end: tokens[next - 1]?.end ?? 0 });
    }
    first = Math.max(next, first + 1);
  }
  return spans;
}

/** `next`: the token after the last sign. */
function spelledAt(tokens: readonly Token[], first: number, words: NumberWords) {
  const spelled = { next: first, letters: 0, digits: 0 };
  while (spelled.next < first + mostSigns && !(spelled.next > first && tokens[spelled.next - 1]?.endsSentence)) {
    const token = tokens[spelled.next];
    const phrase = words.phrases && phraseAt(tokens, spelled.next, words.phrases);
    const isLetter = token !== undefined && (/^\p{L}$/u.test(token.word) || letterWords.has(token.word));
    const isNumber = /^\d{1,8}$/.test(token?.text ?? '') || isDigitWord(token, words);
    const value = phrase?.value ?? valueBelowHundred(token?.word ?? '', words);
    if (phrase || isNumber || value !== undefined) {
      spelled.digits += /^\d+$/.test(token?.text ?? '') ? (token?.text.length ?? 0) : String(value ?? 0).length;
      spelled.next = phrase?.next ?? spelled.next + 1;
    } else if (isLetter) {
      spelled.letters += 1;
      spelled.next += 1;
    } else break;
  }
  return spelled;
}

const longestPrefix = 3;

/** Spoken letters around the digits of a document: "a b one two three", "q q 12 34 56 c". @returns indexes of tokens. */
export function withSpelledLetters(
  tokens: readonly Token[],
  { first, last }: { first: number; last: number },
): { first: number; last: number } {
  const isLetter = (at: number): boolean => /^\p{L}$/u.test(tokens[at]?.word ?? '');
  let from = first;
  while (first - from < longestPrefix && isLetter(from - 1) && !tokens[from - 1]?.endsSentence) from -= 1;
  const to = isLetter(last + 1) && !tokens[last]?.endsSentence ? last + 1 : last;
  return { first: from, last: to };
}
