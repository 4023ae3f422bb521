import { erasureEvents, mediaEvents, userErasureOrdered } from '@overtone/contracts';
import { deleteSentActionsOf, type Outbox } from '@overtone/database';
import { consumer, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Forgets } from './erasure.ts';

/** Deletes what all slices store about a deleted file or an erased person. */
export function createErasureSlice({
  db,
  outbox,
  forgets,
}: {
  db: Db;
  outbox: Outbox;
  forgets: readonly Forgets[];
}): Slice {
  return {
    consumers: [
      consumer(mediaEvents.deleted, 'forget-file', async ({ fileId }) => {
        await db.$transaction(async (tx) => {
          for (const { file } of forgets) await file?.(tx, fileId);
        });
      }),
      /** A person is erased: a repeated order finds nothing and is answered, too. */
      consumer(userErasureOrdered, 'erase-person', async ({ erasureId, round, userId }) => {
        await db.$transaction(async (tx) => {
          const counts: Record<string, number> = {};
          for (const { person } of forgets) Object.assign(counts, await person?.(tx, userId));
          await deleteSentActionsOf(tx, 'insights', userId);
          await outbox.add(tx, erasureEvents.insights, {
            erasureId,
            round,
            counts,
            objectHashes: [],
            fileIds: [],
            held: 0,
            complete: true,
          });
        });
      }),
    ],
  };
}
