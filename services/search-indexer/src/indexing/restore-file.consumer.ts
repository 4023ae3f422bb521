import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { IndexingStore } from './indexing.store.ts';

/** A file was restored from the bin: it is indexed again if it has a transcript. */
export function restoreFile({ store }: { store: IndexingStore }) {
  return consumer(mediaEvents.restored, 'restore-file', async ({ fileId, ownerId, transcriptVersion }) => {
    if (transcriptVersion > 0) await store.markDue(fileId, ownerId, 0);
  });
}
