import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';
import type { IndexingStore } from './indexing.store.ts';

/**
 * A file was moved to the bin: removes it from the index. It is read again shortly, in case the event of its restore was
 * handled first.
 */
export function hideFile({ indexing, store }: { indexing: Indexing; store: IndexingStore }) {
  return consumer(mediaEvents.binned, 'hide-file', async ({ fileId, ownerId }) => {
    await indexing.forget(fileId);
    await store.markDue(fileId, ownerId, 0);
  });
}
