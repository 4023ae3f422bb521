/** Okapi BM25 over whole texts with the usual constants, in memory: the peer of the search. */
const [saturation, lengthShare] = [1.2, 0.75];

export type Document = { id: string; stems: readonly string[] };

/** @returns a function that ranks all documents for stems, best first; equal scores in order of id. */
export function rankByBm25(documents: readonly Document[]): (stems: readonly string[]) => string[] {
  const postings = new Map<string, Map<number, number>>();
  for (const [i, { stems }] of documents.entries())
    for (const stem of stems) {
      const posting = postings.get(stem) ?? new Map<number, number>();
      posting.set(i, (posting.get(i) ?? 0) + 1);
      postings.set(stem, posting);
    }
  const average = documents.reduce((sum, { stems }) => sum + stems.length, 0) / documents.length;
  return (query) => {
    const scores = documents.map(() => 0);
    for (const stem of new Set(query)) {
      const posting = postings.get(stem) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - posting.size + 0.5) / (posting.size + 0.5));
      for (const [i, count] of posting) {
        const length = 1 - lengthShare + (lengthShare * (documents[i]?.stems.length ?? 0)) / average;
        scores[i] = (scores[i] ?? 0) + (rarity * count * (saturation + 1)) / (count + saturation * length);
      }
    }
    return documents
      .map(({ id }, i) => ({ id, score: scores[i] ?? 0 }))
      .sort((x, y) => y.score - x.score || (x.id < y.id ? -1 : 1))
      .map(({ id }) => id);
  };
}
