import { mediaRoutes, presenceLive } from '@overtone/contracts';
import { handle, type Bus, type Slice } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';

export type PresenceDeps = { db: Db; bus: Pick<Bus, 'publishLive'>; people: Pick<People, 'names'> };

/** Who has the page of a file open. Reports are passed on and not stored: pages repeat them, and forget who is silent. */
export function createPresenceSlice({ db, bus, people }: PresenceDeps): Slice {
  return {
    routes: [
      handle(mediaRoutes.reportPresence, async ({ caller, params, body }) => {
        const { id, userId: ownerId } = await usableFile(db, caller, params.uuid, 'read');
        const names = await people.names([caller.userId]);
        bus.publishLive(presenceLive.reported, {
          fileId: id,
          ownerId,
          visitId: body.visit_uuid,
          userId: caller.userId,
          name: names.get(caller.userId) ?? null,
          segmentId: body.segment_uuid,
          left: body.left,
        });
        return undefined;
      }),
    ],
  };
}
