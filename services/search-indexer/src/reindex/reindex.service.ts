import { conflict, isAppError, type Log } from '@overtone/service-kit';
import type { Pool } from 'pg';
import type { Db, Tx } from '../database.ts';
import type { Reindex } from '../generated/client.ts';
import type { Build, SearchIndex } from '../ports/search-index.ts';
import type { Transcripts } from '../ports/transcripts.ts';
import { listTranscribed, type Consistency, type FileScope } from './consistency.service.ts';
import { rateSeconds, type Counts, type ReindexStore, type ReindexScope } from './reindex.store.ts';

export type ReindexDeps = {
  db: Db;
  index: SearchIndex;
  indexing: { indexFile: (fileId: string, options: { signal: AbortSignal; onlyBuild?: Build }) => Promise<unknown> };
  transcripts: Transcripts;
  consistency: Consistency;
  store: ReindexStore;
  pool: Pool;
  log: Log;
};
export type ReindexStart = { status: 'started' | 'running' | 'nothing'; total: number };
/** Records the action of an administrator in the transaction of the change. */
export type RecordStart = (tx: Tx, total: number) => Promise<void>;

const pageSize = 500;
const dueAtOnce = 50;
/** The name of earlier releases, whose replicas run beside those of this one during an update. */
const lockName = 'search-indexer rebuild';

/**
 * Indexes files again. All files: a second build of the index is filled from the database while the first one serves, then
 * they are swapped. Chosen files are replaced in the index that serves. Progress is stored in the database, so that any
 * replica can continue an interrupted reindex.
 */
export function createReindex(deps: ReindexDeps) {
  const { db, index, indexing, transcripts, consistency, store, pool, log } = deps;

  const indexOne = async (fileId: string, signal: AbortSignal, onlyBuild?: Build): Promise<boolean> => {
    try {
      await indexing.indexFile(fileId, { signal, ...(onlyBuild ? { onlyBuild } : {}) });
      return true;
    } catch (err) {
      // With an upstream service unavailable, the reindex pauses and continues later. Other errors concern only this file.
      if (signal.aborted || (isAppError(err) && err.kind === 'unavailable')) throw err;
      await store.recordFailure(fileId, err instanceof Error ? err.message : 'unknown');
      log.warn({ err: err as Error, file_id: fileId }, 'file reindex failed: retry scheduled');
      return false;
    }
  };

  const countsOf = async (run: Reindex): Promise<Counts> => {
    if (run.finishedAt) return { total: run.total, indexed: run.indexed, failed: run.failed, recent: 0 };
    if (run.scope !== 'all') return store.countFiles(run.id);
    const { known, indexed, recent } = await store.countBuild(run.build);
    return { total: run.total || known, indexed, failed: run.failed, recent };
  };
  const finish = async (run: Reindex, state: 'stopped' | 'completed'): Promise<void> => {
    const current = await store.last();
    const counts = await countsOf(current ?? run);
    await store.finish(run.id, state, counts);
    log.info({ scope: run.scope, ...counts, ms: Date.now() - run.startedAt.getTime() }, `search reindex ${state}`);
  };

  /** The build of the run; null when it is complete already. */
  const buildOf = async (run: Reindex): Promise<Build | null> => {
    const { current, building } = await index.builds();
    if (run.build !== null && current?.id === run.build) return null;
    const build = building ?? (await index.beginBuild('building', null));
    if (build.id !== run.build) await store.setBuild(run.id, build.id);
    return build;
  };

  const discard = async (run: Reindex): Promise<void> => {
    const { current, building } = await index.builds();
    const counts = await countsOf(run);
    if (current && building) {
      await store.moveToBuild(building.id, current.id);
      await index.discardBuild();
      // Files that were written to both builds in between.
      await store.moveToBuild(building.id, current.id);
    }
    await store.finish(run.id, 'stopped', counts);
    log.info({ ...counts }, 'search reindex stopped: the new index is discarded');
  };

  const fillBuild = async (run: Reindex, signal: AbortSignal): Promise<void> => {
    if (run.state === 'stopping') return discard(run);
    const build = await buildOf(run);
    if (!build) return finish(run, 'completed');
    const files = await listTranscribed(transcripts);
    await store.setTotal(run.id, files.length);
    for (let offset = 0; offset < files.length; offset += pageSize) {
      const page = files.slice(offset, offset + pageSize);
      const versions = await store.inBuild(
        page.map(({ fileId }) => fileId),
        build.id,
      );
      for (const { fileId, transcriptVersion } of page) {
        signal.throwIfAborted();
        if ((versions.get(fileId) ?? -1) >= transcriptVersion) continue;
        if (await store.isStopping(run.id)) return discard({ ...run, build: build.id, total: files.length });
        if (!(await indexOne(fileId, signal, build))) await store.countFailure(run.id);
      }
    }
    await index.promote();
    await finish(run, 'completed');
  };

  const indexChosen = async (run: Reindex, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const due = await store.takeDue(run.id, dueAtOnce);
      if (due.length === 0) return finish(run, 'completed');
      for (const fileId of due) {
        signal.throwIfAborted();
        if (await store.isStopping(run.id)) return finish(run, 'stopped');
        await store.settle(run.id, fileId, (await indexOne(fileId, signal)) ? 'done' : 'failed');
      }
    }
  };

  const begin = async (
    { scope, required, fileIds }: { scope: ReindexScope; required: boolean; fileIds: readonly string[] },
    record?: RecordStart,
  ): Promise<ReindexStart> => {
    if (scope !== 'all' && fileIds.length === 0) return { status: 'nothing', total: 0 };
    const run = await store.start(
      { scope, required, fileIds },
      (tx) => record?.(tx, fileIds.length) ?? Promise.resolve(),
    );
    if (!run) return { status: 'running', total: 0 };
    log.info({ scope, files: fileIds.length }, 'search reindex started');
    if (scope !== 'all') return { status: 'started', total: fileIds.length };
    await buildOf(run);
    return { status: 'started', total: await store.countKnownFiles() };
  };

  return {
    /** Starts a reindex of all files because the index is lost or its model has changed; does nothing during another one. */
    beginRequired: (): Promise<ReindexStart> => begin({ scope: 'all', required: true, fileIds: [] }),
    begin: async (scope: FileScope, record?: RecordStart): Promise<ReindexStart> => {
      const fileIds = scope.kind === 'all' ? [] : await consistency.filesOf(scope);
      return begin({ scope: scope.kind, required: false, fileIds }, record);
    },
    /** Indexes missing and outdated files again, and removes files without a transcript. */
    repair: async (record?: RecordStart): Promise<ReindexStart> => {
      const { missing, stale, extra } = (await consistency.compare({ kind: 'all' })).comparison;
      return begin({ scope: 'repair', required: false, fileIds: [...missing, ...stale, ...extra] }, record);
    },
    /** @returns false when none is running. @throws AppError conflict `reindex_required`. */
    stop: async (record: (tx: Tx) => Promise<void>): Promise<boolean> => {
      const run = await store.active();
      if (!run) return false;
      const isOnlyIndex = run.scope === 'all' && !(await index.builds()).current;
      if (run.required || isOnlyIndex)
        throw conflict(
          'reindex_required',
          'This reindex cannot be stopped: the index was lost or its text model has changed.',
        );
      return db.$transaction(async (tx) => {
        const stopped = await store.requestStop(tx, run.id);
        if (stopped) await record(tx);
        return stopped || run.state === 'stopping';
      });
    },
    /** Continues a reindex in progress, unless another replica does. */
    continueReindex: async (signal: AbortSignal): Promise<void> => {
      const isActive = async () => (await store.active()) !== null || (await index.builds()).building !== null;
      if (!(await isActive())) return;
      await runLocked(pool, async () => {
        // A build without a run was started by an earlier version.
        const { building } = await index.builds();
        const run =
          (await store.active()) ??
          (building ? await store.start({ scope: 'all', required: true, fileIds: [] }) : null);
        if (run) await (run.scope === 'all' ? fillBuild(run, signal) : indexChosen(run, signal));
      });
    },
    status: async () => {
      const [{ current, building, completedAt }, run] = await Promise.all([index.builds(), store.last()]);
      const counts = run ? await countsOf(run) : await countsOfBuild(store, (building ?? current)?.id ?? null);
      const inProgress = run ? run.finishedAt === null : building !== null;
      return {
        inProgress,
        run,
        ...counts,
        pending: inProgress ? Math.max(0, counts.total - counts.indexed - counts.failed) : 0,
        perSecond: run && inProgress ? rateOf(run, counts) : null,
        model: (building ?? current)?.model?.name ?? null,
        completedAt,
      };
    },
  };
}

async function countsOfBuild(store: ReindexStore, build: string | null): Promise<Counts> {
  const { known, indexed } = await store.countBuild(build);
  return { total: known, indexed, failed: 0, recent: 0 };
}

/** Files per second of late; null while none was finished. */
function rateOf({ startedAt }: Reindex, { recent }: Counts): number | null {
  const seconds = Math.min(rateSeconds, Math.max(1, (Date.now() - startedAt.getTime()) / 1000));
  return recent > 0 ? recent / seconds : null;
}

/** Runs the work while holding the lock of the reindex; does nothing when another replica holds it. */
async function runLocked(pool: Pool, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    const lock = await client.query<{ ok: boolean }>('select pg_try_advisory_lock(hashtext($1)) as ok', [lockName]);
    if (!lock.rows[0]?.ok) return;
    try {
      await work();
    } finally {
      await client.query('select pg_advisory_unlock(hashtext($1))', [lockName]);
    }
  } finally {
    client.release();
  }
}
