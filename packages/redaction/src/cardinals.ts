import { foldWord, numberPhrases, phraseAt } from './number-phrases.ts';
import type { Token } from './tokens.ts';

/** `next`: the token after the number. */
export type Cardinal = { value: number; next: number };

const germanBelowHundred = numberPhrases('de') ?? new Map<string, number>();
const multipliers: Readonly<Record<string, number>> = { cent: 100, cents: 100, mille: 1000, mil: 1000 };
const hundreds: Readonly<Record<string, number>> = {
  cien: 100,
  ciento: 100,
  doscientos: 200,
  trescientos: 300,
  cuatrocientos: 400,
  quinientos: 500,
  seiscientos: 600,
  setecientos: 700,
  ochocientos: 800,
  novecientos: 900,
};
const mostParts = 8;

/** A whole number below a million in German, French or Spanish words, e.g. a house number or a year. */
export function cardinalAt(tokens: readonly Token[], at: number, language: string): Cardinal | undefined {
  if (language === 'de') {
    const value = germanValue(foldWord(tokens[at]?.word ?? ''));
    return value === undefined ? undefined : { value, next: at + 1 };
  }
  return language === 'fr' || language === 'es' ? romanceAt(tokens, at, language) : undefined;
}

/** "zweitausendeins", "neunzehnhundertachtundsiebzig", "hundertzwölf" without accents. */
function germanValue(word: string): number | undefined {
  const [left, right] = dividedAt(word, 'tausend');
  if (right === undefined) return belowThousand(left);
  const [thousands, rest] = [left === '' ? 1 : belowThousand(left), right === '' ? 0 : belowThousand(right)];
  return thousands === undefined || rest === undefined ? undefined : thousands * 1000 + rest;
}

function belowThousand(word: string): number | undefined {
  const [left, right] = dividedAt(word, 'hundert');
  if (right === undefined) return left === 'ein' ? 1 : germanBelowHundred.get(left);
  const count = left === '' || left === 'ein' ? 1 : germanBelowHundred.get(left);
  const rest = right === '' ? 0 : germanBelowHundred.get(right);
  return count === undefined || rest === undefined ? undefined : count * 100 + rest;
}

function dividedAt(word: string, unit: string): [left: string, right: string | undefined] {
  const at = word.indexOf(unit);
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + unit.length).replace(/^und/, '')];
}

/** "mille neuf cent soixante-dix-huit", "mil novecientos setenta y ocho". */
function romanceAt(tokens: readonly Token[], at: number, language: string): Cardinal | undefined {
  const table = numberPhrases(language) ?? new Map<string, number>();
  let thousands = 0;
  let rest: number | undefined;
  let next = at;
  for (let part = 0; part < mostParts && next < tokens.length; part += 1) {
    const word = foldWord(tokens[next]?.word ?? '');
    const multiplier = multipliers[word];
    const phrase = phraseAt(tokens, next, table);
    if (multiplier === 1000) {
      if (thousands > 0) break;
      thousands = (rest ?? 1) * 1000;
      rest = undefined;
    } else if (multiplier !== undefined) rest = (rest ?? 1) * multiplier;
    else if (hundreds[word] !== undefined && rest === undefined) rest = hundreds[word];
    else if (phrase && (rest === undefined || (rest > 0 && rest % 100 === 0 && phrase.value < 100)))
      rest = (rest ?? 0) + phrase.value;
    else break;
    next = multiplier === undefined && phrase ? phrase.next : next + 1;
    if (tokens[next - 1]?.endsSentence) break;
  }
  return next === at ? undefined : { value: thousands + (rest ?? 0), next };
}

const irregularOrdinals: Readonly<Record<number, readonly string[]>> = {
  1: ['erst'],
  3: ['dritt'],
  7: ['siebt', 'siebent'],
  8: ['acht'],
};

/** German ordinals of days and months, in all their forms, without accents. */
export const germanOrdinals: ReadonlySet<string> = new Set(
  [...germanBelowHundred]
    .filter(([, value]) => value >= 1 && value <= 31)
    .flatMap(([word, value]) => irregularOrdinals[value] ?? [`${word}${value < 20 ? 't' : 'st'}`])
    .flatMap((stem) => ['e', 'en', 'er', 'es', 'em'].map((ending) => stem + ending)),
);
