import { digitRuns, type DigitRun, type NumberWords } from './digit-runs.ts';
import { hasAddressCue, houseNumberAt, type AddressText } from './house-numbers.ts';
import type { Span } from './spans.ts';
import { frenchStreetAt, germanStreetAt, spanishStreetAt } from './streets.ts';
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
const abbreviated = /^(st|ave|rd|blvd|dr|str)$/;
/** "3º", which is "3o" in the usual form of signs. */
const floor = /^\d{1,2}[oa°]$/;
const ukPostcode =
  /\b(GIR ?0AA|[A-PR-UWYZ]([0-9]{1,2}|[A-HK-Y][0-9]([0-9]|[ABEHMNPRV-Y])?|[0-9][A-HJKPS-UW]) ?[0-9][ABD-HJLNP-UW-Z]{2})\b/g;
const poBox = /\b(?:P\.?\s?O\.?\s?Box|Postfach|Apartado de correos)\s+\d+(?: \d{2,3}){0,3}/giu;

/** Streets with a number, post boxes and postcodes, written or spoken. */
export function findAddresses(text: string, tokens: readonly Token[], words: NumberWords, language: string): Span[] {
  const fixed = [...text.matchAll(ukPostcode), ...text.matchAll(poBox)].map(({ 0: found, index }) => ({
    kind: 'address' as const,
    start: index,
    end: index + found.length,
  }));
  const runs = digitRuns(tokens, words);
  const all: AddressText = { text, tokens, runs, language, runsByFirst: new Map(runs.map((run) => [run.first, run])) };
  const streets = tokens.flatMap((_, at) => {
    const street =
      numberFirst(all, at) ?? germanStreetAt(all, at) ?? spanishStreetAt(all, at) ?? frenchStreetAt(all, at);
    return street ? [spanOf(tokens, street.first, extend(all, street.last))] : [];
  });
  return [
    ...fixed,
    ...streets,
    ...tokens.flatMap((_, at) => town(all, at)),
    ...runs.flatMap((run) => postcode(tokens, run)),
  ];
}

/** "221B Baker Street", "twelve forty five elm street apartment four, Springfield". */
function numberFirst(words: AddressText, from: number): { first: number; last: number } | undefined {
  const { tokens, runsByFirst } = words;
  const first = /^(?:number|no)$/.test(tokens[from]?.word ?? '') ? from + 1 : from;
  const run = runsByFirst.get(first);
  if (run && run.digits.length > 6) return undefined;
  const number = houseNumberAt(words, first);
  const end = Math.max(run ? run.last + 1 : 0, number?.next ?? 0);
  if (end === 0) return undefined;
  for (let at = end; at <= Math.min(tokens.length - 1, end + 4); at += 1) {
    const { word, endsSentence } = tokens[at] as Token;
    if (suffixes.has(word.replace(/\.$/, '')) && at > end) return { first: from, last: at };
    if (notNames.has(word) || (endsSentence && word !== 'st' && word !== 'n' && word.length > 2)) return undefined;
  }
  return undefined;
}

/** Includes the unit, the town and the postcode that follow. */
function extend({ text: all, tokens, language }: AddressText, from: number): number {
  let last = from;
  for (let at = from + 1; at < Math.min(tokens.length, from + 8); at += 1) {
    const before = tokens[at - 1] as Token;
    if (before.endsPassage || (before.endsSentence && !abbreviated.test(before.word))) break;
    const { word, text, start } = tokens[at] as Token;
    // In German every noun has a capital: a town follows its postcode or a comma.
    const isTown = language !== 'de' || /^\d{5}$/.test(before.text) || all.slice(before.end, start).includes(',');
    if (units.has(word) && at + 1 < tokens.length) {
      last = at + 1;
      at += 1;
    } else if (isPostcode(text) || (isTown && isTownName(text)) || floor.test(text)) last = at;
    else if (/^\p{Lu}$/u.test(text) && floor.test(before.text)) last = at;
    else if (word !== 'in' && word !== 'à' && word !== 'en') break;
  }
  return last;
}

function isPostcode(text: string): boolean {
  return /^\d{5}(-\d{4})?$/.test(text);
}

function isTownName(text: string): boolean {
  return /^\p{Lu}[\p{L}'-]+$/u.test(text) || /^[A-Z]{2}$/.test(text);
}

/** "69117 Heidelberg" as a place of residence. */
function town(words: AddressText, at: number): Span[] {
  const { tokens } = words;
  const { text = '', endsSentence = true } = tokens[at] ?? {};
  if (!/^\d{5}$/.test(text) || endsSentence || !/^\p{Lu}[\p{L}'-]{2,}$/u.test(tokens[at + 1]?.text ?? '')) return [];
  const isPlace = /^(?:in|à|en)$/.test(tokens[at - 1]?.word ?? '') && hasAddressCue(words, at);
  return isPlace ? [spanOf(tokens, at, at + 1)] : [];
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
