import type { Log } from '@overtone/service-kit';
import type { SearchIndex } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import { retryPauseMs } from './indexing.ts';
import type { Indexing } from './indexing.service.ts';
import type { DueFile, IndexingStore } from './indexing.store.ts';

export type RefreshDeps = {
  store: IndexingStore;
  indexing: Indexing;
  index: SearchIndex;
  vectoriser: Vectoriser;
  log: Log;
};

/** Keeps the index up to date: indexes edited files, retries failures, and adds missing vectors. */
export function createRefresh({ indexing, store, log, index, vectoriser }: RefreshDeps) {
  const indexOne = async (due: DueFile, signal: AbortSignal): Promise<void> => {
    try {
      await indexing.indexFile(due.fileId, { signal });
      await store.settle(due);
    } catch (e) {
      const pause = signal.aborted ? 0 : retryPauseMs(due.attempts);
      await store.postpone(due, pause, e instanceof Error ? e.message : 'unknown');
      if (!signal.aborted) log.warn({ err: e as Error, file_id: due.fileId }, 'file indexing failed: retry scheduled');
    }
  };
  /** Whether files were indexed before, but no index exists. */
  const isIndexLost = async (): Promise<boolean> => {
    const { current, building } = await index.builds();
    return !current && !building && (await store.counts()).files > 0;
  };
  return {
    /** Indexes all due files. */
    indexDue: async (signal: AbortSignal): Promise<void> => {
      for (;;) {
        const files = await store.takeDue(4);
        for (const file of files) await indexOne(file, signal);
        if (files.length === 0 || signal.aborted) return;
      }
    },
    isIndexLost,
    /** Marks files that must be indexed again. @returns `rebuild` when the index is lost or its model has changed. */
    reconcile: async (): Promise<{ rebuild: boolean }> => {
      if (await isIndexLost()) return { rebuild: true };
      const { current, building } = await index.builds();
      const { files, keywordOnly } = await store.counts();
      if (files === 0 || building || !current) return { rebuild: false };
      await store.markLost([current.id]);
      const model = await vectoriser.model().catch(() => null);
      if (model === null) return { rebuild: false };
      if (current.model && current.model.name !== model) return { rebuild: true };
      if (keywordOnly > 0) await store.markKeywordOnly(50);
      return { rebuild: false };
    },
  };
}
