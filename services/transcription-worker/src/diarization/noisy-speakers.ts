import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { blocksOf } from './blocks.ts';
import { firstGroups, joinByLabel, joinNearest, limitsOf, type Bounds } from './clustering.ts';
import type { Features } from './features.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import { voiceOf, type Voice } from './voice.ts';

/** The sounds of a shorter piece differ more than voices do in noise. */
const pieceSeconds = 5;
const fewestFrames = 25;
/** A voice with fewer frames than this in all, or a smaller share of them, is a part of another one. */
const leastSpeech = { frames: 100, share: 0.02 };
/** Noise makes single blocks look like another voice, so that a change without a pause needs more evidence. */
const changeWithoutPause = 24;
/** More groups at the start would each have too little speech of a voice. */
const groupsAtStart = 8;
/**
 * Voices nearer than this are one person; less than in a clear recording, because noise and reverberation make voices
 * alike. Measured: `./overtone bench diarization`. See `voiceDistance`.
 */
const samePersonDistance = 1;

/**
 * Speaker turns of a recording with noise or reverberation. Blocks are assigned to the voices again after every two voices
 * that were joined, because the first groups contain parts of several speakers.
 */
export function turnsInNoise(features: Features, regions: readonly TimeSpan[], bounds: Bounds): Turn[] {
  const { table, times, count } = features;
  const pieces = rowsOf(partsOf(regions, pieceSeconds), times, count)
    .filter(([from, to]) => to - from >= fewestFrames)
    .map(([from, to]) => voiceOf(table, from, to));
  const usable = sampled(pieces);
  const blocks = blocksOf(features, regions);
  const assign = (voices: readonly Voice[]): number[] => blocks.assign(voices, changeWithoutPause);
  if (usable.length === 0) return blocks.toTurns(assign([]));
  const blockVoices = blocks.voices();
  const { low, high } = limitsOf(bounds, usable.length);
  const least = Math.max(leastSpeech.frames, leastSpeech.share * count);
  const refine = (voices: Voice[]): Voice[] => {
    const refined = joinByLabel(blockVoices, assign(voices)).filter(({ frames }) => frames >= least);
    return refined.length >= low ? refined : voices;
  };
  const groups = refine(firstGroups(usable, Math.max(groupsAtStart, low), 'ward'));
  return blocks.toTurns(assign(joinNearest(groups, { low, high, minDistance: samePersonDistance }, refine)));
}
