import type { TextVectors } from '@overtone/service-kit';
import type { VectorModel } from './search-index.ts';

/** Turns texts into vectors: the same model for documents and queries. */
export type Vectoriser = {
  /** @throws AppError unavailable when no worker responds. */
  documents: (texts: readonly string[], signal: AbortSignal, done?: (share: number) => void) => Promise<TextVectors>;
  /**
   * The vector of a query, with a short timeout. `model`: that of the searched index; null: the workers' current model.
   * @throws AppError unavailable, also when the workers have that model no longer.
   */
  query: (text: string, model: string | null) => Promise<{ model: VectorModel; vector: Float32Array | null }>;
  /** Name of the workers' current model; never cached. @throws AppError unavailable. */
  model: () => Promise<string>;
};
