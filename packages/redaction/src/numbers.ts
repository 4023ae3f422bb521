import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { isCardNumber, isCpf, isNir, isSsn, isSteuerId } from './checksums.ts';
import { announcesNumber, cueNear, type Cue, type FoundCue } from './cues.ts';
import { isCounting, type DigitRun } from './digit-runs.ts';
import { withSpelledLetters } from './documents.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

type Found = Span['kind'] | undefined;
type Candidate = { run: DigitRun; written: string; cue: Cue | undefined; regions: readonly CountryCode[] };

const regionsOfLanguage: Readonly<Record<string, readonly CountryCode[]>> = {
  en: ['US', 'GB', 'AU', 'IN'],
  de: ['DE', 'AT', 'CH'],
  fr: ['FR', 'BE', 'CH'],
  es: ['ES', 'MX'],
  it: ['IT'],
  pt: ['BR', 'PT'],
  nl: ['NL', 'BE'],
};

export function phoneRegions(language: string | null): readonly CountryCode[] {
  const [base = 'en', region] = (language ?? 'en').split(/[-_]/);
  const own = region && isSupportedCountry(region.toUpperCase()) ? [region.toUpperCase() as CountryCode] : [];
  return [...own, ...(regionsOfLanguage[base.toLowerCase()] ?? ['US', 'GB'])];
}

/** Cards, phone, account and identity numbers. The checks with a checksum come before the words around a number. */
export function findNumbers(
  tokens: readonly Token[],
  runs: readonly DigitRun[],
  regions: readonly CountryCode[],
): Span[] {
  const kinds = runs.map((run) => kindAlone(tokens, run, regions));
  const spans = runs.flatMap((run, at) => {
    const kind = kinds[at];
    return kind ? spansOf(tokens, run, kind) : [];
  });
  return [
    ...spans,
    ...findDivided(tokens, { runs, kinds }, regions),
    ...findCorrected(tokens, { runs, kinds }, regions),
  ];
}

function kindAlone(tokens: readonly Token[], run: DigitRun, regions: readonly CountryCode[]): Found {
  const found = cueNear(tokens, run.first, run.last);
  if (run.digits.length < 3 || (isCounting(run) && !isAnnounced(found))) return undefined;
  const written = writtenOf(tokens, run);
  const cue = found?.near ? found.cue : undefined;
  const spoken = run.foreignLanguage === undefined ? [] : phoneRegions(run.foreignLanguage);
  return kindOf({ run, written, cue, regions: [...regions, ...spoken] }) ?? farKind(run, found?.cue);
}

function writtenOf(tokens: readonly Token[], { first, last }: DigitRun): string {
  return tokens
    .slice(first, last + 1)
    .map(({ text }) => text)
    .join(' ');
}

function spansOf(tokens: readonly Token[], run: DigitRun, kind: Span['kind']): Span[] {
  const { first, last } = kind === 'id_number' || kind === 'account' ? withSpelledLetters(tokens, run) : run;
  return [{ kind, start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0 }];
}

/** "account number one two three four five six" is a number, although it counts. */
function isAnnounced(found: FoundCue | undefined): boolean {
  return found?.near === true && found.cue !== 'other';
}

/** What another speaker says in the middle of a number that is dictated. */
const longestInterruption = 12;
const mostParts = 6;

type Runs = { runs: readonly DigitRun[]; kinds: readonly Found[] };

/** A number whose parts are in passages with something else between them: all of its parts are found. */
function findDivided(tokens: readonly Token[], all: Runs, regions: readonly CountryCode[]): Span[] {
  // "one moment" is no part of a number.
  const isPart = all.runs.map(({ digits }) => digits.length > 1);
  const runs = all.runs.filter((_, at) => isPart[at]);
  const kinds = all.kinds.filter((_, at) => isPart[at]);
  return runs.flatMap((run, at) => {
    const parts = [run];
    if (kinds[at]) return [];
    for (let next = runs[at + 1]; next && parts.length < mostParts; next = runs[at + parts.length]) {
      if (!isInterrupted(tokens, parts.at(-1) as DigitRun, next)) return [];
      const isWhole = kinds[at + parts.length] !== undefined;
      parts.push(next);
      const kind = dividedKind(tokens, parts, regions);
      // The end of a card number can look like a phone number.
      if (kind && (!isWhole || kind === 'card')) return parts.flatMap((part) => spansOf(tokens, part, kind));
      if (isWhole) return [];
    }
    return [];
  });
}

const corrections = new Set(
  'no sorry wait actually correction scratch that i mean not oops nein moment entschuldigung quatsch falsch korrektur ich meine sondern non pardon attendez je veux dire perdón perdon digo quiero decir espera espere uh um er äh euh eh hold on my mistake'.split(
    ' ',
  ),
);
const longestCorrection = 5;

/** "four one five, no sorry, four one six ...": what was said before the correction is a part of the number, too. */
function findCorrected(tokens: readonly Token[], { runs, kinds }: Runs, regions: readonly CountryCode[]): Span[] {
  return runs.flatMap((run, at) => {
    const next = runs[at + 1];
    if (!next || run.digits.length + next.digits.length < shortestCorrected || !isCorrection(tokens, run, next))
      return [];
    const kind = kinds[at + 1] ?? kinds[at] ?? correctedKind(tokens, [run, next], regions);
    return kind ? spansOf(tokens, { ...run, last: next.last }, kind) : [];
  });
}

const shortestCorrected = 7;

function isCorrection(tokens: readonly Token[], before: DigitRun, after: DigitRun): boolean {
  const gap = tokens.slice(before.last + 1, after.first);
  return gap.length > 0 && gap.length <= longestCorrection && gap.every(({ word }) => corrections.has(word));
}

/** The correction replaces some of the last digits, or none. */
function correctedKind(
  tokens: readonly Token[],
  [before, after]: readonly [DigitRun, DigitRun],
  regions: readonly CountryCode[],
): Found {
  const found = cueNear(tokens, before.first, after.last);
  const cue = found?.near ? found.cue : undefined;
  const longest = Math.min(before.digits.length, after.digits.length);
  for (let replaced = 0; replaced <= longest; replaced += 1) {
    const kept = before.digits.slice(0, before.digits.length - replaced);
    const run = { ...before, digits: kept + after.digits, values: [] };
    const kind = kindOf({ run, written: '', cue, regions });
    if (kind) return kind;
  }
  return undefined;
}

/** The first part ends its passage, and the second one comes within a sentence or two that announces no other number. */
function isInterrupted(tokens: readonly Token[], before: DigitRun, after: DigitRun): boolean {
  const gap = after.first - before.last - 1;
  if (!tokens[before.last]?.endsPassage || gap === 0 || gap > longestInterruption || after.plus) return false;
  return !announcesNumber(tokens, before.last + 1, after.first);
}

function dividedKind(tokens: readonly Token[], parts: readonly DigitRun[], regions: readonly CountryCode[]): Found {
  const [run] = parts as [DigitRun];
  const joined = { ...run, digits: parts.map(({ digits }) => digits).join(''), values: [] };
  const found = cueNear(tokens, run.first, run.first);
  const cue = found?.near ? found.cue : undefined;
  const candidate = { run: joined, written: '', cue, regions };
  if (cue === 'other') return undefined;
  if (isAnnounced(found)) return kindOf(candidate);
  // "my number is": without it two amounts would be a phone number.
  const isNumber = tokens.slice(Math.max(0, run.first - 3), run.first).some(({ word }) => word === 'number');
  return cardKind(candidate) ?? (isNumber ? phoneKind(candidate) : undefined);
}

function kindOf(candidate: Candidate): Found {
  return cardKind(candidate) ?? identityKind(candidate) ?? cuedKind(candidate) ?? phoneKind(candidate);
}

/** A question in the passage before ("what is your account number?") decides when nothing else does. */
function farKind(run: DigitRun, cue: Cue | undefined): Found {
  return cue === 'secret' || cue === 'card_code' ? undefined : cuedKind({ run, cue });
}

/** A card number may be followed by its code: any part of the run between two words is tried. */
function cardKind({ run: { digits }, cue }: Candidate): Found {
  if (cue === 'other' || cue === 'account') return undefined;
  for (let length = Math.min(19, digits.length); length >= 13; length -= 1)
    for (let start = 0; start + length <= digits.length; start += 1)
      if (isCardNumber(digits.slice(start, start + length)) && (start === 0 || cue === 'card')) return 'card';
  if (cue === 'card' && digits.length >= 12 && digits.length <= 23) return 'card';
  return undefined;
}

function identityKind({ run: { digits }, written, cue }: Candidate): Found {
  if (cue === 'other') return undefined;
  if (/^\d{3}-\d{2}-\d{4}$/.test(written) && isSsn(digits)) return 'id_number';
  if (/^\d{3}\.\d{3}\.\d{3}-\d{2}$/.test(written) && isCpf(digits)) return 'id_number';
  if (digits.length === 15 && isNir(digits)) return 'id_number';
  return digits.length === 11 && cue === 'id_number' && (isSteuerId(digits) || isCpf(digits)) ? 'id_number' : undefined;
}

/** The shortest number that the words around it make one of their kind. */
const cuedLengths: Readonly<Partial<Record<Cue, readonly [min: number, max: number]>>> = {
  account: [6, 20],
  id_number: [5, 15],
  secret: [4, 12],
  phone: [7, 16],
};

function cuedKind({ run: { digits, plus }, cue }: Pick<Candidate, 'run' | 'cue'>): Found {
  if (cue === undefined || cue === 'other') return undefined;
  if (plus) return undefined;
  if (cue === 'card_code') return digits.length <= 4 ? 'card' : undefined;
  const [min, max] = cuedLengths[cue] ?? [Infinity, 0];
  return digits.length >= min && digits.length <= max ? cue : undefined;
}

function phoneKind({ run: { digits, plus }, written, cue, regions }: Candidate): Found {
  if (plus) return digits.length >= 8 && digits.length <= 16 ? 'phone' : undefined;
  if (cue === 'other') return undefined;
  // The prefix of international calls in most countries.
  if (/^00[1-9]/.test(digits) && parsePhoneNumberFromString(`+${digits.slice(2)}`)?.isValid()) return 'phone';
  const isFormatted = /^\(\d{2,5}\)|^\d{3}[-.]\d{3}[-.]\d{4}$|^\d{3}-\d{4}$|^0\d{2,4}[ -]\d{3,}/.test(written);
  if (isFormatted && digits.length >= 7 && digits.length <= 15) return 'phone';
  if (digits.length < 9 || digits.length > 13) return undefined;
  return regions.some((region) => parsePhoneNumberFromString(digits, region)?.isValid()) ? 'phone' : undefined;
}
