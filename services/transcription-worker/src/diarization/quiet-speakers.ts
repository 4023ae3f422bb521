import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { blocksOf } from './blocks.ts';
import { clusterPieces, type Bounds } from './clustering.ts';
import type { Features } from './features.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import { voiceOf, type Voice } from './voice.ts';

/** Long enough to characterise a voice, short enough to contain one speaker. */
const pieceSeconds = 2.5;
/** Fewer voiced frames do not characterise a voice: about 0.3 s, in recordings of more than 30 minutes more (`hop`). */
const fewestFrames = 18;
/** A speaker with fewer frames, in all, is a cough or a laugh of another one: about 1.5 s, in longer recordings more. */
const leastSpeech = 90;

/** Speaker turns of a recording without noise, from the features of voiced frames within speech regions. */
export function turnsInQuiet(features: Features, regions: readonly TimeSpan[], bounds: Bounds): Turn[] {
  const { table, times, count } = features;
  const pieces = rowsOf(partsOf(regions, pieceSeconds), times, count)
    .filter(([from, to]) => to - from >= fewestFrames)
    .map(([from, to]) => voiceOf(table, from, to));
  const blocks = blocksOf(features, regions);
  return blocks.toTurns(blocks.assign(pieces.length === 0 ? [] : speakersAmong(sampled(pieces), bounds)));
}

/** One Gaussian per speaker; speakers with little speech are dropped unless that many speakers were requested. */
function speakersAmong(pieces: readonly Voice[], bounds: Bounds): Voice[] {
  const speakers = clusterPieces(pieces, bounds);
  const audible = speakers.filter((speaker) => speaker.frames >= leastSpeech);
  return audible.length >= Math.max(1, bounds.min ?? 1) ? audible : speakers;
}
