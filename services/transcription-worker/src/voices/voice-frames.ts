import Meyda from 'meyda';
import { melOf, powerOf } from '../audio/spectrum.ts';
import { sampleRate } from '../audio/wav.ts';

type SpectrumExtractor = {
  sampleRate: number;
  bufferSize: number;
  extract: (feature: 'powerSpectrum', signal: Float32Array) => Float32Array | null;
};

// The library's types describe its CommonJS build; what Node loads is the object itself.
const meyda = Meyda as unknown as SpectrumExtractor;

const frameSamples = 512;
const hopSamples = 160;
const bands = 26;
/** Cepstral coefficients of a frame, without the zeroth, which is the loudness. */
export const cepstrumSize = 21;
/** Fundamental frequencies of speech, in Hz. */
const pitchRange = [60, 400] as const;
/** Every second frame has a pitch: it changes slowly, and it is the expensive part. */
const pitchEvery = 2;
const decimation = 4;

/** Frames of speech of one speaker: `cepstrumSize` values each, and the logarithms of the pitch where there is one. */
export type VoiceFrames = { cepstrum: Float32Array[]; pitch: number[] };

export function createVoiceFrames(): VoiceFrames & { add: (samples: Float32Array) => void } {
  meyda.sampleRate = sampleRate;
  meyda.bufferSize = frameSamples;
  const frames: VoiceFrames = { cepstrum: [], pitch: [] };
  return { ...frames, add: (samples) => addFrames(frames, samples) };
}

/** Adds the louder frames of one span; the quiet ones contain the room and not the voice. */
function addFrames({ cepstrum, pitch }: VoiceFrames, samples: Float32Array): void {
  const starts = Array.from(
    { length: Math.max(0, Math.floor((samples.length - frameSamples) / hopSamples) + 1) },
    (_, i) => i * hopSamples,
  );
  const powers = starts.map((start) => powerOf(samples.subarray(start, start + frameSamples)));
  const loud = powers.toSorted((x, y) => x - y)[Math.floor(powers.length * 0.9)] ?? 0;
  const threshold = Math.max(loud * 0.003, 1e-9);
  const low = decimate(samples);
  for (const [i, start] of starts.entries()) {
    if ((powers[i] ?? 0) < threshold) continue;
    const spectrum = meyda.extract('powerSpectrum', samples.subarray(start, start + frameSamples));
    if (!spectrum) continue;
    cepstrum.push(cepstrumOf(spectrum));
    if (i % pitchEvery !== 0) continue;
    const found = pitchAt(low, Math.floor(start / decimation));
    if (found !== null) pitch.push(Math.log(found));
  }
}

/** Triangular filters, equally wide on the mel scale up to 7.6 kHz. @returns pairs of bin and weight for each. */
const filters = Array.from({ length: bands }, (_, band) => {
  const [low, high] = [melOf(100), melOf(7_600)];
  const edge = (at: number): number => low + ((high - low) * at) / (bands + 1);
  const weights: [bin: number, weight: number][] = [];
  for (let bin = 1; bin < frameSamples / 2; bin++) {
    const at = melOf((bin * sampleRate) / frameSamples);
    const rising = (at - edge(band)) / (edge(band + 1) - edge(band));
    const falling = (edge(band + 2) - at) / (edge(band + 2) - edge(band + 1));
    const weight = Math.min(rising, falling);
    if (weight > 0) weights.push([bin, weight]);
  }
  return weights;
});
const cosines = Array.from({ length: cepstrumSize }, (_, i) =>
  Float64Array.from({ length: bands }, (__, band) => Math.cos((Math.PI * (i + 1) * (band + 0.5)) / bands)),
);

function cepstrumOf(spectrum: Float32Array): Float32Array {
  const logs = filters.map((weights) => {
    let energy = 1e-10;
    for (const [bin, weight] of weights) energy += weight * (spectrum[bin] ?? 0);
    return Math.log(energy);
  });
  return Float32Array.from(cosines, (row) => logs.reduce((sum, log, band) => sum + log * (row[band] ?? 0), 0));
}

/** The sum of every four samples: 4 kHz contains every pitch of speech. */
function decimate(samples: Float32Array): Float32Array {
  const low = new Float32Array(Math.floor(samples.length / decimation));
  for (let i = 0; i < low.length; i++)
    for (let inner = 0; inner < decimation; inner++) low[i] = (low[i] ?? 0) + (samples[i * decimation + inner] ?? 0);
  return low;
}

const [longest, shortest] = pitchRange.map((hertz) => Math.round(sampleRate / decimation / hertz)) as [number, number];
const window = 2 * longest;

/** The pitch in Hz by autocorrelation; null for a frame without a clear one. */
function pitchAt(low: Float32Array, from: number): number | null {
  if (from + window + longest > low.length) return null;
  let energy = 0;
  for (let i = from; i < from + window; i++) energy += (low[i] ?? 0) ** 2;
  const similarity = (lag: number): number => {
    let product = 0;
    let shifted = 0;
    for (let i = from; i < from + window; i++) {
      const later = low[i + lag] ?? 0;
      product += (low[i] ?? 0) * later;
      shifted += later * later;
    }
    return product / Math.sqrt(energy * shifted + 1e-12);
  };
  const values = Array.from({ length: longest - shortest + 1 }, (_, i) => similarity(shortest + i));
  const best = Math.max(...values);
  if (best < 0.6) return null;
  // The first of the nearly best lags: later ones are multiples of the period.
  const lag = shortest + values.findIndex((value, i) => value > best * 0.93 && value >= (values[i + 1] ?? 0));
  return sampleRate / decimation / lag;
}
