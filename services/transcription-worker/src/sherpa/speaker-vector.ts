import { sampleRate } from '../audio/wav.ts';
import type { Extractor } from './native.ts';

/** Longer speech does not tell more of a voice. */
const mostSeconds = 30;

/**
 * The embedding of one speaker by the longest parts of their speech, weighted by their length. Its length is not 1; it is
 * empty without parts.
 */
export function speakerVector(extractor: Extractor, parts: readonly Float32Array[]): Float32Array {
  let vector = new Float32Array(0);
  let used = 0;
  for (const samples of parts.toSorted((x, y) => y.length - x.length)) {
    if (used >= mostSeconds) break;
    const seconds = samples.length / sampleRate;
    used += seconds;
    const part = embed(extractor, samples);
    const norm = Math.hypot(...part);
    if (vector.length === 0) vector = new Float32Array(part.length);
    // Some models return NaN for very short or silent parts.
    if (norm > 0)
      for (let i = 0; i < part.length; i++) vector[i] = (vector[i] ?? 0) + ((part[i] ?? 0) / norm) * seconds;
  }
  return vector;
}

function embed(extractor: Extractor, samples: Float32Array): Float32Array {
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples, sampleRate });
  stream.inputFinished();
  return extractor.compute(stream, false);
}
