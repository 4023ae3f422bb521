import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import type { Log } from '@overtone/service-kit';
import type { RowIdCache } from './lancedb-row-ids.ts';

/** From this many vectors on, a vector index is faster than a full scan. */
export const vectorIndexFrom = 20_000;
/**
 * The least time between two runs: milliseconds, and a multiple of the time that the last one took. `readersMs`: how long
 * searches may still read the files of a table that a purge has written again.
 */
export const maintenancePause = { ms: 2_000, ofLastRun: 4, readersMs: 5_000 };
const timeoutMs = 3_600_000;
/** Searches in progress may still read files that maintenance has replaced. */
const keepOldMs = 120_000;

/** Files that were replaced before this moment are read by no one any more. */
export function removableBefore(): Date {
  return new Date(Date.now() - keepOldMs);
}

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
  for (const column of ['owner_id', 'kind', 'media']) await table.createIndex(column, { config: Index.bitmap() });
  for (const column of ['uploaded', 'duration']) await table.createIndex(column, { config: Index.btree() });
  await table.createIndex('tags', { config: Index.labelList() });
  await table.createIndex('speakers', { config: Index.labelList() });
}

export type Maintenance = ReturnType<typeof createMaintenance>;
/**
 * `optimize`: joins small files and adds rows to the indices. `rewrite`: writes every row and index again, without what was
 * deleted: LanceDB leaves deleted rows in files of which they are a small part. `prune`: deletes all files of earlier versions.
 */
export const optimizerModes = ['optimize', 'rewrite', 'prune'] as const;
type Mode = (typeof optimizerModes)[number];
export type Optimize = (table: string, signal: AbortSignal | undefined, mode?: Mode) => Promise<void>;
type MaintenanceOptions = { optimize: Optimize; pause: typeof maintenancePause; log: Log };
type RunOptions = { force: boolean; signal?: AbortSignal | undefined };

/**
 * Adds newly written rows to the indices; until then they slow searches down. A run takes seconds at 100,000 passages,
 * because LanceDB writes the table again, so that runs become rarer with its size.
 */
export function createMaintenance({ optimize, pause, log }: MaintenanceOptions) {
  let written = false;
  let last = { endedAt: Date.now(), ms: 0 };
  return {
    noteWrite: (): void => void (written = true),
    isDue: (): boolean => written && Date.now() - last.endedAt >= Math.max(pause.ms, pause.ofLastRun * last.ms),
    run: async (
      { table, rowIds }: { table: Table; rowIds: RowIdCache },
      { force, signal }: RunOptions,
    ): Promise<void> => {
      if (!written && !force) return;
      const started = Date.now();
      written = false;
      try {
        await optimize(table.name, signal);
      } catch (err) {
        written = true;
        throw err;
      } finally {
        last = { endedAt: Date.now(), ms: Date.now() - started };
      }
      await table.checkoutLatest();
      await rowIds.scan();
      log.debug({ ms: last.ms }, 'search index optimized');
    },
  };
}

/**
 * Optimizes a table in a process of its own, with lower priority: within this one, searches would wait for the engine's
 * threads (measured: four times as long). Nothing else may write at the same time.
 */
export function createOptimizer(directory: string, indexFrom: number): Optimize {
  const script = fileURLToPath(new URL('./lancedb-optimize.child.ts', import.meta.url));
  return async (table, signal, mode = 'optimize') => {
    const args = ['--no-warnings', script, directory, table, String(indexFrom), mode];
    const env = { LANCEDB_LOG: 'error' };
    await promisify(execFile)(process.execPath, args, { env, signal, timeout: timeoutMs });
  };
}
