import type { Hit, KeywordHits } from '../ports/search-index.ts';
import type { FileHit, FusedHit } from './search.ts';

/** The hits of both legs, best first; null: the leg did not run. */
export type LegHits = { keyword: KeywordHits | null; semantic: readonly Hit[] | null };

/** The share of the semantic leg in the score of a passage that both legs found. */
const semanticShare = 0.25;
/** A file counts with its best hits of a level, the n-th divided by n. */
const hitsPerFile = 3;

/**
 * Drops semantic hits that are too dissimilar: below `minSimilarity`, or far below the best hit. A nearest neighbor search
 * always returns something.
 */
export function filterBySimilarity(hits: readonly Hit[], minSimilarity: number): Hit[] {
  const best = hits[0]?.score ?? 0;
  const threshold = Math.max(minSimilarity, best * 0.7);
  return hits.filter((hit) => hit.score >= threshold);
}

/** Passages by meaning that are shown; those after them only rank files that the words found. */
const shownByMeaning = 50;

/**
 * Ranks files by their passages, sections and whole texts. BM25 of different levels is not comparable: each level is divided
 * by its best file, so that 1 is the best file of every level. Files known only by sections or as a whole have no passages.
 * @param meaningShare the share of meaning in the score of a file. With 0, meaning decides between files with equal words, and
 *   adds files that the words did not find: the order by word vectors is much worse than that by words (measured:
 *   `./overtone bench relevance`).
 */
export function rankFiles({ keyword, semantic }: LegHits, meaningShare = 0): FileHit[] {
  const shown = semantic && semantic.slice(0, shownByMeaning);
  const passages = Map.groupBy(fuse({ keyword, semantic: shown }), ({ fileId }) => fileId);
  const words = wordScores(keyword);
  const meaning = scoresByFile(semantic ?? []);
  const share = keyword ? meaningShare : 0;
  const lowest = Math.min(1, ...words.values());
  return [...new Set([...words.keys(), ...(shown ?? []).map(({ fileId }) => fileId)])]
    .map((fileId) => {
      const [byWords, byMeaning] = [words.get(fileId), meaning.get(fileId) ?? 0];
      const withoutShare = byWords ?? byMeaning * lowest;
      return {
        fileId,
        score: share > 0 ? (1 - share) * (byWords ?? 0) + share * byMeaning : withoutShare,
        passages: passages.get(fileId) ?? [],
        semanticOnly: byWords === undefined,
        byMeaning,
      };
    })
    .sort(
      (x, y) =>
        y.score - x.score ||
        Number(x.semanticOnly) - Number(y.semanticOnly) ||
        y.byMeaning - x.byMeaning ||
        y.passages.length - x.passages.length ||
        (x.fileId < y.fileId ? -1 : 1),
    )
    .map(({ byMeaning: _, ...file }) => file);
}

/** The mean of the levels that found something. */
function wordScores(keyword: KeywordHits | null): Map<string, number> {
  const words = new Map<string, number>();
  if (!keyword) return words;
  const levels = [keyword.hits, keyword.sections, keyword.files].filter((hits) => hits.length > 0).map(scoresByFile);
  for (const level of levels)
    for (const [fileId, score] of level) words.set(fileId, (words.get(fileId) ?? 0) + score / levels.length);
  return words;
}

/**
 * Joins the passages of both legs, best first. A passage counts once per leg, with its best window. Ties are broken by the
 * keyword leg, then by id, so that equal searches return equal results.
 */
export function fuse({ keyword, semantic }: LegHits): FusedHit[] {
  const fused = new Map<string, FusedHit>();
  const share = shareOf({ keyword, semantic });
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
function shareOf({ keyword, semantic }: LegHits): number {
  if (!semantic) return 0;
  return keyword ? semanticShare : 1;
}

function byScore(x: FusedHit, y: FusedHit): number {
  return y.score - x.score || rankOf(x.keyword) - rankOf(y.keyword) || (x.id < y.id ? -1 : 1);
}

function rankOf(rank: number | null): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}
