import { findAccountsAndIds } from './accounts.ts';
import { findAddresses } from './addresses.ts';
import { findBirthDates } from './dates.ts';
import { findDocumentNumbers } from './documents.ts';
import { digitRuns, numberWords } from './digit-runs.ts';
import { findEmails } from './emails.ts';
import { findIntroduced, findNames } from './names.ts';
import { findNumbers, phoneRegions } from './numbers.ts';
import { findSecrets } from './secrets.ts';
import { normalize } from './normalize.ts';
import { mergeSpans, type Span } from './spans.ts';
import { tokenize } from './tokens.ts';

/** Identifies the rules: spans that an older version found are found again. Increase it with every change of a rule. */
export const detectorVersion = 'rules-6';

export type DetectOptions = {
  /** Of the transcript: the words for digits, and the countries of phone numbers without a prefix. */
  language: string | null;
  /** Names of people that are known from elsewhere, e.g. the speakers of the file. */
  knownNames: readonly string[];
};

/** Finds personal data in one text. */
export function detect(original: string, options: DetectOptions): Span[] {
  const { text, starts, ends } = normalize(original);
  return detectNormalized(text, options).map(({ kind, start, end }) => ({
    kind,
    start: starts[start] ?? 0,
    end: ends[end - 1] ?? original.length,
  }));
}

function detectNormalized(text: string, { language, knownNames }: DetectOptions): Span[] {
  const tokens = tokenize(text);
  const words = numberWords(language);
  const runs = digitRuns(tokens, words);
  return mergeSpans([
    ...findAccountsAndIds(text, tokens, words),
    ...findDocumentNumbers(tokens, words),
    ...findNumbers(tokens, runs, phoneRegions(language)),
    ...findEmails(text, tokens),
    ...findBirthDates(tokens, words, primaryLanguage(language)),
    ...findAddresses(text, tokens, words, primaryLanguage(language)),
    ...findSecrets(text, tokens),
    ...findNames(tokens, { knownNames, language }),
  ]);
}

function primaryLanguage(language: string | null): string {
  return language?.slice(0, 2).toLowerCase() ?? 'en';
}

/** The names that are introduced somewhere in the texts ("my name is ..."). */
export function introducedNames(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => findIntroduced(tokenize(normalize(text).text))))];
}

/** Finds personal data in consecutive texts: a span that continues in the next text is found, and divided between them. */
export function detectIn(texts: readonly string[], options: DetectOptions): Span[][] {
  const found: Span[][] = texts.map(() => []);
  const spans = detect(texts.join('\n'), options);
  let offset = 0;
  let from = 0;
  texts.forEach((text, i) => {
    const end = offset + text.length;
    while ((spans[from]?.end ?? Infinity) <= offset) from += 1;
    for (let at = from; (spans[at]?.start ?? Infinity) < end; at += 1) {
      const { kind, start, end: spanEnd } = spans[at] as Span;
      const part = { kind, start: Math.max(0, start - offset), end: Math.min(text.length, spanEnd - offset) };
      if (part.end > part.start) found[i]?.push(part);
    }
    offset = end + 1;
  });
  return found;
}
