import { compileMappings, type MappingIndex } from '@overtone/directory';
import type { MappingSource } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { mappingsStore as store } from './mappings.store.ts';

/** The effective mappings, by source. */
export type MappingIndexes = {
  of: (db: Db | Tx, source: MappingSource) => Promise<MappingIndex>;
  /** The cached index, if it has this version. */
  cached: (source: MappingSource, version: string | null) => MappingIndex | undefined;
};

/**
 * Caches the compiled mappings of each source by their version, which is read at every use: a change is effective on
 * every replica after its commit.
 */
export function createMappingIndexes(): MappingIndexes {
  const cache = new Map<MappingSource, { version: string | null; index: MappingIndex }>();
  const cachedOf = (source: MappingSource, version: string | null): MappingIndex | undefined => {
    const entry = cache.get(source);
    return entry?.version === version ? entry.index : undefined;
  };
  return {
    cached: cachedOf,
    of: async (db, source) => {
      const cached = cachedOf(source, await store.version(db, source));
      if (cached) return cached;
      const loaded = await store.rules(db, source);
      const index = compileMappings(source, loaded.rules, loaded.version !== null);
      cache.set(source, { version: loaded.version, index });
      return index;
    },
  };
}
