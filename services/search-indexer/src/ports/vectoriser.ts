import type { VectorModel } from './search-index.ts';

/** Vectors of texts; null where a text holds nothing that the model knows. */
export type Vectors = { model: VectorModel; vectors: (Float32Array | null)[] };

/** Turns texts into vectors: the same model for documents and queries. */
export type Vectoriser = {
  /** @throws AppError unavailable when nobody answers. */
  documents: (texts: readonly string[], signal: AbortSignal, done?: (share: number) => void) => Promise<Vectors>;
  /** The vector of a query, soon or not at all. @throws AppError unavailable. */
  query: (text: string) => Promise<{ model: VectorModel; vector: Float32Array | null }>;
  /** Name of the model that answers now; never from memory. @throws AppError unavailable. */
  model: () => Promise<string>;
};
