import { cardinalAt } from './cardinals.ts';
import type { DigitRun } from './digit-runs.ts';
import type { Token } from './tokens.ts';

/** The words of one text, for the rules of addresses. */
export type AddressText = {
  text: string;
  tokens: readonly Token[];
  runs: readonly DigitRun[];
  /** By the index of the first token. */
  runsByFirst: ReadonlyMap<number, DigitRun>;
  /** A primary language code. */
  language: string;
};
/** Indexes of tokens; `next` is the one after the number. */
export type HouseNumber = { first: number; next: number; isSpoken: boolean };

const announcements = new Set('number no nr nummer numéro no. n° nº n.º número num núm'.split(' '));
/** "221B", "5-7", "8/2". */
const written = /^\d{1,4}[a-z]?(?:[-–/]\d{1,4}[a-z]?)?$/iu;
const additions = new Set(['bis', 'ter', 'quater']);
/** Words of people who say where they live. */
const cues = new Set(
  (
    'live lives lived living reside resides address house home apartment moved move deliver delivery parcel send ship office flat ' +
    'wohne wohnt wohnen wohnte wohnhaft lebe lebt leben adresse anschrift haus büro praxis zog zieht gezogen umgezogen paket treffpunkt ' +
    "j'habite habite habitez habitons vis vit vivons réside adresse domicile bureau boutique livrez envoyez " +
    'vivo vive viven vivimos resido reside dirección domicilio oficina tienda trabaja trabajo mándalo envíalo'
  ).split(' '),
);
const farthestCue = 8;

/** Whether the speaker says before the token that a place is meant. */
export function hasAddressCue({ tokens }: AddressText, at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - farthestCue); before -= 1) {
    const token = tokens[before];
    if (token?.endsPassage || (token?.endsSentence && token.text.length > 3)) return false;
    if (token && cues.has(token.word)) return true;
  }
  return false;
}

/** A house number that begins at the token, written or spoken, with what announces it and with its letter. */
export function houseNumberAt(words: AddressText, from: number): HouseNumber | undefined {
  const { tokens, language, runsByFirst } = words;
  const at = announcements.has(tokens[from]?.word ?? '') ? from + 1 : from;
  const token = tokens[at];
  if (!token) return undefined;
  if (written.test(token.text)) {
    const isBare = /^\d+$/.test(token.text) && !token.endsSentence;
    return { first: from, next: isBare ? afterLetter(words, at + 1) : at + 1, isSpoken: false };
  }
  const spoken = cardinalAt(tokens, at, language);
  const run = runsByFirst.get(at);
  const next = spoken?.next ?? (run && run.digits.length <= 4 ? run.last + 1 : undefined);
  return next === undefined ? undefined : { first: from, next: afterLetter(words, next), isSpoken: true };
}

/** "8 b", "12 bis". "a" can be a word as well. */
function afterLetter(words: AddressText, at: number): number {
  const { word = '', text = '' } = words.tokens[at] ?? {};
  if (additions.has(word) || /^[b-h]$/.test(word)) return at + 1;
  return (word === 'a' && hasAddressCue(words, at)) || (text === 'A' && words.language !== 'en') ? at + 1 : at;
}
