import { cueNear, type Cue } from './cues.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

/** Letters and digits, as on passports and licences: "AB1234567", "S123-4567-8901". */
const documentNumber = /^(?=(?:.*\d){4})(?=.*\p{L})[\p{L}\d](?:[\p{L}\d]|-(?=[\p{L}\d])){5,19}$/u;
const kinds: Readonly<Partial<Record<Cue, 'id_number' | 'account'>>> = { id_number: 'id_number', account: 'account' };

/** Numbers with letters near a word for a document or an account. Numbers of digits only are digit runs. */
export function findDocumentNumbers(tokens: readonly Token[]): Span[] {
  return tokens.flatMap(({ text, start, end }, at) => {
    if (!documentNumber.test(text)) return [];
    const found = cueNear(tokens, at, at);
    const kind = found?.near ? kinds[found.cue] : undefined;
    return kind ? [{ kind, start, end }] : [];
  });
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
