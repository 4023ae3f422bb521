import { digitRuns, type DigitRun, type NumberWords } from './digit-runs.ts';
import type { Span } from './spans.ts';
import type { Token } from './tokens.ts';

const suffixes = new Set(
  'street st avenue ave road rd lane ln drive dr boulevard blvd court ct place pl square terrace highway hwy parkway pkwy crescent circle close mews row way alley broadway'.split(
    ' ',
  ),
);
/** "a long way", "the close": words that are a street only after a name. */
const notNames = new Set(
  'the a an this that long same other one right wrong of in to and or by my your his her our their every first last next more of times is was were are people years minutes hours days miles percent dollars euros pounds'.split(
    ' ',
  ),
);
const units = new Set(['apartment', 'apt', 'unit', 'suite', 'flat', 'floor', 'room', 'building']);
const street = /^\p{L}{3,}(straße|strasse|str|weg|platz|allee|gasse|ring|damm|ufer)\.?$/u;
const ukPostcode =
  /\b(GIR ?0AA|[A-PR-UWYZ]([0-9]{1,2}|[A-HK-Y][0-9]([0-9]|[ABEHMNPRV-Y])?|[0-9][A-HJKPS-UW]) ?[0-9][ABD-HJLNP-UW-Z]{2})\b/g;
const poBox = /\bP\.?\s?O\.?\s?Box\s+\d+/giu;

/** Streets with a number, post boxes and postcodes, written or spoken. */
export function findAddresses(text: string, tokens: readonly Token[], words: NumberWords): Span[] {
  const fixed = [...text.matchAll(ukPostcode), ...text.matchAll(poBox)].map(({ 0: found, index }) => ({
    kind: 'address' as const,
    start: index,
    end: index + found.length,
  }));
  const runs = digitRuns(tokens, words);
  const streets = runs.flatMap((run) => [...numberFirst(tokens, run), ...numberLast(tokens, run)]);
  return [...fixed, ...streets, ...runs.flatMap((run) => postcode(tokens, run))];
}

/** "221 Baker Street", "twelve forty five elm street apartment four, Springfield". */
function numberFirst(tokens: readonly Token[], run: DigitRun): Span[] {
  if (run.digits.length > 6) return [];
  for (let at = run.last + 1; at <= Math.min(tokens.length - 1, run.last + 5); at += 1) {
    const { word, endsSentence } = tokens[at] as Token;
    if (suffixes.has(word.replace(/\.$/, '')) && at > run.last + 1)
      return [spanOf(tokens, run.first, extend(tokens, at))];
    if (notNames.has(word) || (endsSentence && word !== 'st' && word !== 'n' && word.length > 2)) return [];
  }
  return [];
}

/** "Hauptstraße 12", "Am Markt 5" only with a street's ending. */
function numberLast(tokens: readonly Token[], run: DigitRun): Span[] {
  const before = tokens[run.first - 1];
  if (!before || run.digits.length > 4 || before.endsSentence) return [];
  if (street.test(before.word)) return [spanOf(tokens, run.first - 1, extend(tokens, run.last))];
  return /^(straße|strasse|weg|platz|allee|gasse)$/.test(before.word) && run.first >= 2
    ? [spanOf(tokens, run.first - 2, extend(tokens, run.last))]
    : [];
}

/** Includes the unit, the town and the postcode that follow. */
function extend(tokens: readonly Token[], from: number): number {
  let last = from;
  for (let at = from + 1; at < Math.min(tokens.length, from + 8); at += 1) {
    if (tokens[at - 1]?.endsPassage) break;
    if (tokens[at - 1]?.endsSentence && !/^(st|ave|rd|blvd|dr)$/.test(tokens[at - 1]?.word ?? '')) break;
    const { word, text } = tokens[at] as Token;
    if (units.has(word) && at + 1 < tokens.length) {
      last = at + 1;
      at += 1;
    } else if (/^\d{5}(-\d{4})?$/.test(text) || /^\p{Lu}[\p{L}'-]+$/u.test(text) || /^[A-Z]{2}$/.test(text)) last = at;
    else if (word !== 'in') break;
  }
  return last;
}

function postcode(tokens: readonly Token[], run: DigitRun): Span[] {
  if (run.digits.length !== 5 && run.digits.length !== 9) return [];
  const before = tokens.slice(Math.max(0, run.first - 5), run.first).map(({ word }) => word);
  const cued = before.some((word) => ['zip', 'zipcode', 'postcode', 'postal', 'postleitzahl', 'plz'].includes(word));
  return cued ? [spanOf(tokens, run.first, run.last)] : [];
}

function spanOf(tokens: readonly Token[], first: number, last: number): Span {
  return { kind: 'address', start: (tokens[first] as Token).start, end: (tokens[last] as Token).end };
}
