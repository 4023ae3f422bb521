import { isDni, isIban } from './checksums.ts';
import { isReply, valueBelowHundred, type NumberWords } from './digit-runs.ts';
import { phraseAt } from './number-phrases.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

const zeros = new Set(['oh', 'nought']);
const repeats: Readonly<Record<string, number>> = { double: 2, triple: 3, treble: 3 };
const maxTokens = 50;
const ninos = /\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b/g;
const dnis = /\b\d{8}-?[A-Z]\b/g;
const codiciFiscali = /\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b/g;

/** IBANs with a valid checksum, written or spelled, and identity numbers that contain letters. */
export function findAccountsAndIds(text: string, tokens: readonly Token[], words: NumberWords): Span[] {
  const ids = [...text.matchAll(ninos), ...text.matchAll(codiciFiscali)].map(({ 0: found, index }) => ({
    found,
    index,
  }));
  const spanish = [...text.matchAll(dnis)]
    .map(({ 0: found, index }) => ({ found, index }))
    .filter(({ found }) => isDni(found.replace('-', '')));
  return [
    ...[...ids, ...spanish].map(({ found, index }) => ({
      kind: 'id_number' as const,
      start: index,
      end: index + found.length,
    })),
    ...tokens.flatMap((_, at) => ibanAt(tokens, at, words)),
  ];
}

/** Joins the tokens from `at` while they can be parts of an IBAN, and takes the longest valid one. */
function ibanAt(tokens: readonly Token[], at: number, words: NumberWords): Span[] {
  // "is", "it" and "at" are countries only in capitals.
  if (/^[a-z]{2}$/.test(tokens[at]?.text ?? '')) return [];
  let compact = '';
  let end: number | undefined;
  for (let next = at; next < Math.min(tokens.length, at + maxTokens) && compact.length <= 34; next += 1) {
    // A listener confirms during a dictation.
    if (next > at && tokens[next - 1]?.endsPassage && isReply(tokens[next]?.word ?? '') && tokens[next]?.endsPassage)
      continue;
    const repeat = repeats[tokens[next]?.word ?? ''];
    if (repeat !== undefined) next += 1;
    const phrase = words.phrases && phraseAt(tokens, next, words.phrases);
    const once = phrase ? String(phrase.value) : tokens[next] && ibanPart(tokens[next] as Token, words);
    if (once === undefined) break;
    if (phrase) next = phrase.next - 1;
    const part = once.repeat(repeat ?? 1);
    compact += part;
    // Two letters and two digits: spelled letters end here, and are not joined again from each of them.
    if (compact.length >= 2 && !/^[A-Z]{2}(?:$|\d(?:$|\d))/.test(compact)) return [];
    if (compact.length >= 15 && isIban(compact)) end = next;
  }
  if (end === undefined) return [];
  return [{ kind: 'account', start: (tokens[at] as Token).start, end: (tokens[end] as Token).end }];
}

function ibanPart({ text, word }: Token, words: NumberWords): string | undefined {
  if (zeros.has(word)) return '0';
  const value = valueBelowHundred(word, words);
  if (value !== undefined) return String(value);
  const plain = text.replaceAll(/[-./_]/g, '');
  return /^[A-Za-z0-9]+$/.test(plain) && (plain.length <= 4 || /\d/.test(plain)) ? plain.toUpperCase() : undefined;
}
