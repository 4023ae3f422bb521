import { mediaEvents } from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import { consumer } from '@overtone/service-kit';
import { objectPrefixes } from './files.ts';

/** A file was deleted: the recording and everything made from it go too, however often that has to be tried. */
export const removeObjects = ({ objects }: { objects: Pick<ObjectStore, 'deletePrefix'> }) =>
  consumer(mediaEvents.deleted, 'remove-objects', async ({ fileId }) => {
    for (const prefix of objectPrefixes(fileId)) await objects.deletePrefix(prefix);
  });
