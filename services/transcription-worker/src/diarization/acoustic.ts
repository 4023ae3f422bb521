import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { clusterVoices, type Bounds } from './clustering.ts';
import type { Features } from './features.ts';
import { likeliestSpeakers, toTurns } from './turns.ts';
import { addFrames, joinVoices, judgeOf, silentVoice, type Voice } from './voice.ts';

/** Long enough to characterise a voice, short enough to contain one speaker. */
const pieceSeconds = 2.5;
const blockSeconds = 0.4;
/** Clustering costs the square of its pieces: of longer recordings an even sample is clustered, the rest assigned. */
const mostPieces = 500;
/** Fewer voiced frames (about 0.3 s) do not characterise a voice. */
const fewestFrames = 18;
/** A speaker with less than this, in all, is a cough or a laugh of another one (frames, about 1.5 s). */
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

function sampled<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return Array.from({ length: Math.min(items.length, most) }, (_, i) => items[Math.floor(i * step)] as T);
}

/** Cuts stretches of speech into parts of about equal length; a pause always ends a part. */
function partsOf(regions: readonly TimeSpan[], seconds: number): TimeSpan[] {
  return regions.flatMap(({ start, end }) => {
    const parts = Math.max(1, Math.round((end - start) / seconds));
    const length = (end - start) / parts;
    return Array.from({ length: parts }, (_, i) => ({ start: start + i * length, end: start + (i + 1) * length }));
  });
}

/** For each span the rows [from, to) whose times lie in it; spans and times rise, so one pass is enough. */
function rowsOf(spans: readonly TimeSpan[], times: Float64Array, count: number): [number, number][] {
  let row = 0;
  return spans.map(({ start, end }) => {
    while (row < count && (times[row] ?? 0) < start) row++;
    const from = row;
    while (row < count && (times[row] ?? 0) < end) row++;
    return [from, row];
  });
}
