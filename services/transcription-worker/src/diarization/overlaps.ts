import type { Turn } from '@overtone/contracts';
import { frameSeconds, speechThreshold } from '../audio/speech-regions.ts';
import { bandCount, eachFrame, writeCepstrum } from './band-powers.ts';
import { mergeTurns } from './turns.ts';
import { addFrames, cepstrumSize, emptyVoice, likelihoodOf, voiceOf } from './voice.ts';

/** Fewer frames do not tell two voices from one; in more, a short overlap is lost. */
const windowSeconds = 0.8;
/** A window with a smaller share of voiced frames is mostly a pause. */
const minVoiced = 0.6;
/**
 * How much likelier two voices at once must be than one after the other, as log-likelihood per frame. Measured: 1 marks
 * some speech without overlap, and at 2 most overlaps are missed.
 */
const minGain = 1.25;
/** A speaker with fewer voiced frames has no model: one second, in recordings of more than 30 minutes more (`step`). */
const minFrames = 50;
/** Frames of each speaker, evenly over the recording, from which pairs are made. */
const framesOfSpeaker = 1500;
const framesOfPair = 3000;
/** Windows that are scored at a time, so that memory does not grow with the recording. */
const windowsAtOnce = 3000;

export type OverlapRequest = {
  wavPath: string;
  seconds: number;
  /** Levels of every 20 ms in decibels, see `frameLevels`. */
  levels: Float32Array;
  /** In order, without overlap. */
  turns: readonly Turn[];
  /** Frames of 20 ms from one analysed frame to the next. */
  step: number;
  onProgress: (share: number) => void;
};

type Likelihood = ReturnType<typeof likelihoodOf>;
type Frames = {
  /** Spectral envelopes, `cepstrumSize` per frame. */
  table: Float32Array;
  voiced: Uint8Array;
  /** The speaker whose turn contains the frame; -1: none. */
  speakers: Int32Array;
  count: number;
};
type Models = { voices: Likelihood[]; pairs: { speakers: [number, number]; likelihood: Likelihood }[] };

/**
 * Adds turns where two speakers of the recording speak at once: a window is an overlap if a model of two added voices is
 * likelier than the voices one after the other. Meant for recordings without noise. @returns turns in order of their starts.
 */
export async function addOverlaps(request: OverlapRequest): Promise<Turn[]> {
  const speakers = [...new Set(request.turns.map(({ speaker }) => speaker))];
  if (speakers.length < 2) return [...request.turns];
  const { frames, samples } = await readFrames(request);
  const overlaps = findOverlaps(frames, modelsOf(frames, samples), request.step);
  return overlaps.length === 0 ? [...request.turns] : mergeTurns([...request.turns, ...overlaps]);
}

async function readFrames({ wavPath, seconds, levels, turns, step, onProgress }: OverlapRequest) {
  const most = Math.ceil(seconds / frameSeconds / step) + 1;
  const threshold = speechThreshold(levels);
  const frames: Frames = {
    table: new Float32Array(most * cepstrumSize),
    voiced: new Uint8Array(most),
    speakers: new Int32Array(most).fill(-1),
    count: 0,
  };
  const frameAt = (time: number): number => Math.round(time / frameSeconds / step);
  const lengths = new Map<number, number>();
  for (const { start, end, speaker } of turns) {
    frames.speakers.fill(speaker, frameAt(start), frameAt(end));
    lengths.set(speaker, (lengths.get(speaker) ?? 0) + frameAt(end) - frameAt(start));
  }
  /** Band powers of single frames of each speaker. */
  const samples = new Map([...lengths.keys()].map((speaker) => [speaker, [] as Float64Array[]]));
  const voicedOf = new Map<number, number>();
  await eachFrame({ wavPath, seconds, step, onProgress }, (frame, powers) => {
    if (frames.count >= most) return;
    const row = frames.count++;
    writeCepstrum(powers, frames.table, row);
    // A frame covers two levels.
    if (Math.max(levels[frame] ?? -100, levels[frame + 1] ?? -100) <= threshold) return;
    frames.voiced[row] = 1;
    const speaker = frames.speakers[row] ?? -1;
    const before = voicedOf.get(speaker) ?? 0;
    voicedOf.set(speaker, before + 1);
    const every = Math.ceil((lengths.get(speaker) ?? 0) / framesOfSpeaker);
    if (before % every === 0) samples.get(speaker)?.push(Float64Array.from(powers));
  });
  return { frames, samples };
}

function modelsOf({ table, voiced, speakers, count }: Frames, samples: ReadonlyMap<number, Float64Array[]>): Models {
  const voices = new Map([...samples.keys()].map((speaker) => [speaker, emptyVoice()]));
  for (let frame = 0; frame < count; frame++) {
    const voice = voices.get(speakers[frame] ?? -1);
    if (voiced[frame] && voice) addFrames(voice, table, frame, frame + 1);
  }
  const known = [...voices].filter(([, { frames }]) => frames >= minFrames);
  return {
    voices: known.map(([, voice]) => likelihoodOf(voice)),
    pairs: known.flatMap(([one], i) =>
      known.slice(0, i).map(([other]) => ({
        speakers: [one, other] as [number, number],
        likelihood: likelihoodOfPair(samples.get(one) ?? [], samples.get(other) ?? []),
      })),
    ),
  };
}

/** The powers of sounds that do not depend on each other add up, so that any frame of one voice can meet any of the other. */
function likelihoodOfPair(one: readonly Float64Array[], other: readonly Float64Array[]): Likelihood {
  const table = new Float32Array(framesOfPair * cepstrumSize);
  const sum = new Float64Array(bandCount);
  for (let row = 0; row < framesOfPair; row++) {
    const first = one[row % one.length];
    // The shift after each round avoids the same pairs again.
    const second = other[(row + Math.floor(row / one.length)) % other.length];
    for (let band = 0; band < bandCount; band++) sum[band] = (first?.[band] ?? 0) + (second?.[band] ?? 0);
    writeCepstrum(sum, table, row);
  }
  return likelihoodOf(voiceOf(table, 0, framesOfPair));
}

function findOverlaps(frames: Frames, models: Models, step: number): Turn[] {
  const width = Math.round(windowSeconds / frameSeconds / step);
  const overlaps: Turn[] = [];
  for (let from = 0; from + width <= frames.count; from += windowsAtOnce) {
    const to = Math.min(frames.count, from + windowsAtOnce + width - 1);
    const scores = scoresOf(frames, models, from, to);
    for (let first = from; first + width <= to; first++) {
      const speaker = frames.speakers[first + (width >> 1)] ?? -1;
      const pair = pairIn(scores, { from: first - from, to: first - from + width, speaker });
      const [start, end] = [first * step * frameSeconds, (first + width) * step * frameSeconds];
      for (const each of pair ?? []) overlaps.push({ start, end, speaker: each });
    }
  }
  return overlaps;
}

/** Running sums of the log-likelihoods of voiced frames, for `sumIn`. */
type Scores = {
  voiced: Float64Array;
  voices: Float64Array[];
  pairs: { speakers: [number, number]; sums: Float64Array }[];
};

function scoresOf({ table, voiced }: Frames, { voices, pairs }: Models, from: number, to: number): Scores {
  const sumsOf = (likelihood: Likelihood): Float64Array =>
    runningSums(from, to, (frame) => (voiced[frame] ? likelihood(table, frame) : 0));
  return {
    voiced: runningSums(from, to, (frame) => voiced[frame] ?? 0),
    voices: voices.map(sumsOf),
    pairs: pairs.map(({ speakers, likelihood }) => ({ speakers, sums: sumsOf(likelihood) })),
  };
}

/** The likeliest pair of the speaker and another one, if they are likelier than one voice at a time by `minGain`. */
function pairIn(
  { voiced, voices, pairs }: Scores,
  { from, to, speaker }: { from: number; to: number; speaker: number },
): [number, number] | undefined {
  const count = sumIn(voiced, from, to);
  if (count < minVoiced * (to - from)) return undefined;
  let least = likeliestAlone(voices, from, to) + minGain * count;
  let likeliest: [number, number] | undefined;
  for (const { speakers, sums } of pairs) {
    const sum = sumIn(sums, from, to);
    if (sum < least || !speakers.includes(speaker)) continue;
    least = sum;
    likeliest = speakers;
  }
  return likeliest;
}

/** The log-likelihood of one voice, or of one voice and then another, whichever is largest. */
function likeliestAlone(sums: readonly Float64Array[], from: number, to: number): number {
  let largest = -Infinity;
  for (let change = from; change < to; change++) {
    let [before, after] = [-Infinity, -Infinity];
    for (const sum of sums) {
      before = Math.max(before, sumIn(sum, from, change));
      after = Math.max(after, sumIn(sum, change, to));
    }
    largest = Math.max(largest, before + after);
  }
  return largest;
}

function runningSums(from: number, to: number, valueOf: (frame: number) => number): Float64Array {
  const sums = new Float64Array(to - from + 1);
  for (let frame = from; frame < to; frame++) sums[frame - from + 1] = (sums[frame - from] ?? 0) + valueOf(frame);
  return sums;
}

function sumIn(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[from] ?? 0);
}
