import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError, unavailable, type Log } from '@overtone/service-kit';
import AsyncLock from 'async-lock';
import { createBuildsFile } from './lancedb-builds.ts';
import { createFolderCheck } from './lancedb-folder.ts';
import { readPassages, searchLegs } from './lancedb-legs.ts';
import { createMaintenance, createOptimizer, maintenancePause, vectorIndexFrom } from './lancedb-maintenance.ts';
import { createLanceTables, type OpenTable } from './lancedb-tables.ts';
import { createLanceWrites } from './lancedb-writes.ts';
import { searchNothing, type SearchIndex } from './search-index.ts';

type LanceOptions = {
  directory: string;
  /** Without its marker the folder is unavailable: nothing is written to what may be another disk. */
  requiresMarker?: boolean | undefined;
  log: Log;
  indexFrom?: number;
  pause?: typeof maintenancePause;
};

/** The embedded index: LanceDB tables in a local folder, for one process. */
export function createLanceIndex(options: LanceOptions): SearchIndex {
  const { directory, log, indexFrom = vectorIndexFrom, pause = maintenancePause } = options;
  const requireFolder = createFolderCheck(options);
  const file = createBuildsFile(directory, requireFolder);
  const tables = createLanceTables({ directory, file, log });
  const optimize = createOptimizer(directory, indexFrom);
  const maintenance = createMaintenance({ optimize, pause, log });
  const writes = createLanceWrites({ file, tables, maintenance });
  const lock = new AsyncLock({ maxPending: Infinity });
  /** Serializes writes, because concurrent LanceDB writes conflict over the next version. */
  const serialize = <T>(work: () => Promise<T>): Promise<T> =>
    lock.acquire('write', async () => {
      await requireFolder();
      return await work();
    });
  const openCurrent = async (): Promise<OpenTable | null> => {
    const { current } = await file.read();
    return current && tables.open(current.id);
  };

  return {
    backend: 'lancedb',
    builds: file.read,
    beginBuild: (role, model) => serialize(() => writes.beginBuild(role, model)),
    promote: () => serialize(writes.promote),
    discardBuild: () => serialize(writes.discardBuild),
    replaceFile: (build, fileId, rows, model) => serialize(() => writes.replaceFile(build, fileId, rows, model)),
    removeFile: (fileId) => serialize(() => writes.removeFile(fileId)),
    search: withReadErrors(async (request) => {
      const { current } = await file.read();
      return current ? searchLegs(await tables.open(current.id), current, request) : searchNothing(request);
    }),
    passages: withReadErrors(async (ids) => {
      const opened = ids.length > 0 ? await openCurrent() : null;
      return opened ? readPassages(opened, ids) : [];
    }),
    countByFile: withReadErrors(async () => {
      const counts = new Map<string, number>();
      const opened = await openCurrent();
      const rows = opened?.table.query().where(`kind in ('card', 'passage')`).select(['file_id', 'kind']);
      for await (const batch of rows ?? [])
        for (const row of batch) {
          const fileId = String(row['file_id']);
          counts.set(fileId, (counts.get(fileId) ?? 0) + (row['kind'] === 'passage' ? 1 : 0));
        }
      return counts;
    }),
    countPassages: withReadErrors(async () => (await (await openCurrent())?.table.countRows(`kind = 'passage'`)) ?? 0),
    maintain: async (signal) => {
      if (!maintenance.isDue()) return;
      await serialize(async () => {
        const opened = await openCurrent();
        if (opened)
          await maintenance.run(opened, { force: false, signal }).catch((err: unknown) => {
            if (!signal?.aborted) throw err;
          });
      });
    },
    purge: async (signal) => {
      const purgeAll = (mode: 'rewrite' | 'prune'): Promise<void> =>
        serialize(async () => {
          const { current, building } = await file.read();
          for (const build of [current, building]) {
            if (!build) continue;
            const { table, rowIds } = await tables.open(build.id);
            await optimize(table.name, signal, mode);
            await table.checkoutLatest();
            await rowIds.scan();
          }
        });
      await purgeAll('rewrite');
      // Searches in progress have opened the earlier files.
      await sleep(pause.readersMs, undefined, signal ? { signal } : {});
      await purgeAll('prune');
    },
    ping: withReadErrors(async () => {
      await file.probe();
      // A probe does not load the engine.
      if (tables.isEngineLoaded()) await (await openCurrent())?.table.version();
    }),
    close: () => lock.acquire('write', tables.close),
  };
}

/** Deleted or damaged files are an index that cannot be read, with what to do, and no error of the program. */
function withReadErrors<A extends unknown[], T>(read: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  return (...args) =>
    read(...args).catch((cause: unknown) => {
      if (isAppError(cause)) throw cause;
      throw unavailable(
        'search_unavailable',
        'The search index cannot be read. If its files were deleted or damaged, start a reindex in Administration, Search.',
        { cause, retryAfterSeconds: 10 },
      );
    });
}
