import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { clusterVoices, type Bounds } from './clustering.ts';
import type { Features } from './features.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import { likeliestSpeakers, toTurns } from './turns.ts';
import { addFrames, joinVoices, judgeOf, silentVoice, type Voice } from './voice.ts';

/** Long enough to characterise a voice, short enough to contain one speaker. */
const pieceSeconds = 2.5;
const blockSeconds = 0.4;
/** Clustering costs the square of its pieces: of longer recordings an even sample is clustered, the rest assigned. */
const mostPieces = 500;
/** Fewer voiced frames do not characterise a voice: about 0.3 s, in recordings of more than 30 minutes more (`hopFor`). */
const fewestFrames = 18;
/** A speaker with fewer frames, in all, is a cough or a laugh of another one: about 1.5 s, in longer recordings more. */
const leastSpeech = 90;

/** Speaker turns, from the features of voiced frames within speech regions. */
export function turnsFrom(features: Features, regions: readonly TimeSpan[], bounds: Bounds): Turn[] {
  const pieces = voicesIn(features, regions);
  const blocks = partsOf(regions, blockSeconds);
  if (pieces.length === 0)
    return toTurns(
      blocks,
      blocks.map(() => 0),
    );
  const judges = speakersAmong(sampled(pieces, mostPieces), bounds).map(judgeOf);
  const scores = rowsOf(blocks, features.times, features.count).map(([from, to]) =>
    Float64Array.from(judges, (judge) => {
      let sum = 0;
      for (let row = from; row < to; row++) sum += judge(features.table, row);
      return sum;
    }),
  );
  const afterPause = blocks.map(({ start }, i) => start - (blocks[i - 1]?.end ?? -1) > 0.05);
  return toTurns(blocks, likeliestSpeakers(scores, afterPause));
}

function voicesIn(features: Features, regions: readonly TimeSpan[]): Voice[] {
  return rowsOf(partsOf(regions, pieceSeconds), features.times, features.count)
    .filter(([from, to]) => to - from >= fewestFrames)
    .map(([from, to]) => {
      const voice = silentVoice();
      addFrames(voice, features.table, from, to);
      return voice;
    });
}

/** One Gaussian per speaker; speakers with little speech are dropped unless that many speakers were requested. */
function speakersAmong(pieces: readonly Voice[], bounds: Bounds): Voice[] {
  const labels = clusterVoices(pieces, bounds);
  const speakers = [...new Set(labels)].map((label) => joinVoices(pieces.filter((_, i) => labels[i] === label)));
  const audible = speakers.filter((speaker) => speaker.frames >= leastSpeech);
  return audible.length >= Math.max(1, bounds.min ?? 1) ? audible : speakers;
}
