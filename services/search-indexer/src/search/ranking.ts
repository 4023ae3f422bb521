import type { Hit, KeywordHits } from '../ports/search-index.ts';
import type { FileHit, FusedHit } from './search.ts';

/** The hits of both legs, best first; null: the leg did not run. */
export type LegHits = { keyword: KeywordHits | null; semantic: readonly Hit[] | null };

/**
 * The share of the semantic leg in a score. Measured (`./overtone bench relevance`): of files its order is much worse than
 * that of the words, so that it only moves up files that the words hardly separate, and never replaces the first one.
 */
const semanticShare = { files: 0.03, passages: 0.25 };
/** A file counts with its best hits of a level, the n-th divided by n. */
const hitsPerFile = 3;

/**
 * Drops semantic hits that are too dissimilar: below `floor`, or far below the best hit. A nearest neighbor search always
 * returns something.
 */
export function filterBySimilarity(hits: readonly Hit[], floor: number): Hit[] {
  const best = hits[0]?.score ?? 0;
  const threshold = Math.max(floor, best * 0.7);
  return hits.filter((hit) => hit.score >= threshold);
}

/**
 * Ranks files by their passages, sections and whole texts, and by the similarity of their windows. BM25 of different levels
 * and cosines are not comparable: each level is divided by its best file, so that 1 is the best file of every level. Files
 * known only by sections or as a whole have no passages.
 */
export function rankFiles({ keyword, semantic }: LegHits): FileHit[] {
  const passages = Map.groupBy(fuse({ keyword, semantic }), ({ fileId }) => fileId);
  const levels = keyword
    ? [keyword.hits, keyword.sections, keyword.files].filter((hits) => hits.length > 0).map(scoresByFile)
    : [];
  const words = new Map<string, number>();
  for (const level of levels)
    for (const [fileId, score] of level) words.set(fileId, (words.get(fileId) ?? 0) + score / levels.length);
  const meaning = scoresByFile(semantic ?? []);
  const share = shareOf({ keyword, semantic }, semanticShare.files);
  const files = [...new Set([...passages.keys(), ...words.keys()])]
    .map((fileId): FileHit => {
      const own = passages.get(fileId) ?? [];
      return {
        fileId,
        score: (1 - share) * (words.get(fileId) ?? 0) + share * (meaning.get(fileId) ?? 0),
        passages: own,
        semanticOnly: !words.has(fileId),
      };
    })
    .sort((x, y) => y.score - x.score || y.passages.length - x.passages.length || (x.fileId < y.fileId ? -1 : 1));
  return keepFirst(files, words);
}

/** Moves the best file of the words to the top. */
function keepFirst(files: readonly FileHit[], words: ReadonlyMap<string, number>): FileHit[] {
  const best = Math.max(...words.values());
  const first = files.find(({ fileId }) => words.get(fileId) === best);
  const score = files[0]?.score ?? 0;
  return first ? [{ ...first, score }, ...files.filter((file) => file !== first)] : [...files];
}

/**
 * Joins the passages of both legs, best first. A passage counts once per leg, with its best window. Ties are broken by the
 * keyword leg, then by id, so that equal searches return equal results.
 */
export function fuse({ keyword, semantic }: LegHits): FusedHit[] {
  const fused = new Map<string, FusedHit>();
  const share = shareOf({ keyword, semantic }, semanticShare.passages);
  const add = (leg: 'keyword' | 'semantic', hits: readonly Hit[], weight: number): void => {
    const best = hits[0]?.score || 1;
    let rank = 0;
    for (const { id, fileId, token, score } of hits) {
      const known = fused.get(id) ?? { id, fileId, score: 0, keyword: null, semantic: null, token: null };
      if (known[leg] !== null) continue;
      known[leg] = rank;
      known.token ??= token ?? null;
      known.score += (weight * score) / best;
      rank += 1;
      fused.set(id, known);
    }
  };
  add('keyword', keyword?.hits ?? [], 1 - share);
  add('semantic', semantic ?? [], share);
  return [...fused.values()].sort(byScore);
}

/** Adds passages that were searched for later, because a file was known only by its sections or as a whole. */
export function addPassages(files: readonly FileHit[], { keyword, semantic }: LegHits): FileHit[] {
  const passages = Map.groupBy(fuse({ keyword, semantic }), ({ fileId }) => fileId);
  return files.map((file) =>
    file.passages.length > 0 ? file : { ...file, passages: passages.get(file.fileId) ?? [] },
  );
}

/** The scores of one level by file, relative to the best file. */
function scoresByFile(hits: readonly Hit[]): Map<string, number> {
  const files = new Map<string, { score: number; hits: number }>();
  for (const { fileId, score } of hits) {
    const file = files.get(fileId) ?? { score: 0, hits: 0 };
    if (file.hits < hitsPerFile) file.score += score / (file.hits += 1);
    files.set(fileId, file);
  }
  const best = Math.max(0, ...[...files.values()].map(({ score }) => score)) || 1;
  return new Map([...files].map(([fileId, { score }]) => [fileId, score / best]));
}

/** The semantic share when both legs ran, else all or nothing. */
function shareOf({ keyword, semantic }: LegHits, share: number): number {
  if (!semantic) return 0;
  return keyword ? share : 1;
}

function byScore(x: FusedHit, y: FusedHit): number {
  return y.score - x.score || rankOf(x.keyword) - rankOf(y.keyword) || (x.id < y.id ? -1 : 1);
}

function rankOf(rank: number | null): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}
