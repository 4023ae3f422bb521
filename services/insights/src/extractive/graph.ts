import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Sentence } from './sentences.ts';

/** Similarity of sentences: from word overlap (tf-idf cosine), and from their vectors when there are any. */
export type Similarity = (one: number, other: number) => number;
type SparseVector = ReadonlyMap<string, number>;
type Edge = { to: number; weight: number };

const minSimilarity = 0.1;
const maxNeighbours = 20;
/** Words in more sentences than this connect everything with everything; they count for similarity only. */
const maxPostings = 300;
const damping = 0.85;
const iterations = 25;
/** Sentences that are compared without a pause for other requests. */
const sentencesAtOnce = 50;

/** Tf-idf vectors of length 1 over the sentences of one transcript. */
export function weighTerms(sentences: readonly Pick<Sentence, 'terms'>[]): SparseVector[] {
  const frequencies = new Map<string, number>();
  for (const { terms } of sentences)
    for (const term of new Set(terms)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return sentences.map(({ terms }) => {
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const [term, count] of counts)
      counts.set(term, (1 + Math.log(count)) * Math.log(1 + sentences.length / (frequencies.get(term) ?? 1)));
    return toUnitLength(counts);
  });
}

/** @param vectors one per sentence, of any length, or null: word overlap only. */
export function similarityOf(weights: readonly SparseVector[], vectors: readonly Float32Array[] | null): Similarity {
  const norms = vectors?.map((vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1);
  return (one, other) => {
    const words = dotProduct(weights[one] ?? new Map(), weights[other] ?? new Map());
    const [left, right] = [vectors?.[one], vectors?.[other]];
    if (!left || !right || left.length !== right.length) return words;
    let sum = 0;
    for (let i = 0; i < left.length; i += 1) sum += (left[i] ?? 0) * (right[i] ?? 0);
    return (words + Math.max(0, sum / ((norms?.[one] ?? 1) * (norms?.[other] ?? 1)))) / 2;
  };
}

/**
 * Centrality of each sentence in the graph of similar sentences, between 0 and 1: the best has 1. A recording of ten hours
 * takes seconds of processor time, with pauses for other requests.
 */
export async function rankSentences(weights: readonly SparseVector[], similarity: Similarity): Promise<number[]> {
  const edges = await connect(weights, similarity);
  const totals = edges.map((list) => list.reduce((sum, { weight }) => sum + weight, 0) || 1);
  let ranks = new Float64Array(weights.length).fill(1);
  for (let round = 0; round < iterations; round += 1) {
    await yieldToOthers();
    const next = new Float64Array(weights.length).fill(1 - damping);
    for (const [from, list] of edges.entries())
      for (const { to, weight } of list)
        next[to] = (next[to] ?? 0) + (damping * (ranks[from] ?? 0) * weight) / (totals[from] ?? 1);
    ranks = next;
  }
  const best = ranks.reduce((most, rank) => Math.max(most, rank), 0) || 1;
  return Array.from(ranks, (rank) => rank / best);
}

/** Edges between sentences that share a word, found through the sentences of each word, not by comparing all pairs. */
async function connect(weights: readonly SparseVector[], similarity: Similarity): Promise<Edge[][]> {
  const postings = new Map<string, Edge[]>();
  const edges = weights.map((): Edge[] => []);
  // One array for all sentences: a map for each would take most of the time.
  const shared = new Float64Array(weights.length);
  for (const [at, vector] of weights.entries()) {
    if (at % sentencesAtOnce === 0) await yieldToOthers();
    const touched: number[] = [];
    for (const [term, weight] of vector) {
      const earlier = postings.get(term) ?? [];
      if (earlier.length <= maxPostings)
        for (const { to, weight: other } of earlier) {
          if (shared[to] === 0) touched.push(to);
          shared[to] = (shared[to] ?? 0) + weight * other;
        }
      if (earlier.length === 0) postings.set(term, earlier);
      earlier.push({ to: at, weight });
    }
    const wordsOf = (other: number): number => shared[other] ?? 0;
    const near = touched.filter((other) => wordsOf(other) >= minSimilarity);
    for (const other of near.toSorted((x, y) => wordsOf(y) - wordsOf(x)).slice(0, maxNeighbours)) {
      const weight = similarity(at, other);
      edges[at]?.push({ to: other, weight });
      edges[other]?.push({ to: at, weight });
    }
    for (const other of touched) shared[other] = 0;
  }
  return edges;
}

function dotProduct(one: SparseVector, other: SparseVector): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one];
  let sum = 0;
  for (const [term, weight] of small) sum += weight * (large.get(term) ?? 0);
  return sum;
}

function toUnitLength(weights: Map<string, number>): SparseVector {
  let squares = 0;
  for (const weight of weights.values()) squares += weight * weight;
  const length = Math.sqrt(squares) || 1;
  for (const [term, weight] of weights) weights.set(term, weight / length);
  return weights;
}
