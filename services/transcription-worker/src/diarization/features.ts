import Meyda from 'meyda';
import { powerOf } from '../audio/spectrum.ts';
import { speechThreshold, type TimeSpan } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { cepstrumSize } from './voice.ts';

type MfccExtractor = {
  sampleRate: number;
  bufferSize: number;
  numberOfMFCCCoefficients: number;
  extract: (feature: 'mfcc', signal: Float32Array) => number[] | null;
};

// The library's types describe its CommonJS build; what Node loads is the object itself.
const meyda = Meyda as unknown as MfccExtractor;

const frameSamples = 512;
/** The library takes log(1 + x): this far up, the 1 no longer matters and loudness is only an offset. */
const speechLevel = 3;

/** Features of the voiced frames of a recording, `cepstrumSize` per row, with the time of each. */
export type Features = { table: Float32Array; times: Float64Array; count: number };

export type FeatureRequest = {
  wavPath: string;
  regions: readonly TimeSpan[];
  levels: Float32Array;
  /** Samples between frames; more for long recordings keeps memory and time within bounds. */
  hop: number;
  onProgress: (share: number) => void;
};

/** Spectral envelopes of all speech; reads half a minute at a time, so memory grows by 3.5 kB per second of speech at most. */
export async function featuresOf({ wavPath, regions, levels, hop, onProgress }: FeatureRequest): Promise<Features> {
  meyda.sampleRate = sampleRate;
  meyda.bufferSize = frameSamples;
  meyda.numberOfMFCCCoefficients = cepstrumSize + 1;
  const gain = gainOf(levels);
  const speechPower = 10 ** (speechThreshold(levels) / 10);
  const most = regions.reduce((sum, { start, end }) => sum + Math.ceil(((end - start) * sampleRate) / hop) + 1, 0);
  const found: Features = { table: new Float32Array(most * cepstrumSize), times: new Float64Array(most), count: 0 };
  const block = new Float32Array(frameSamples);
  const total = regions.at(-1)?.end ?? 1;
  for (const region of regions) {
    for (let from = region.start; from < region.end; from += 30) {
      const samples = await readSamples(wavPath, from, Math.min(region.end, from + 30));
      for (let at = 0; at + frameSamples <= samples.length; at += hop) {
        const raw = samples.subarray(at, at + frameSamples);
        if (powerOf(raw) < speechPower || found.count >= most) continue;
        for (let i = 0; i < frameSamples; i++) block[i] = (raw[i] ?? 0) * gain;
        const mfcc = meyda.extract('mfcc', block);
        if (!mfcc) continue;
        for (let i = 0; i < cepstrumSize; i++) found.table[found.count * cepstrumSize + i] = mfcc[i + 1] ?? 0;
        found.times[found.count++] = from + (at + frameSamples / 2) / sampleRate;
      }
      onProgress(from / total);
    }
  }
  return found;
}

/** One gain for the whole recording brings its louder speech to the same level. */
function gainOf(levels: Float32Array): number {
  const loud = Float32Array.from(levels).sort()[Math.floor(levels.length * 0.9)] ?? -30;
  return Math.min(1000, speechLevel / 10 ** (loud / 20));
}
