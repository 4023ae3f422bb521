import { z } from 'zod';
import { defineRpc, roles } from './define.ts';

/** Maximum number of files in a collection: the ids of all are sent with a search. */
export const maxCollectionFiles = 10_000;

export const collectionRpc = {
  /** Files of a collection that the reader may read; null when the reader may not see the collection. */
  filesOf: defineRpc('media', 'collection-files', {
    request: z.object({ collectionId: z.uuid(), reader: z.object({ userId: z.uuid(), role: z.enum(roles) }) }),
    reply: z.object({ fileIds: z.array(z.uuid()).max(maxCollectionFiles).nullable() }),
    timeoutMs: 3_000,
  }),
};
