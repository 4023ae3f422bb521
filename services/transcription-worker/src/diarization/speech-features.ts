import { frameSeconds, levelRange, speechRegions, type TimeSpan } from '../audio/speech-regions.ts';
import { bandCount, eachFrame, writeCepstrum } from './band-powers.ts';
import { cepstrumSize } from './voice.ts';

/** Share of the speech that is left out: reverberation and noise dominate its quieter frames. */
const quieterShare = 0.3;
/** Frames from which the noise of each band is estimated. */
const noiseFrames = 4000;
/** The level of a band that is below this share of the time is its noise. */
const noiseShare = 0.1;

/**
 * Speech that is less than this above the quiet moments (decibels) is noisy. Measured: 30 to 88 in quiet and in rooms
 * without noise, 12 to 27 with noise.
 */
const clearRange = 28;

/** Spectral envelopes of the louder frames of speech, `cepstrumSize` per row, with the time of each. */
export type Features = { table: Float32Array; times: Float64Array; count: number; perSecond: number };
export type SpeechRequest = {
  wavPath: string;
  seconds: number;
  /** Levels of every 20 ms in decibels, see `frameLevels`. */
  levels: Float32Array;
  /** Frames of 20 ms from one analysed frame to the next. */
  step: number;
  onProgress: (share: number) => void;
};
export type Speech = { features: Features; regions: TimeSpan[]; isClear: boolean };

/**
 * The stretches of speech, and the features of their louder frames. In noise, speech is what stands out from the noise of
 * its own band. The recording is read twice, half a minute at a time: for the noise, then for the frames.
 */
export async function readSpeech({ wavPath, seconds, levels, step, onProgress }: SpeechRequest): Promise<Speech> {
  const every = Math.max(step, Math.ceil(seconds / frameSeconds / noiseFrames));
  const sampledBands: Float64Array[] = [];
  await eachFrame({ wavPath, seconds, step: every }, (_, powers) => void sampledBands.push(Float64Array.from(powers)));
  const noise = Float64Array.from({ length: bandCount }, (_, band) => noiseOf(sampledBands, band));
  const most = Math.ceil(seconds / frameSeconds / step) + 1;
  const [table, aboveNoise] = [new Float32Array(most * cepstrumSize), new Float32Array(most * step)];
  let count = 0;
  await eachFrame({ wavPath, seconds, step, onProgress }, (frame, powers) => {
    if (count >= most) return;
    writeCepstrum(powers, table, count++);
    aboveNoise.fill(levelAboveNoise(noise, powers), frame, frame + step);
  });
  const levelsAboveNoise = aboveNoise.subarray(0, count * step);
  const isClear = levelRange(levels) >= clearRange;
  const regions = isClear
    ? speechRegions(levels, { minGap: 0.25, pad: 0.05 })
    : speechRegions(levelsAboveNoise, { minGap: 0.25, pad: 0.02 });
  return { features: keepLoudest({ table, levelsAboveNoise, count, step }, regions), regions, isClear };
}

function noiseOf(frames: readonly Float64Array[], band: number): number {
  const sorted = Float64Array.from(frames, (powers) => powers[band] ?? 0).sort();
  return (sorted[Math.floor(sorted.length * noiseShare)] ?? 0) + 1e-9;
}

/** Mean over the bands of how far each is above its noise, on the scale of decibels that `speechRegions` expects. */
function levelAboveNoise(noise: Float64Array, powers: Float64Array): number {
  let sum = 0;
  for (const [band, floor] of noise.entries()) sum += Math.log10(1 + Math.max(0, (powers[band] ?? 0) - floor) / floor);
  return (10 * sum) / bandCount - 50;
}

type Analysed = { table: Float32Array; levelsAboveNoise: Float32Array; count: number; step: number };

/** Moves the loudest frames of the regions to the beginning of the table. */
function keepLoudest({ table, levelsAboveNoise, count, step }: Analysed, regions: readonly TimeSpan[]): Features {
  const spoken = regions.flatMap(({ start, end }) => {
    const [from, to] = [Math.ceil(start / frameSeconds / step), Math.ceil(end / frameSeconds / step)];
    return Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, i) => from + i);
  });
  const sorted = Float32Array.from(spoken, (row) => levelsAboveNoise[row * step] ?? 0).sort();
  const least = sorted[Math.floor(sorted.length * quieterShare)] ?? 0;
  const kept = spoken.filter((row) => (levelsAboveNoise[row * step] ?? 0) >= least);
  for (const [to, from] of kept.entries())
    table.copyWithin(to * cepstrumSize, from * cepstrumSize, (from + 1) * cepstrumSize);
  return {
    table,
    times: Float64Array.from(kept, (row) => row * step * frameSeconds),
    count: kept.length,
    perSecond: 1 / (step * frameSeconds),
  };
}
