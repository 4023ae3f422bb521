import { mediaEvents } from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import { consumer } from '@overtone/service-kit';
import { objectPrefixes } from './files.ts';

/** A file was deleted: deletes its recording and all derived objects; redelivery retries a failure. */
export function removeObjects({ objects }: { objects: Pick<ObjectStore, 'deletePrefix'> }) {
  return consumer(mediaEvents.deleted, 'remove-objects', async ({ fileId }) => {
    for (const prefix of objectPrefixes(fileId)) await objects.deletePrefix(prefix);
  });
}
