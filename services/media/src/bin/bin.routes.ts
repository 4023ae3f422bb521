import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { Bin } from './bin.service.ts';

export function binRoutes({ bin }: { bin: Bin }): Route[] {
  return [
    handle(mediaRoutes.listBin, ({ caller, query }) => bin.list(caller, query)),
    handle(mediaRoutes.deleteFile, (r) => bin.discard(actorOf(r), r.params.uuid)),
    handle(mediaRoutes.restoreFile, (r) => bin.restore(actorOf(r), r.params.uuid)),
    handle(mediaRoutes.purgeFile, (r) => bin.purge(actorOf(r), r.params.uuid)),
  ];
}
