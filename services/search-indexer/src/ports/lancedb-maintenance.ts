import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import type { Log } from '@overtone/service-kit';

/** From this many vectors on, a vector index is faster than a full scan. */
export const vectorIndexFrom = 20_000;
const afterWrites = 20;
const afterMs = 60_000;
/** Searches in progress may still read files that maintenance has replaced. */
const keepOldMs = 120_000;

/** Creates the indices of a new build: terms, ids and filter columns. */
export async function createRowIndices({ Index }: typeof lancedb, table: Table): Promise<void> {
  // The terms are stems separated by spaces: LanceDB must not analyse them again.
  const words = (withPosition: boolean) =>
    Index.fts({
      withPosition,
      baseTokenizer: 'whitespace',
      stem: false,
      removeStopWords: false,
      lowercase: false,
      asciiFolding: false,
      maxTokenLength: 200,
    });
  await table.createIndex('terms', { config: words(true) });
  await table.createIndex('section_terms', { config: words(false) });
  await table.createIndex('file_terms', { config: words(false) });
  await table.createIndex('id', { config: Index.btree() });
  await table.createIndex('file_id', { config: Index.btree() });
  await table.createIndex('owner_id', { config: Index.bitmap() });
  await table.createIndex('tags', { config: Index.labelList() });
  await table.createIndex('speakers', { config: Index.labelList() });
}

export type Maintenance = ReturnType<typeof createMaintenance>;

/** Adds newly written rows to the indices; until then they slow searches down. */
export function createMaintenance(log: Log, indexFrom: number) {
  let writes = 0;
  let last = Date.now();
  return {
    countWrite: (): void => void (writes += 1),
    isDue: (): boolean => writes >= afterWrites || (writes > 0 && Date.now() - last >= afterMs),
    run: async (
      { lance, table }: { lance: typeof lancedb; table: Table },
      { force }: { force: boolean },
    ): Promise<void> => {
      if (writes === 0 && !force) return;
      writes = 0;
      const started = Date.now();
      await table.optimize({ cleanupOlderThan: new Date(started - keepOldMs) });
      await ensureVectorIndex(lance, table, indexFrom);
      last = Date.now();
      log.debug({ ms: last - started }, 'search index optimized');
    },
  };
}

function nameOf(partitions: number): string {
  return `vector_in_${partitions}`;
}

/**
 * An index of uncompressed vectors: built in seconds and with exact distances (distances of LanceDB's compressed indices
 * are not cosines, so that no minimum could be set). Rebuilt when the table has outgrown its partitions.
 */
async function ensureVectorIndex({ Index }: typeof lancedb, table: Table, from: number): Promise<void> {
  const schema = await table.schema();
  if (!schema.fields.some((field) => field.name === 'vector')) return;
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
}
