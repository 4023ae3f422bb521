import type { Hit } from '../ports/search-index.ts';

/** A passage with its rank in each leg (0 = best), null if the leg did not find it. */
export type FusedHit = {
  id: string;
  fileId: string;
  score: number;
  keyword: number | null;
  semantic: number | null;
  /** Index of the token where the best window starts; null without a semantic hit. */
  token: number | null;
};
export type FileHit = { fileId: string; score: number; passages: FusedHit[]; semanticOnly: boolean };

/** The usual constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
const rrfConstant = 60;

/**
 * Reciprocal rank fusion: ranks of the legs are comparable, scores are not. A passage counts once per leg. Ties are broken
 * by the keyword leg, then by id, so that equal searches return equal results.
 */
export function fuse(keyword: readonly Hit[], semantic: readonly Hit[]): FusedHit[] {
  const fused = new Map<string, FusedHit>();
  const add = (leg: 'keyword' | 'semantic', hits: readonly Hit[]) => {
    let rank = 0;
    for (const { id, fileId, token } of hits) {
      const known = fused.get(id) ?? { id, fileId, score: 0, keyword: null, semantic: null, token: null };
      // A passage has the rank of its best window.
      if (known[leg] !== null) continue;
      known[leg] = rank;
      known.token ??= token ?? null;
      rank += 1;
      known.score += 1 / (rrfConstant + rank);
      fused.set(id, known);
    }
  };
  add('keyword', keyword);
  add('semantic', semantic);
  return [...fused.values()].sort(byScore);
}

function rankOf(rank: number | null): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}

function byScore(x: FusedHit, y: FusedHit): number {
  return y.score - x.score || rankOf(x.keyword) - rankOf(y.keyword) || (x.id < y.id ? -1 : 1);
}

/** Groups passages by file; files are ordered by their best passage, then by their number of passages. */
export function groupByFile(passages: readonly FusedHit[]): FileHit[] {
  const files = new Map<string, FileHit>();
  for (const passage of passages) {
    const { fileId, score } = passage;
    const file = files.get(fileId) ?? { fileId, score, passages: [], semanticOnly: true };
    file.passages.push(passage);
    file.score = Math.max(file.score, score);
    if (passage.keyword !== null) file.semanticOnly = false;
    files.set(fileId, file);
  }
  return [...files.values()].sort(
    (x, y) => y.score - x.score || y.passages.length - x.passages.length || (x.fileId < y.fileId ? -1 : 1),
  );
}

/** The fused score relative to the maximum for these legs: 1 = first in every leg that ran. */
export function relevance(score: number, legs: number): number {
  return legs === 0 ? 0 : Math.min(1, (score * (rrfConstant + 1)) / legs);
}

/**
 * Drops semantic hits that are too dissimilar: below `floor`, or far below the best hit. A nearest neighbor search always
 * returns something.
 */
export function filterBySimilarity(hits: readonly Hit[], floor: number): Hit[] {
  const best = hits[0]?.score ?? 0;
  const threshold = Math.max(floor, best * 0.7);
  return hits.filter((hit) => hit.score >= threshold);
}
