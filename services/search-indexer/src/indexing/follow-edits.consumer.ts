import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { IndexingStore } from './indexing.store.ts';

/** Edits within this time are indexed together. */
const pauseMs = 1_500;

/** Text, speakers, tags or title were edited: the file is indexed again shortly, once for many edits. */
export function followEdits({ store }: { store: IndexingStore }) {
  return consumer(mediaEvents.transcriptEdited, 'follow-edits', async ({ fileId, ownerId, transcriptVersion }) => {
    const known = await store.get(fileId);
    // Delivered late: a newer version is indexed already.
    if (known?.dueAt === null && known.transcriptVersion > transcriptVersion) return;
    await store.markDue(fileId, ownerId, pauseMs);
  });
}
