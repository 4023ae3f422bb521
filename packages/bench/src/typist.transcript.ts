import type { SpokenTurn } from '@overtone/testkit/recordings';
import { randomFrom, type Random } from '@overtone/testkit/seed';

export type SpokenWord = { readonly word: string; readonly start: number; readonly end: number };
export type Passage = {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
  readonly words: readonly SpokenWord[];
};

/** Two passages that are one are `merge`, one that is two is `split`: what a typist has to do. */
const kinds = { word: 24, speaker: 9, merge: 9, split: 9, late: 9 } as const;
export type Kind = keyof typeof kinds;
/** `at`: the index of the right passage. `word`: the one that is wrong, or the first one after the right border. `late`: seconds. */
export type PlantedError = {
  readonly kind: Kind;
  readonly at: number;
  readonly word: number;
  readonly late: number;
};

/** Passages of at most this many words; a longer turn becomes two. */
const longest = 12;
const wrongWords = ['garden', 'seldom', 'harbour', 'twenty', 'letters', 'window', 'carriage', 'nothing'];

/** The right text. The words of a turn share its time by their length. */
export function passagesOf(turns: readonly SpokenTurn[]): Passage[] {
  return turns.flatMap(({ voice, start, end, text }) => {
    const words = text.split(' ');
    const letters = words.reduce((sum, { length }) => sum + length + 1, 0);
    let said = 0;
    const spoken = words.map((word): SpokenWord => {
      const from = start + ((end - start) * said) / letters;
      said += word.length + 1;
      return { word, start: milliseconds(from), end: milliseconds(start + ((end - start) * (said - 1)) / letters) };
    });
    const half = Math.ceil(spoken.length / 2);
    const parts = spoken.length > longest ? [spoken.slice(0, half), spoken.slice(half)] : [spoken];
    return parts.map((part) => passageOf(voice, part));
  });
}

/** The text that a typist gets, and its errors in their order. */
export function plantErrors(right: readonly Passage[]): { given: Passage[]; errors: PlantedError[] } {
  const random = randomFrom(29);
  const left = Object.entries(kinds).flatMap(([kind, count]) => Array.from({ length: count }, () => kind as Kind));
  const total = left.length;
  const given: Passage[] = [];
  const errors: PlantedError[] = [];
  let copied = 0;
  const copyUntil = (at: number): void => {
    given.push(...right.slice(copied, at));
    copied = at;
  };
  for (let slot = 0; slot < total; slot += 1) {
    const from = Math.floor((slot * (right.length - 4)) / total) + 1;
    const to = Math.floor(((slot + 1) * (right.length - 4)) / total) - 1;
    const chosen = chooseError(right, { left, first: random(left.length), from: Math.max(from, copied + 1), to });
    left.splice(left.indexOf(chosen.kind), 1);
    copyUntil(chosen.at);
    const { passages, word = 0, late = 0, used } = spoil(right, chosen, random);
    given.push(...passages);
    copied += used;
    errors.push({ ...chosen, word, late });
  }
  copyUntil(right.length);
  return { given, errors };
}

type Choice = Pick<PlantedError, 'kind' | 'at'>;
type Wanted = { readonly left: readonly Kind[]; readonly first: number; readonly from: number; readonly to: number };

/** The first kind that is left, from a random one on, for which there is a place. */
function chooseError(right: readonly Passage[], { left, first, from, to }: Wanted): Choice {
  for (const kind of [...left.slice(first), ...left.slice(0, first)])
    for (let at = from; at <= to; at += 1) if (canBe(kind, right, at)) return { kind, at };
  throw new Error(`no place for an error between the passages ${from} and ${to}`);
}

function canBe(kind: Kind, right: readonly Passage[], at: number): boolean {
  const [passage, next] = [right[at], right[at + 1]];
  if (!passage || !next) return false;
  if (kind === 'word') return passage.words.length >= 4;
  if (kind === 'speaker') return passage.speaker !== next.speaker;
  if (kind === 'merge') return passage.words.length >= 8;
  if (kind === 'split') return passage.speaker === next.speaker;
  return passage.end - passage.start >= 2.5;
}

/** What stands in the place of `used` right passages. */
type Spoiled = {
  readonly passages: readonly Passage[];
  readonly used: number;
  readonly word?: number;
  readonly late?: number;
};

function spoil(right: readonly Passage[], { kind, at }: Choice, random: Random): Spoiled {
  const passage = right[at] as Passage;
  const { speaker, words, start, end } = passage;
  if (kind === 'word') {
    const word = 1 + random(words.length - 2);
    const wrong = wrongWords[random(wrongWords.length)] as string;
    const spoiled = words.map((one, i) => (i === word ? { ...one, word: wrong } : one));
    return { passages: [{ ...passage, words: spoiled }], word, used: 1 };
  }
  if (kind === 'merge') {
    const word = 3 + random(words.length - 6);
    return {
      passages: [passageOf(speaker, words.slice(0, word)), passageOf(speaker, words.slice(word))],
      word,
      used: 1,
    };
  }
  if (kind === 'late') {
    // Tenths of a second, so that the keys of a typist can reach the right time.
    const late = (10 + random(Math.floor((end - start - 1.4) * 10))) / 10;
    const from = milliseconds(start + late);
    const moved = words.map((one) => ({ ...one, start: Math.max(one.start, from), end: Math.max(one.end, from) }));
    return { passages: [{ ...passage, start: from, words: moved }], late, used: 1 };
  }
  const next = right[at + 1] as Passage;
  return { passages: [passageOf(speaker, [...words, ...next.words])], word: words.length, used: 2 };
}

function passageOf(speaker: string, words: readonly SpokenWord[]): Passage {
  return { speaker, words, start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 };
}

export function textOf({ words }: Pick<Passage, 'words'>): string {
  return words.map(({ word }) => word).join(' ');
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
