import type { TimeSpan } from '../audio/speech-regions.ts';

/** Cuts stretches of speech into parts of about equal length; a pause always ends a part. */
export function partsOf(regions: readonly TimeSpan[], seconds: number): TimeSpan[] {
  return regions.flatMap(({ start, end }) => {
    const parts = Math.max(1, Math.round((end - start) / seconds));
    const length = (end - start) / parts;
    return Array.from({ length: parts }, (_, i) => ({ start: start + i * length, end: start + (i + 1) * length }));
  });
}

/** For each span the rows [from, to) whose times lie in it; spans and times rise, so one pass is enough. */
export function rowsOf(spans: readonly TimeSpan[], times: Float64Array, count: number): [number, number][] {
  let row = 0;
  return spans.map(({ start, end }) => {
    while (row < count && (times[row] ?? 0) < start) row++;
    const from = row;
    while (row < count && (times[row] ?? 0) < end) row++;
    return [from, row];
  });
}

/** Clustering costs the square of its pieces: of longer recordings an even sample is clustered, the rest assigned. */
const mostPieces = 500;

/** An even sample of the pieces. */
export function sampled<T>(pieces: readonly T[]): T[] {
  const step = Math.max(1, pieces.length / mostPieces);
  return Array.from({ length: Math.min(pieces.length, mostPieces) }, (_, i) => pieces[Math.floor(i * step)] as T);
}
