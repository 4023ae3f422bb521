import type { Log } from '@overtone/service-kit';
import type { SearchIndex } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { DueFile, DueFiles } from './due-files.store.ts';
import type { IndexStates } from './index-states.store.ts';
import { retryPauseMs } from './indexing.ts';
import type { Indexing } from './indexing.service.ts';

export type RefreshDeps = {
  states: IndexStates;
  dueFiles: DueFiles;
  indexing: Indexing;
  index: SearchIndex;
  vectoriser: Vectoriser;
  log: Log;
};
export type Refresh = ReturnType<typeof createRefresh>;

/** Keeps the index up to date: indexes edited files, retries failures, and adds missing vectors. */
export function createRefresh({ states, dueFiles, indexing, index, vectoriser, log }: RefreshDeps) {
  const indexOne = async (due: DueFile, signal: AbortSignal): Promise<void> => {
    try {
      await indexing.indexFile(due.fileId, { signal });
      await dueFiles.settle(due);
    } catch (err) {
      const pause = signal.aborted ? 0 : retryPauseMs(due.attempts);
      await dueFiles.postpone(due, pause, err instanceof Error ? err.message : 'unknown');
      if (!signal.aborted)
        log.warn({ err: err as Error, file_id: due.fileId }, 'file indexing failed: retry scheduled');
    }
  };
  /** Whether files were indexed before, but no index exists. */
  const isIndexLost = async (): Promise<boolean> => {
    const { current, building } = await index.builds();
    return !current && !building && (await states.counts()).files > 0;
  };
  return {
    /** Indexes all due files. */
    indexDue: async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        const files = await dueFiles.take(4);
        for (const file of files) await indexOne(file, signal);
        if (files.length === 0 || signal.aborted) return;
      }
    },
    isIndexLost,
    /** Marks files that must be indexed again. @returns `reindex` when the index is lost or its model has changed. */
    reconcile: async (): Promise<{ reindex: boolean }> => {
      if (await isIndexLost()) return { reindex: true };
      const { current, building } = await index.builds();
      const { files, keywordOnly } = await states.counts();
      if (files === 0 || building || !current) return { reindex: false };
      await dueFiles.markLost(current.id);
      const model = await vectoriser.model().catch(() => null);
      if (model === null) return { reindex: false };
      if (current.model && current.model.name !== model) return { reindex: true };
      if (keywordOnly > 0) await dueFiles.markKeywordOnly(50);
      return { reindex: false };
    },
  };
}
