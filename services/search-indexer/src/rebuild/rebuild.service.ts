import { isAppError, type Log } from '@overtone/service-kit';
import type { Pool } from 'pg';
import type { Build, SearchIndex } from '../ports/search-index.ts';
import type { FileRef, Transcripts } from '../ports/transcripts.ts';
import type { RebuildStore } from './rebuild.store.ts';

export type RebuildDeps = {
  index: SearchIndex;
  indexing: { indexFile: (fileId: string, options: { signal: AbortSignal; onlyBuild: Build }) => Promise<unknown> };
  transcripts: Transcripts;
  store: RebuildStore;
  pool: Pool;
  log: Log;
};

const pageSize = 500;
const lockName = 'search-indexer rebuild';

/**
 * Fills a second build of the index from the database while the first one serves, then swaps them. Progress is stored in
 * index_state, so that any replica can continue an interrupted rebuild.
 */
export function createRebuild({ index, indexing, transcripts, store, pool, log }: RebuildDeps) {
  let failed = 0;

  const indexOne = async (fileId: string, build: Build, signal: AbortSignal): Promise<void> => {
    try {
      await indexing.indexFile(fileId, { signal, onlyBuild: build });
    } catch (err) {
      // With an upstream service unavailable, the rebuild stops and continues later. Other errors concern only this file.
      if (signal.aborted || (isAppError(err) && err.kind === 'unavailable')) throw err;
      failed += 1;
      await store.recordFailure(fileId, err instanceof Error ? err.message : 'unknown');
      log.warn({ err: err as Error, file_id: fileId }, 'file rebuild failed: retry scheduled');
    }
  };

  const fill = async (signal: AbortSignal): Promise<void> => {
    const { building } = await index.builds();
    if (!building) return;
    failed = 0;
    const started = Date.now();
    const files = await listAll(transcripts);
    for (let offset = 0; offset < files.length; offset += pageSize) {
      const page = files.slice(offset, offset + pageSize);
      const versions = await store.inBuild(
        page.map(({ fileId }) => fileId),
        building.id,
      );
      for (const { fileId, transcriptVersion } of page) {
        signal.throwIfAborted();
        if ((versions.get(fileId) ?? -1) < transcriptVersion) await indexOne(fileId, building, signal);
      }
    }
    await index.promote();
    log.info({ files: files.length, failed, ms: Date.now() - started }, 'search index rebuilt');
  };

  return {
    begin: async (): Promise<'started' | 'running'> => {
      if ((await index.builds()).building) return 'running';
      await index.beginBuild(null, false);
      log.info('search index rebuild started');
      return 'started';
    },
    /** Continues a rebuild in progress, unless another replica does. */
    continueRebuild: async (signal: AbortSignal): Promise<void> => {
      if ((await index.builds()).building) await runLocked(pool, () => fill(signal));
    },
    status: async () => {
      const { current, building, completedAt } = await index.builds();
      const shown = building ?? current;
      const { total, indexed } = await store.progress(shown?.id ?? '');
      return { inProgress: building !== null, total, indexed, failed, model: shown?.model?.name ?? null, completedAt };
    },
  };
}

async function listAll(transcripts: Transcripts): Promise<FileRef[]> {
  const files: FileRef[] = [];
  for (;;) {
    const page = await transcripts.list(files.at(-1)?.fileId ?? null, pageSize);
    files.push(...page);
    if (page.length < pageSize) return files;
  }
}

/** Runs the work while holding the lock of the rebuild; does nothing when another replica holds it. */
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
