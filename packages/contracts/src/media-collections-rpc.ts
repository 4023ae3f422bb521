import { z } from 'zod';
import { defineRpc, roles } from './define.ts';

/** The most files of a collection that one request of search may name. */
export const maxDescribedFiles = 1_000;

export const collectionRpc = {
  /** A collection with its files that the reader may read, the newest first; null when the reader may not read the collection. */
  describe: defineRpc('media', 'describe-collection', {
    request: z.object({
      collectionId: z.uuid(),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({
      collection: z
        .object({
          title: z.string(),
          fileIds: z.array(z.uuid()).max(maxDescribedFiles),
          /** Also the files beyond the limit. */
          total: z.int(),
        })
        .nullable(),
    }),
  }),
};
