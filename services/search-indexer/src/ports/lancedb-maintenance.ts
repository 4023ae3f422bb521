import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import type { Log } from '@overtone/service-kit';
import type { OpenTable } from './lancedb-tables.ts';

/** From this many vectors on, a vector index is faster than a full scan. */
export const vectorIndexFrom = 20_000;
/** LanceDB's own maintenance joins partitions of less than 1,024 rows, which takes longer than the rest of it. */
const rowsPerPartition = 2_048;
/** The least time between two runs: milliseconds, and a multiple of the time that the last one took. */
export const maintenancePause = { ms: 2_000, ofLastRun: 4 };
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
type MaintenanceOptions = { log: Log; indexFrom: number; pause: typeof maintenancePause };

/**
 * Adds newly written rows to the indices; until then they slow searches down. A run takes seconds at 100,000 passages,
 * because LanceDB writes the table anew, so that runs become rarer with its size.
 */
export function createMaintenance({ log, indexFrom, pause }: MaintenanceOptions) {
  let written = false;
  let last = { endedAt: Date.now(), ms: 0 };
  return {
    noteWrite: (): void => void (written = true),
    isDue: (): boolean => written && Date.now() - last.endedAt >= Math.max(pause.ms, pause.ofLastRun * last.ms),
    run: async ({ lance, table, rowIds }: OpenTable, { force }: { force: boolean }): Promise<void> => {
      if (!written && !force) return;
      written = false;
      const started = Date.now();
      await table.optimize({ cleanupOlderThan: new Date(started - keepOldMs) });
      await ensureVectorIndex(lance, table, indexFrom);
      await rowIds.scan();
      const endedAt = Date.now();
      last = { endedAt, ms: endedAt - started };
      log.debug({ ms: last.ms }, 'search index optimized');
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
  const partitions = Math.ceil(rows / rowsPerPartition);
  const present = (await table.listIndices()).find((i) => i.columns.includes('vector'));
  if (present) {
    if (Number(present.name.split('_').at(-1)) * 2 > partitions) return;
    await table.dropIndex(present.name);
  }
  const config = Index.ivfFlat({ distanceType: 'cosine', numPartitions: partitions });
  await table.createIndex('vector', { config, name: nameOf(partitions) });
}
