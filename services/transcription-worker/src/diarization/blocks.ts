import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import type { Features } from './speech-features.ts';
import { partsOf, rowsOf } from './parts.ts';
import { likeliestSpeakers, toTurns } from './turns.ts';
import { likelihoodOf, type Voice } from './voice.ts';

const blockSeconds = 0.4;

/** Cuts speech into short blocks, which are assigned to voices. */
export function blocksOf({ table, times, count }: Features, regions: readonly TimeSpan[]) {
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
