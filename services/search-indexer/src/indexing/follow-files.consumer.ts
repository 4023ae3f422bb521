import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Transcripts } from '../ports/transcripts.ts';
import { fingerprintOf } from './indexing.ts';
import type { IndexingStore } from './indexing.store.ts';

/** A file's metadata changed: it is indexed again when the indexed metadata differs. */
export function followFiles({ store, transcripts }: { store: IndexingStore; transcripts: Transcripts }) {
  return consumer(mediaEvents.updated, 'follow-files', async ({ fileId, ownerId }) => {
    const known = await store.get(fileId);
    if (!known?.indexedAt || known.dueAt) return;
    const file = await transcripts.file(fileId);
    if (file && fingerprintOf(file) !== known.fingerprint) await store.markDue(fileId, ownerId, 1_500);
  });
}
