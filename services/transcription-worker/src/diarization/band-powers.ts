import { createFourier } from '../audio/fourier.ts';
import { melOf } from '../audio/spectrum.ts';
import { frameSeconds } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { cepstrumSize } from './voice.ts';

const frameSamples = 640;
const fourier = createFourier(1024);
/** Bands of equal width on the mel scale. */
export const bandCount = 28;
const [lowest, highest] = [100, 7600];
const readSeconds = 30;

const window = Float64Array.from(
  { length: frameSamples },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / frameSamples),
);
const bands = createBands();
const cosines = Array.from({ length: cepstrumSize }, (_, row) =>
  Float64Array.from(
    { length: bandCount },
    (_, band) => Math.sqrt(2 / bandCount) * Math.cos((Math.PI * (row + 1) * (band + 0.5)) / bandCount),
  ),
);

type FrameRequest = {
  wavPath: string;
  seconds: number;
  /** Frames of 20 ms from one analysed frame to the next. */
  step: number;
  onProgress?: (share: number) => void;
};

/** Calls `onFrame` with the number of the 20 ms and the power of each band; the array is used again for the next frame. */
export async function eachFrame(
  { wavPath, seconds, step, onProgress }: FrameRequest,
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
    onProgress?.(from / seconds);
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

/** Writes the spectral envelope (without loudness) as a row of `cepstrumSize` columns. */
export function writeCepstrum(powers: Float64Array, table: Float32Array, row: number): void {
  const logs = powers.map((power) => Math.log(power + 1e-10));
  for (const [column, weights] of cosines.entries()) {
    let sum = 0;
    for (const [band, weight] of weights.entries()) sum += weight * (logs[band] ?? 0);
    table[row * cepstrumSize + column] = sum;
  }
}
