import { cepstrumSize, type VoiceFrames } from './voice-frames.ts';

const shares = [0.1, 0.35, 0.65, 0.9];
const histogram = { from: Math.log(65), to: Math.log(380), bins: 25 };
const unknownPitch = Math.log(140);

/**
 * The distribution of a speaker's frames in 512 numbers: means, deviations and correlations of the spectral envelope and
 * the pitch (the first 256, which are the compact version), then how the envelope changes. It depends little on the words
 * when there are enough of them.
 */
export function fullStatistics({ cepstrum, pitch }: VoiceFrames): number[] {
  const envelope = momentsOf(cepstrum);
  const changes = momentsOf(changesOf(cepstrum));
  const sorted = pitch.toSorted((x, y) => x - y);
  const quantiles = shares.map((share) => sorted[Math.floor(sorted.length * share)] ?? unknownPitch);
  return [
    ...envelope.means,
    ...envelope.deviations,
    ...envelope.correlations,
    ...quantiles,
    ...changes.deviations,
    ...changes.correlations,
    ...pitchHistogram(sorted),
  ];
}

function momentsOf(frames: readonly Float32Array[]) {
  const indices = Array.from({ length: cepstrumSize }, (_, i) => i);
  const means = indices.map((i) => frames.reduce((sum, frame) => sum + (frame[i] ?? 0), 0) / frames.length);
  const covariance = (i: number, column: number): number => {
    let sum = 0;
    for (const frame of frames) sum += ((frame[i] ?? 0) - means[i]!) * ((frame[column] ?? 0) - means[column]!);
    return sum / frames.length;
  };
  const deviations = indices.map((i) => Math.sqrt(covariance(i, i) + 1e-6));
  const correlations = indices.flatMap((i) =>
    indices.slice(0, i).map((column) => covariance(i, column) / (deviations[i]! * deviations[column]!)),
  );
  return { means, deviations: deviations.map(Math.log), correlations };
}

/** How fast the envelope changes, over 40 ms, or more where quiet frames were left out in between. */
function changesOf(frames: readonly Float32Array[]): Float32Array[] {
  return frames.slice(4).map((frame, i) => frame.map((value, column) => value - (frames[i]?.[column] ?? 0)));
}

function pitchHistogram(pitch: readonly number[]): number[] {
  const { from, to, bins } = histogram;
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of pitch) {
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(((value - from) / (to - from)) * bins)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count) => Math.sqrt(count / Math.max(1, pitch.length)));
}
