import { z } from 'zod';
import { defineRpc, roles } from './define.ts';

export const collectionNamesRpc = {
  /** Names of the collections that the reader may see; others are left out. */
  names: defineRpc('media', 'collection-names', {
    request: z.object({
      collectionIds: z.array(z.uuid()).max(100),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({ collections: z.array(z.object({ collectionId: z.uuid(), name: z.string() })) }),
    timeoutMs: 3_000,
  }),
};
