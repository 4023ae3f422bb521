import { voiceVersions, type VoiceVersion } from '@overtone/contracts';
import { background } from './voice-background.ts';
import type { VoiceFrames } from './voice-frames.ts';
import { fullStatistics } from './voice-statistics.ts';

/** Fewer frames (about 2 s of speech) do not identify a voice. */
export const fewestFrames = 200;

/**
 * The embedding of one speaker in every requested version: how its statistics differ from those of an average voice, in
 * units of the differences between recordings of one voice. Null: there is too little speech.
 */
export function embedVoice(
  frames: VoiceFrames,
  versions: readonly VoiceVersion[],
): Partial<Record<VoiceVersion, Float32Array>> | null {
  if (frames.cepstrum.length < fewestFrames) return null;
  const differences = fullStatistics(frames).map(
    (value, i) => (value - (background.means[i] ?? 0)) / (background.deviations[i] ?? 1),
  );
  return Object.fromEntries(
    voiceVersions
      .filter(({ name, needs }) => needs === null && versions.includes(name))
      // The compact statistics are the first ones of the full statistics.
      .map(({ name, dimension }) => [name, toUnitLength(differences.slice(0, dimension))]),
  );
}

function toUnitLength(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1;
  return Float32Array.from(values, (value) => value / length);
}
