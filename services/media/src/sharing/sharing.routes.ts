import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { Sharing } from './sharing.service.ts';

export function sharingRoutes({ sharing }: { sharing: Sharing }): Route[] {
  return [
    handle(mediaRoutes.listShares, ({ caller, params }) => sharing.list(caller, params.uuid)),
    handle(mediaRoutes.share, (r) => sharing.share(actorOf(r), r.params.uuid, r.body)),
    handle(mediaRoutes.unshare, (r) => sharing.unshare(actorOf(r), r.params.uuid, r.params.share_uuid)),
  ];
}
