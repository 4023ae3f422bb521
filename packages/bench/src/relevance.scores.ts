/** Means over all questions; `mrr` and `ndcg` with one relevant file per question. */
export type Scores = { r1: number; r5: number; mrr: number; ndcg: number };

/** Scores of ranked files. The order is not changed: files of equal score are in order of their id. */
export function scoresOf(ranked: readonly { wanted: string; found: readonly string[] }[]): Scores {
  const ranks = ranked.map(({ wanted, found }) => found.indexOf(wanted) + 1);
  const mean = (score: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + (rank > 0 ? score(rank) : 0), 0) / Math.max(1, ranks.length);
  return {
    r1: mean((rank) => Number(rank === 1)),
    r5: mean((rank) => Number(rank <= 5)),
    mrr: mean((rank) => 1 / rank),
    ndcg: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
  };
}
