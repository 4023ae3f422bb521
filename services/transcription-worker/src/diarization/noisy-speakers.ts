import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { firstGroups, limitsOf, type Bounds } from './clustering.ts';
import type { Features } from './features.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import { likeliestSpeakers, toTurns } from './turns.ts';
import { addFrames, joinVoices, judgeOf, silentVoice, voiceDistance, type Voice } from './voice.ts';

/** The sounds of a shorter piece differ more than voices do in noise. */
const pieceSeconds = 5;
const blockSeconds = 0.4;
/** Clustering costs the square of its pieces: of longer recordings an even sample is clustered, the rest assigned. */
const mostPieces = 500;
const fewestFrames = 25;
/** A voice with fewer frames than this in all, or a smaller share of them, is a part of another one. */
const leastSpeech = { frames: 100, share: 0.02 };
/** Noise makes single blocks look like another voice, so that a change without a pause needs more evidence. */
const changeInBreath = 24;
/** More groups at the start would each have too little speech of a voice. */
const groupsAtStart = 8;
/**
 * Voices nearer than this are one person; less than in a clear recording, because noise and reverberation make voices
 * alike. Measured: `./overtone bench diarization`. See `voiceDistance`.
 */
const oneVoice = 1;

/**
 * Speaker turns of a recording with noise or reverberation. Blocks are assigned to the voices again after every two voices
 * that were joined, because the first groups contain parts of several speakers.
 */
export function turnsInNoise({ table, times, count }: Features, regions: readonly TimeSpan[], bounds: Bounds): Turn[] {
  const voiceOf = ([from, to]: [number, number]): Voice => {
    const voice = silentVoice();
    addFrames(voice, table, from, to);
    return voice;
  };
  const pieces = rowsOf(partsOf(regions, pieceSeconds), times, count).map(voiceOf);
  const usable = sampled(
    pieces.filter(({ frames }) => frames >= fewestFrames),
    mostPieces,
  );
  const blocks = partsOf(regions, blockSeconds);
  const rows = rowsOf(blocks, times, count);
  const afterPause = blocks.map(({ start }, i) => start - (blocks[i - 1]?.end ?? -1) > 0.05);
  const assign = (voices: readonly Voice[]): number[] => {
    const judges = voices.map(judgeOf);
    const scores = rows.map(([from, to]) =>
      Float64Array.from(judges, (judge) => {
        let sum = 0;
        for (let row = from; row < to; row++) sum += judge(table, row);
        return sum;
      }),
    );
    return likeliestSpeakers(scores, afterPause, changeInBreath);
  };
  if (usable.length === 0)
    return toTurns(
      blocks,
      blocks.map(() => 0),
    );
  const blockVoices = rows.map(voiceOf);
  const { low, high } = limitsOf(bounds, usable.length);
  const least = Math.max(leastSpeech.frames, leastSpeech.share * count);
  const refine = (voices: Voice[]): Voice[] => {
    const labels = assign(voices);
    const refined = voices
      .map((_, label) => joinVoices(blockVoices.filter((_, i) => labels[i] === label)))
      .filter(({ frames }) => frames >= least);
    return refined.length >= low ? refined : voices;
  };
  const labels = firstGroups(usable, Math.max(groupsAtStart, low), 'ward');
  const groups = [...new Set(labels)].map((label) => joinVoices(usable.filter((_, i) => labels[i] === label)));
  return toTurns(blocks, assign(joinUntilDifferent(refine(groups), { low, high }, refine)));
}

/** Joins the two nearest voices until the rest are different people, within the limits. */
function joinUntilDifferent(
  first: Voice[],
  { low, high }: { low: number; high: number },
  refine: (voices: Voice[]) => Voice[],
): Voice[] {
  let voices = first;
  while (voices.length > low) {
    const { distance, one, other } = nearest(voices);
    if (distance >= oneVoice && voices.length <= high) break;
    voices = refine([...voices.filter((voice) => voice !== one && voice !== other), joinVoices([one, other])]);
  }
  return voices;
}

function nearest(voices: readonly Voice[]): { distance: number; one: Voice; other: Voice } {
  const pairs = voices.flatMap((one, i) =>
    voices.slice(0, i).map((other) => ({ distance: voiceDistance(one, other), one, other })),
  );
  return pairs.reduce((best, pair) => (pair.distance < best.distance ? pair : best));
}
