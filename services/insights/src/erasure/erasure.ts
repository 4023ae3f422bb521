import type { Tx } from '../database.ts';

/** What a slice deletes of a file, and of a person. Both find nothing when they are repeated. */
export type Forgets = {
  file?: (tx: Tx, fileId: string) => Promise<void>;
  /** @returns what was deleted, by kind, e.g. `{ summaries: 3 }`. */
  person?: (tx: Tx, userId: string) => Promise<Record<string, number>>;
};
