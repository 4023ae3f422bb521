import { identityEvents, mediaRoutes, mediaRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { catchUp, consumer, handle, rpc, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';
import { accessOf } from './sharing.ts';
import { createMemberships, createSharing, type Sharing } from './sharing.service.ts';
import { selectShared } from './sharing.store.ts';

const hour = 3_600_000;
export type SharingSliceDeps = { db: Db; outbox: Outbox; people: People };

/** Shares files with groups and users, as viewers or editors. */
export function createSharingSlice({ db, outbox, people }: SharingSliceDeps): Slice & { sharing: Sharing } {
  const sharing = createSharing({ db, outbox, people });
  const memberships = createMemberships({ db, outbox, people });
  return {
    sharing,
    routes: [
      handle(mediaRoutes.listShares, ({ caller, params }) => sharing.list(caller, params.uuid)),
      handle(mediaRoutes.share, (request) => sharing.share(actorOf(request), request.params.uuid, request.body)),
      handle(mediaRoutes.unshare, (request) =>
        sharing.unshare(actorOf(request), request.params.uuid, request.params.share_uuid),
      ),
    ],
    rpcs: [
      /** The initial access lists for services that follow `access-changed`. */
      rpc(mediaRpc.listShared, async ({ after, limit }) => ({
        files: (await selectShared(db, after, limit)).map(accessOf),
      })),
    ],
    consumers: [
      /** A user's groups changed: files shared with a group they left become invisible to them. */
      consumer(identityEvents.membershipChanged, 'follow-memberships', memberships.set),
      /** A group was deleted: removes its shares and speaker profiles. */
      consumer(identityEvents.groupDeleted, 'forget-group', memberships.removeGroup),
      /** An account was deleted: removes the shares with it. */
      consumer(identityEvents.userDeleted, 'forget-person', ({ userId }) => memberships.removeUser(userId)),
    ],
    periodics: [catchUp('load group memberships', hour, memberships.loadAll)],
  };
}
