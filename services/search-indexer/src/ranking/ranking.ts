/** What a leg found, best first. `score` is the leg's own: BM25, or cosine similarity. */
export type Hit = {
  id: string;
  fileId: string;
  score: number;
  /** Where in the passage, if the leg knows: its n-th token. */
  token?: number;
};
/** A passage with its rank in either leg (0 = best), null where a leg did not find it. */
export type Fused = {
  id: string;
  fileId: string;
  score: number;
  keyword: number | null;
  semantic: number | null;
  /** Where in the passage the meaning is; null where it was not looked for. */
  token: number | null;
};
export type FileHit = { fileId: string; score: number; passages: Fused[]; semanticOnly: boolean };

/** The usual constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): how little the first rank counts. */
export const rrfK = 60;

/**
 * Reciprocal rank fusion: the legs' scores cannot be compared, their ranks can. A leg that names a passage twice
 * counts once. Ties go to the keyword leg, then by id, so that equal searches give equal answers.
 */
export const fuse = (keyword: readonly Hit[], semantic: readonly Hit[], k = rrfK): Fused[] => {
  const fused = new Map<string, Fused>();
  const add = (leg: 'keyword' | 'semantic', hits: readonly Hit[]) => {
    let rank = 0;
    for (const { id, fileId, token } of hits) {
      const known = fused.get(id) ?? { id, fileId, score: 0, keyword: null, semantic: null, token: null };
      // A passage's best window speaks for it.
      if (known[leg] !== null) continue;
      known[leg] = rank;
      known.token ??= token ?? null;
      rank += 1;
      known.score += 1 / (k + rank);
      fused.set(id, known);
    }
  };
  add('keyword', keyword);
  add('semantic', semantic);
  return [...fused.values()].sort(byScore);
};

const rankOf = (rank: number | null): number => rank ?? Number.MAX_SAFE_INTEGER;
const byScore = (a: Fused, b: Fused): number =>
  b.score - a.score || rankOf(a.keyword) - rankOf(b.keyword) || (a.id < b.id ? -1 : 1);

/** Groups passages by file; a file is as good as its best passage, then as the number of its passages. */
export const groupByFile = (passages: readonly Fused[]): FileHit[] => {
  const files = new Map<string, FileHit>();
  for (const p of passages) {
    const file = files.get(p.fileId) ?? { fileId: p.fileId, score: p.score, passages: [], semanticOnly: true };
    file.passages.push(p);
    file.score = Math.max(file.score, p.score);
    if (p.keyword !== null) file.semanticOnly = false;
    files.set(p.fileId, file);
  }
  return [...files.values()].sort(
    (a, b) => b.score - a.score || b.passages.length - a.passages.length || (a.fileId < b.fileId ? -1 : 1),
  );
};

/** The fused score as a share of the best that is possible with these legs: 1 = first in every leg that ran. */
export const relevance = (score: number, legs: number, k = rrfK): number =>
  legs === 0 ? 0 : Math.min(1, (score * (k + 1)) / legs);

/**
 * Vectors are near to something always; only what is near enough is an answer. `floor` is the similarity below which
 * texts have nothing to do with each other, and what lies far behind the best hit goes too.
 */
export const nearEnough = (hits: readonly Hit[], floor: number): Hit[] => {
  const best = hits[0]?.score ?? 0;
  const least = Math.max(floor, best * 0.7);
  return hits.filter((h) => h.score >= least);
};
