import { describe, expect, it } from '@jest/globals';
import { createRandom } from '../../bench/random.ts';
import { clusterPieces } from './clustering.ts';
import { cepstrumSize, voiceOf, type Voice } from './voice.ts';

const framesOfPiece = 150;
/** How much a person's own pieces differ, beside frames that differ by 1. */
const ownVariation = 0.5;
const unbounded = { min: null, max: null };

/** Pieces of people whose voices are `apart` from each other in every coefficient. */
function piecesOf(counts: readonly number[], apart: number, seed = 1): Voice[] {
  const random = createRandom(seed);
  const normal = (): number => Array.from({ length: 12 }, () => random.next()).reduce((sum, x) => sum + x, -6);
  return counts.flatMap((count, person) =>
    Array.from({ length: count }, () => {
      const center = Array.from(
        { length: cepstrumSize },
        (_, i) => (i % 4 === person ? apart : 0) + ownVariation * normal(),
      );
      const table = Float32Array.from(
        { length: framesOfPiece * cepstrumSize },
        (_, at) => center[at % cepstrumSize]! + normal(),
      );
      return voiceOf(table, 0, framesOfPiece);
    }),
  );
}

function count(pieces: readonly Voice[], bounds: { min: number | null; max: number | null } = unbounded): number {
  return clusterPieces(pieces, { bounds, least: framesOfPiece, isClear: true }).length;
}

describe('clustering', () => {
  it.each([1, 2, 6, 24, 120])('finds one speaker in %s pieces of one voice', (pieces) => {
    expect(count(piecesOf([pieces], 0))).toBe(1);
  });

  it.each([
    [2, [6, 6]],
    [2, [40, 12]],
    [3, [8, 8, 8]],
    [4, [60, 60, 40, 20]],
  ])('finds %s speakers with %j pieces', (speakers, counts) => {
    expect(count(piecesOf(counts, 3))).toBe(speakers);
  });

  it('finds no further speaker in one piece that is unlike all others', () => {
    const pieces = [...piecesOf([8, 8], 3), ...piecesOf([1], 9)];
    const found = clusterPieces(pieces, { bounds: unbounded, least: 2 * framesOfPiece, isClear: true });
    expect(found).toHaveLength(2);
  });

  it('keeps within the requested numbers', () => {
    expect(count(piecesOf([8, 8, 8], 3), { min: null, max: 2 })).toBe(2);
    expect(count(piecesOf([8], 0), { min: 2, max: 2 })).toBe(2);
    expect(count(piecesOf([2], 0), { min: 5, max: null })).toBe(2);
  });
});
