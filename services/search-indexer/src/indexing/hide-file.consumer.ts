import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';
import type { IndexingStore } from './indexing.store.ts';

/**
 * A file was moved to the bin: nothing of it can be found. It is read again shortly, so that a restore whose event was
 * handled before this one is not undone.
 */
export const hideFile = ({ indexing, store }: { indexing: Indexing; store: IndexingStore }) =>
  consumer(mediaEvents.binned, 'hide-file', async ({ fileId, ownerId }) => {
    await indexing.forget(fileId);
    await store.markDue(fileId, ownerId, 0);
  });
