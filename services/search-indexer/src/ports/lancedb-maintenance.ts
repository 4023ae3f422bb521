import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import type { Log } from '@overtone/service-kit';

/** From this many vectors on an index is faster than looking at each of them. */
export const vectorIndexFrom = 20_000;
const afterWrites = 20;
const afterMs = 60_000;
/** Searches that began before a housekeeping may still read the files it makes superfluous. */
const keepOldMs = 120_000;

/** Indices every build has from its first row: words, ids, and what filters ask for. */
export const createRowIndices = async ({ Index }: typeof lancedb, table: Table): Promise<void> => {
  // Our own stems, divided by blanks: LanceDB must not analyse them a second time.
  const words = Index.fts({
    withPosition: true,
    baseTokenizer: 'whitespace',
    stem: false,
    removeStopWords: false,
    lowercase: false,
    asciiFolding: false,
    maxTokenLength: 200,
  });
  await table.createIndex('terms', { config: words });
  await table.createIndex('id', { config: Index.btree() });
  await table.createIndex('file_id', { config: Index.btree() });
  await table.createIndex('owner_id', { config: Index.bitmap() });
  await table.createIndex('tags', { config: Index.labelList() });
  await table.createIndex('speakers', { config: Index.labelList() });
};

/** Rows written one file at a time lie outside the indices until they are folded in; searches slow down meanwhile. */
export const createMaintenance = (log: Log, indexFrom: number) => {
  let writes = 0;
  let last = Date.now();
  return {
    wrote: (): void => void (writes += 1),
    due: (): boolean => writes >= afterWrites || (writes > 0 && Date.now() - last >= afterMs),
    run: async (lance: typeof lancedb, table: Table, { force }: { force: boolean }): Promise<void> => {
      if (writes === 0 && !force) return;
      writes = 0;
      const started = Date.now();
      await table.optimize({ cleanupOlderThan: new Date(started - keepOldMs) });
      await ensureVectorIndex(lance, table, indexFrom);
      last = Date.now();
      log.debug({ ms: last - started }, 'search index tidied');
    },
  };
};

const nameOf = (partitions: number): string => `vector_in_${partitions}`;

/**
 * Partitions of whole vectors: built in seconds, and distances are the real ones (those of LanceDB's compressed indices
 * are not cosines, so that no floor could be set). Made anew when the table has outgrown its partitions.
 */
const ensureVectorIndex = async ({ Index }: typeof lancedb, table: Table, from: number): Promise<void> => {
  const schema = await table.schema();
  if (!schema.fields.some((f) => f.name === 'vector')) return;
  const rows = await table.countRows('vector is not null');
  if (rows < from) return;
  const partitions = Math.round(Math.sqrt(rows));
  const present = (await table.listIndices()).find((i) => i.columns.includes('vector'));
  if (present) {
    if (Number(present.name.split('_').at(-1)) * 2 > partitions) return;
    await table.dropIndex(present.name);
  }
  const config = Index.ivfFlat({ distanceType: 'cosine', numPartitions: partitions });
  await table.createIndex('vector', { config, name: nameOf(partitions) });
};
