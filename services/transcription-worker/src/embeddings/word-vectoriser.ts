import type { WordVectors } from './vector-file.ts';

/**
 * The vector of a text: the frequency-weighted mean of its words, without what all texts have in common, normalised.
 * All zeros when none of its words is known.
 */
export function vectorOf(vectors: WordVectors, common: Float32Array | undefined, text: string): Float32Array {
  const sum = new Float32Array(vectors.dim);
  for (const word of wordsOf(text)) {
    const index = vectors.find(word);
    if (index >= 0) vectors.addTo(sum, index, weightOf(vectors.rank(index)));
  }
  if (common) removeDirection(sum, common);
  return normalise(sum);
}

/** The direction that frequent words share; every mean of words leans towards it. */
export function commonDirection(vectors: WordVectors): Float32Array {
  const sum = new Float32Array(vectors.dim);
  for (let i = 0; i < vectors.size; i++) if (vectors.rank(i) < 200) vectors.addTo(sum, i, 1);
  return normalise(sum);
}

/** Pulls out words as the vectors' vocabulary spells them: lower case, contractions split, numbers kept. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}]+|\p{N}+/gu) ?? [];
}

/** How much a word counts: frequent words say little (smooth inverse frequency, estimated from the rank by Zipf's law). */
function weightOf(rank: number): number {
  const frequency = 0.1 / (rank + 1);
  return 2e-4 / (2e-4 + frequency);
}

function removeDirection(vector: Float32Array, unit: Float32Array): void {
  let along = 0;
  for (let i = 0; i < vector.length; i++) along += (vector[i] ?? 0) * (unit[i] ?? 0);
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) - along * (unit[i] ?? 0);
}

function normalise(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const x of vector) sum += x * x;
  const norm = Math.sqrt(sum);
  if (norm > 0) for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] ?? 0) / norm;
  return vector;
}
