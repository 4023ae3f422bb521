import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Sharing } from './sharing.service.ts';

export const sharingRoutes = ({ sharing }: { sharing: Sharing }): Route[] => [
  handle(mediaRoutes.listShares, ({ caller, params }) => sharing.list(caller, params.uuid)),
  handle(mediaRoutes.share, ({ caller, params, body }) => sharing.share(caller, params.uuid, body)),
  handle(mediaRoutes.unshare, ({ caller, params }) => sharing.unshare(caller, params.uuid, params.share_uuid)),
];
