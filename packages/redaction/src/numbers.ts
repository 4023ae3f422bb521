import { isSupportedCountry, parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/max';
import { isCardNumber, isCpf, isNir, isSsn, isSteuerId } from './checksums.ts';
import { cueNear, type Cue } from './cues.ts';
import { isCounting, type DigitRun } from './digit-runs.ts';
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
  return runs.flatMap((run) => {
    const [first, last] = [tokens[run.first], tokens[run.last]];
    if (!first || !last || run.digits.length < 3 || isCounting(run)) return [];
    const found = cueNear(tokens, run.first, run.last);
    const written = tokens
      .slice(run.first, run.last + 1)
      .map(({ text }) => text)
      .join(' ');
    const kind =
      kindOf({ run, written, cue: found?.near ? found.cue : undefined, regions }) ?? farKind(run, found?.cue);
    return kind ? [{ kind, start: first.start, end: last.end }] : [];
  });
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
  const isFormatted = /^\(\d{2,5}\)|^\d{3}[-.]\d{3}[-.]\d{4}$|^\d{3}-\d{4}$|^0\d{2,4}[ -]\d{3,}/.test(written);
  if (isFormatted && digits.length >= 7 && digits.length <= 15) return 'phone';
  if (digits.length < 9 || digits.length > 13) return undefined;
  return regions.some((region) => parsePhoneNumberFromString(digits, region)?.isValid()) ? 'phone' : undefined;
}
