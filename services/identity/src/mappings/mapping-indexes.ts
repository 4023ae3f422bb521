import { compileMappings, type MappingIndex } from '@overtone/directory';
import type { MappingSource } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { mappingsStore as store } from './mappings.store.ts';

/** The effective mappings, by source. */
export type MappingIndexes = {
  of: (db: Db | Tx, source: MappingSource) => Promise<MappingIndex>;
  /** The same when the mappings of just this state are at hand. */
  kept: (source: MappingSource, version: string | null) => MappingIndex | undefined;
};

/**
 * Keeps each source's mappings compiled for as long as the database names the same state of them: asked at every use, so
 * that a change counts on every replica from its commit on.
 */
export const createMappingIndexes = (): MappingIndexes => {
  const known = new Map<MappingSource, { version: string | null; index: MappingIndex }>();
  const keptOf = (source: MappingSource, version: string | null): MappingIndex | undefined => {
    const kept = known.get(source);
    return kept?.version === version ? kept.index : undefined;
  };
  return {
    kept: keptOf,
    of: async (db, source) => {
      const kept = keptOf(source, await store.version(db, source));
      if (kept) return kept;
      const loaded = await store.rules(db, source);
      const index = compileMappings(source, loaded.rules, loaded.version !== null);
      known.set(source, { version: loaded.version, index });
      return index;
    },
  };
};
