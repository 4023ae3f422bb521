import type { Turn } from '@overtone/contracts';
import { clusterPieces, type Bounds } from './clustering.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import type { Speech, Features } from './speech-features.ts';
import { voiceOf, likelihoodOf, type Voice } from './voice.ts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { likeliestSpeakers, toTurns } from './turns.ts';

const blockSeconds = 0.4;

/** Cuts speech into short blocks, which are assigned to voices. */
function blocksOf({ table, times, count }: Features, regions: readonly TimeSpan[]) {
  const blocks = partsOf(regions, blockSeconds);
  const rows = rowsOf(blocks, times, count);
  const afterPause = blocks.map(({ start }, i) => start - (blocks[i - 1]?.end ?? -1) > 0.05);
  return {
    /** The likeliest voice of each block; without voices all blocks are one speaker. See `likeliestSpeakers`. */
    assign: (voices: readonly Voice[]): number[] => {
      if (voices.length === 0) return blocks.map(() => 0);
      const likelihoods = voices.map(likelihoodOf);
      const scores = rows.map(([from, to]) =>
        Float64Array.from(likelihoods, (likelihood) => {
          let sum = 0;
          for (let row = from; row < to; row++) sum += likelihood(table, row);
          return sum;
        }),
      );
      return likeliestSpeakers(scores, afterPause);
    },
    toTurns: (labels: readonly number[]): Turn[] => toTurns(blocks, labels),
  };
}

/**
 * Speech is cut into pieces long enough that the voice matters more than the sounds, and short enough to contain one
 * speaker; in short recordings shorter, so that there are enough pieces to compare.
 */
const piece = { wanted: 10, minSeconds: 2, maxSeconds: 5 };
/** Loud speech, as a share of the length of a piece: pieces with less characterise the sounds and not the voice. */
const fewestOfPiece = 0.2;
/** A speaker with less loud speech is a cough or a laugh of another one: in pieces, at most these seconds, or of the whole. */
const leastOfSpeaker = { pieces: 0.8, seconds: 3, share: 0.04 };

/** Who speaks when. */
export function turnsOfSpeakers({ features, regions, isClear }: Speech, bounds: Bounds): Turn[] {
  const { table, times, count, perSecond } = features;
  const spoken = regions.reduce((sum, { start, end }) => sum + end - start, 0);
  const seconds = Math.max(piece.minSeconds, Math.min(piece.maxSeconds, spoken / piece.wanted));
  const framesOfPiece = seconds * perSecond;
  const pieces = rowsOf(partsOf(regions, seconds), times, count)
    .filter(([from, to]) => to - from >= fewestOfPiece * framesOfPiece)
    .map(([from, to]) => voiceOf(table, from, to));
  const blocks = blocksOf(features, regions);
  if (pieces.length === 0) return blocks.toTurns(blocks.assign([]));
  const usable = sampled(pieces);
  const frames = usable.reduce((sum, voice) => sum + voice.frames, 0);
  const few = Math.min(leastOfSpeaker.pieces * framesOfPiece, leastOfSpeaker.seconds * perSecond);
  const least = Math.max(few, leastOfSpeaker.share * frames);
  return blocks.toTurns(blocks.assign(clusterPieces(usable, { bounds, least, isClear })));
}
