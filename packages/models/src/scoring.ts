import { countedWords } from '@overtone/contracts/unspaced';

/** Words of a text without case and punctuation, as both sides of a comparison are written. */
export function normaliseWords(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/<[^<>]*>|\[[^[\]]*\]|\([^()]*\)/g, ' ')
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{M}\p{N}' ]+/gu, ' ')
    .split(/\s+/)
    .flatMap((word) => countedWords(word.replaceAll(/^'+|(?<!')'+$/g, '')));
}

/** Words and errors (wrong, missing and added words) of one reference utterance. */
export type UtteranceErrors = { readonly words: number; readonly errors: number };

/**
 * Aligns a recognised text with the utterances of its recording as a whole, and counts the errors of each. Added words
 * count for the utterance before them.
 */
export function countErrors(utterances: readonly string[], recognised: string): UtteranceErrors[] {
  const reference = utterances.flatMap((text, index) => normaliseWords(text).map((word) => ({ word, index })));
  const found = normaliseWords(recognised);
  const width = found.length + 1;
  // 0: both go on, 1: a reference word is missing, 2: a word was added.
  const steps = new Uint8Array((reference.length + 1) * width).fill(2, 1, width);
  let above = Uint32Array.from({ length: width }, (_, column) => column);
  for (const [row, { word }] of reference.entries()) {
    const costs = new Uint32Array(width);
    costs[0] = row + 1;
    steps[(row + 1) * width] = 1;
    for (let column = 1; column < width; column++) {
      const both = above[column - 1]! + (found[column - 1] === word ? 0 : 1);
      const missing = above[column]! + 1;
      const added = costs[column - 1]! + 1;
      const least = Math.min(both, missing, added);
      costs[column] = least;
      steps[(row + 1) * width + column] = least === both ? 0 : least === missing ? 1 : 2;
    }
    above = costs;
  }
  const counts = utterances.map((text) => ({ words: normaliseWords(text).length, errors: 0 }));
  let [row, column] = [reference.length, found.length];
  while (row > 0 || column > 0) {
    const step = steps[row * width + column];
    const { word, index } = reference[Math.max(0, row - 1)] ?? { word: '', index: 0 };
    const count = counts[index];
    if (count && !(step === 0 && found[column - 1] === word)) count.errors += 1;
    if (step !== 2) row -= 1;
    if (step !== 1) column -= 1;
  }
  return counts;
}

export type Interval = { readonly value: number; readonly low: number; readonly high: number };

/** Word error rate with a 95 % confidence interval: percentiles of 2,000 sets of utterances, drawn with replacement. */
export function wordErrorRate(utterances: readonly UtteranceErrors[]): Interval | null {
  const rateOf = (drawn: readonly UtteranceErrors[]): number =>
    drawn.reduce((sum, { errors }) => sum + errors, 0) /
    Math.max(
      1,
      drawn.reduce((sum, { words }) => sum + words, 0),
    );
  if (!utterances.some(({ words }) => words > 0)) return null;
  const random = createRandom(20_261);
  const draw = () => utterances.map(() => utterances[Math.floor(random() * utterances.length)]!);
  const rates = Array.from({ length: 2_000 }, () => rateOf(draw())).sort((x, y) => x - y);
  return { value: rateOf(utterances), low: rates[50]!, high: rates[1949]! };
}

/** The same numbers for the same set, so that a repeated evaluation differs only by the model (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type SpeakerTurn = { readonly start: number; readonly end: number; readonly speaker: string };
/** Seconds of speech in the reference, and seconds that were missed, added or given to another speaker. */
export type DiarizationErrors = { readonly speech: number; readonly errors: number };

const frameSeconds = 0.01;

/**
 * Compares speaker turns in frames of 10 ms, with overlapping speech, under the best assignment of speakers. Frames
 * within `collar` seconds of a boundary of the reference are not counted (as md-eval of NIST does).
 */
export function countDiarizationErrors(
  reference: readonly SpeakerTurn[],
  found: readonly SpeakerTurn[],
  collar: number,
): DiarizationErrors {
  const length = Math.ceil(Math.max(0, ...[...reference, ...found].map(({ end }) => end)) / frameSeconds);
  const counted = countedFrames(reference, length, collar);
  const [wanted, given] = [speakerFrames(reference, length), speakerFrames(found, length)];
  const overlap = wanted.map((one) => given.map((other) => countCommon(one, other, counted)));
  const [speakers, others] = [countAll(wanted, counted), countAll(given, counted)];
  const matched = bestAssignment(overlap);
  let [speech, most] = [0, 0];
  for (let frame = 0; frame < length; frame++) {
    speech += speakers[frame]!;
    most += Math.max(speakers[frame]!, others[frame]!);
  }
  return { speech: speech * frameSeconds, errors: (most - matched) * frameSeconds };
}

function countedFrames(reference: readonly SpeakerTurn[], length: number, collar: number): Uint8Array {
  const counted = new Uint8Array(length).fill(1);
  for (const boundary of reference.flatMap(({ start, end }) => [start, end]))
    counted.fill(0, Math.max(0, frameAt(boundary - collar)), Math.max(0, frameAt(boundary + collar)));
  return counted;
}

function frameAt(seconds: number): number {
  return Math.round(seconds / frameSeconds);
}

function speakerFrames(turns: readonly SpeakerTurn[], length: number): Uint8Array[] {
  const frames = new Map<string, Uint8Array>();
  for (const { speaker, start, end } of turns) {
    const own = frames.get(speaker) ?? new Uint8Array(length);
    frames.set(speaker, own.fill(1, frameAt(start), frameAt(end)));
  }
  return [...frames.values()];
}

function countCommon(one: Uint8Array, other: Uint8Array, counted: Uint8Array): number {
  return counted.reduce((sum, isCounted, frame) => sum + (isCounted & one[frame]! & other[frame]!), 0);
}

/** Speakers of every counted frame. */
function countAll(speakers: readonly Uint8Array[], counted: Uint8Array): Uint8Array {
  return counted.map((isCounted, frame) => isCounted * speakers.reduce((sum, own) => sum + own[frame]!, 0));
}

/** The largest sum with at most one value of each row and column: all subsets of up to 12 columns, by row. */
export function bestAssignment(values: readonly (readonly number[])[]): number {
  const width = Math.max(0, ...values.map((row) => row.length));
  // More speakers than that are mostly fragments: the ones with the least in common are left out.
  const weight = (column: number) => Math.max(...values.map((row) => row[column] ?? 0));
  const kept = Array.from({ length: width }, (_, column) => column)
    .sort((x, y) => weight(y) - weight(x))
    .slice(0, 12);
  let best = new Float64Array(1 << kept.length);
  for (const row of values) {
    const next = Float64Array.from(best);
    for (let used = 0; used < best.length; used++)
      for (const [bit, column] of kept.entries()) {
        const then = used | (1 << bit);
        if (then !== used) next[then] = Math.max(next[then]!, best[used]! + row[column]!);
      }
    best = next;
  }
  return Math.max(0, ...best);
}
