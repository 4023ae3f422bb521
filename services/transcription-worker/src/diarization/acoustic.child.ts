import Meyda from 'meyda';
import { z } from 'zod';
import { frameLevels, speechRegions, speechThreshold, type TimeSpan } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { clusterSpeakers, standardise } from './clustering.ts';
import { toTurns, windowsOf } from './windows.ts';

const request = z.object({
  wavPath: z.string(),
  seconds: z.number(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
});

type MfccExtractor = {
  sampleRate: number;
  bufferSize: number;
  numberOfMFCCCoefficients: number;
  extract: (feature: 'mfcc', signal: Float32Array) => number[] | null;
};
// The library's types describe its CommonJS build; what Node loads is the object itself.
const meyda = Meyda as unknown as MfccExtractor;

const frame = 512;
const coefficients = 20;

/** Mean and deviation of the spectral envelope over the voiced frames of a window: how a voice sounds, not what it says. */
const featuresOf = (samples: Float32Array, quiet: number): Float64Array => {
  const sums = new Float64Array(coefficients);
  const squares = new Float64Array(coefficients);
  let count = 0;
  for (let at = 0; at + frame <= samples.length; at += frame / 2) {
    const block = samples.subarray(at, at + frame);
    let power = 0;
    for (const x of block) power += x * x;
    if (10 * Math.log10(power / frame + 1e-10) < quiet) continue;
    const mfcc = meyda.extract('mfcc', block) ?? [];
    count += 1;
    for (let c = 0; c < coefficients; c++) {
      const value = mfcc[c] ?? 0;
      sums[c] = (sums[c] ?? 0) + value;
      squares[c] = (squares[c] ?? 0) + value * value;
    }
  }
  const out = new Float64Array((coefficients - 1) * 2);
  // The first coefficient is loudness, which tells distances to the microphone apart, not people.
  for (let c = 1; c < coefficients; c++) {
    const mean = count ? (sums[c] ?? 0) / count : 0;
    out[c - 1] = mean;
    out[coefficients - 2 + c] = count ? Math.sqrt(Math.max(0, (squares[c] ?? 0) / count - mean * mean)) : 0;
  }
  return out;
};

serveTasks(async (input, onProgress) => {
  const { wavPath, seconds, minSpeakers, maxSpeakers } = request.parse(input);
  meyda.sampleRate = sampleRate;
  meyda.bufferSize = frame;
  meyda.numberOfMFCCCoefficients = coefficients;
  const levels = await frameLevels(wavPath, seconds);
  const regions: TimeSpan[] = speechRegions(levels, { minGap: 0.25, pad: 0 });
  const quiet = speechThreshold(levels);
  const windows = windowsOf(regions);
  const points: Float64Array[] = [];
  for (const [i, w] of windows.entries()) {
    points.push(featuresOf(await readSamples(wavPath, w.start, w.end), quiet));
    if (i % 50 === 0) onProgress((0.9 * i) / windows.length);
  }
  standardise(points);
  const labels = clusterSpeakers(points, { min: minSpeakers, max: maxSpeakers });
  onProgress(1);
  return { turns: toTurns(windows, labels) };
});
