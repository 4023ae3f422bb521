import { createFourier } from '../audio/fourier.ts';
import { frameSeconds, speechRegions, type TimeSpan } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import type { Features } from './features.ts';
import { dims } from './voice.ts';

const frameSamples = 640;
const fourier = createFourier(1024);
const bandCount = 28;
const [lowest, highest] = [100, 7600];
/** Share of the speech that is left out: reverberation and noise dominate its quieter frames. */
const quieterShare = 0.7;
/** Frames from which the noise of each band is estimated. */
const noiseFrames = 4000;
/** The level of a band that is below this share of the time is its noise. */
const noiseShare = 0.1;
const readSeconds = 30;

const window = Float64Array.from(
  { length: frameSamples },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frameSamples),
);
const bands = createBands();
const cosines = Array.from({ length: dims }, (_, row) =>
  Float64Array.from(
    { length: bandCount },
    (_, band) => Math.sqrt(2 / bandCount) * Math.cos((Math.PI * (row + 1) * (band + 0.5)) / bandCount),
  ),
);

export type NoisyRequest = {
  wavPath: string;
  seconds: number;
  /** Frames of 20 ms from one analysed frame to the next. */
  step: number;
  onProgress: (share: number) => void;
};
export type NoisySpeech = { features: Features; regions: TimeSpan[] };

/**
 * Speech that stands out from the noise of its own band, and the spectral envelopes of its loudest frames. The recording
 * is read twice, half a minute at a time: for the noise, then for the frames (52 bytes for each).
 */
export async function readNoisySpeech({ wavPath, seconds, step, onProgress }: NoisyRequest): Promise<NoisySpeech> {
  const every = Math.max(step, Math.ceil(seconds / frameSeconds / noiseFrames));
  const sampledBands: Float64Array[] = [];
  await eachFrame({ wavPath, seconds, step: every }, (_, powers) => void sampledBands.push(Float64Array.from(powers)));
  const noise = Float64Array.from(bands, (_, band) => noiseOf(sampledBands, band));
  const most = Math.ceil(seconds / frameSeconds / step) + 1;
  const [table, levels] = [new Float32Array(most * dims), new Float32Array(most * step)];
  let count = 0;
  await eachFrame({ wavPath, seconds, step }, (frame, powers) => {
    if (count >= most) return;
    writeCepstrum(powers, table, count++);
    levels.fill(levelOver(noise, powers), frame, frame + step);
    onProgress((frame * frameSeconds) / seconds);
  });
  const heights = levels.subarray(0, count * step);
  const regions = speechRegions(heights, { minGap: 0.25, pad: 0.02 });
  return { features: keepLoudest({ table, heights, count, step }, regions), regions };
}

type Frames = { wavPath: string; seconds: number; step: number };

/** Calls `onFrame` with the number of the 20 ms and the power of each band. */
async function eachFrame(
  { wavPath, seconds, step }: Frames,
  onFrame: (frame: number, powers: Float64Array) => void,
): Promise<void> {
  const hop = frameSeconds * sampleRate;
  const perRead = Math.floor(readSeconds / frameSeconds / step) * step || step;
  const powers = new Float64Array(bandCount);
  for (let first = 0; first * frameSeconds < seconds; first += perRead) {
    const from = first * frameSeconds;
    const samples = await readSamples(wavPath, from, Math.min(seconds, from + perRead * frameSeconds + 0.04));
    for (let frame = 0; frame < perRead && frame * hop + frameSamples <= samples.length; frame += step) {
      bandPowers(samples, frame * hop, powers);
      onFrame(first + frame, powers);
    }
  }
}

const [real, imaginary] = [new Float64Array(fourier.size), new Float64Array(fourier.size)];

function bandPowers(samples: Float32Array, at: number, powers: Float64Array): void {
  real.fill(0);
  imaginary.fill(0);
  for (let i = 0; i < frameSamples; i++) real[i] = (samples[at + i] ?? 0) * (window[i] ?? 0);
  fourier.transform(real, imaginary);
  for (const [band, { first, weights }] of bands.entries()) {
    let sum = 0;
    for (const [i, weight] of weights.entries())
      sum += weight * ((real[first + i] ?? 0) ** 2 + (imaginary[first + i] ?? 0) ** 2);
    powers[band] = sum;
  }
}

/** Triangles of equal width on the mel scale, each with the sum 1. */
function createBands(): { first: number; weights: Float64Array }[] {
  const melOf = (hertz: number): number => 1127 * Math.log(1 + hertz / 700);
  const hertzOf = (mel: number): number => 700 * (Math.exp(mel / 1127) - 1);
  const width = (melOf(highest) - melOf(lowest)) / (bandCount + 1);
  const resolution = sampleRate / fourier.size;
  return Array.from({ length: bandCount }, (_, band) => {
    const [low = 0, center = 0, high = 0] = [0, 1, 2].map((edge) => hertzOf(melOf(lowest) + (band + edge) * width));
    const [first, last] = [Math.ceil(low / resolution), Math.floor(high / resolution)];
    const weights = Float64Array.from({ length: last - first + 1 }, (_, i) => {
      const hertz = (first + i) * resolution;
      return hertz < center ? (hertz - low) / (center - low) : (high - hertz) / (high - center);
    });
    const sum = weights.reduce((total, weight) => total + weight, 0) || 1;
    return { first, weights: weights.map((weight) => weight / sum) };
  });
}

function noiseOf(frames: readonly Float64Array[], band: number): number {
  const sorted = Float64Array.from(frames, (powers) => powers[band] ?? 0).sort();
  return (sorted[Math.floor(sorted.length * noiseShare)] ?? 0) + 1e-9;
}

/** Mean over the bands of how far each is above its noise, on the scale of decibels that `speechRegions` expects. */
function levelOver(noise: Float64Array, powers: Float64Array): number {
  let sum = 0;
  for (const [band, floor] of noise.entries()) sum += Math.log10(1 + Math.max(0, (powers[band] ?? 0) - floor) / floor);
  return (10 * sum) / bandCount - 50;
}

function writeCepstrum(powers: Float64Array, table: Float32Array, row: number): void {
  const logs = powers.map((power) => Math.log(power + 1e-10));
  for (const [column, weights] of cosines.entries()) {
    let sum = 0;
    for (const [band, weight] of weights.entries()) sum += weight * (logs[band] ?? 0);
    table[row * dims + column] = sum;
  }
}

type Analysed = { table: Float32Array; heights: Float32Array; count: number; step: number };

/** Moves the loudest frames of the regions to the beginning of the table. */
function keepLoudest({ table, heights, count, step }: Analysed, regions: readonly TimeSpan[]): Features {
  const spoken = regions.flatMap(({ start, end }) => {
    const [from, to] = [Math.ceil(start / frameSeconds / step), Math.ceil(end / frameSeconds / step)];
    return Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, i) => from + i);
  });
  const sorted = Float32Array.from(spoken, (row) => heights[row * step] ?? 0).sort();
  const least = sorted[Math.floor(sorted.length * quieterShare)] ?? 0;
  const kept = spoken.filter((row) => (heights[row * step] ?? 0) >= least);
  for (const [to, from] of kept.entries()) table.copyWithin(to * dims, from * dims, (from + 1) * dims);
  return {
    table,
    times: Float64Array.from(kept, (row) => row * step * frameSeconds),
    count: kept.length,
  };
}
