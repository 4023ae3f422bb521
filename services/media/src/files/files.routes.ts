import { mediaRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Files } from './files.service.ts';

export function filesRoutes({ files }: { files: Files }): Route[] {
  return [
    handle(mediaRoutes.listFiles, ({ caller, query }) => files.list(caller, query)),
    handle(mediaRoutes.getFile, ({ caller, params, query }) => files.detail(caller, params.uuid, query)),
    handle(mediaRoutes.updateFile, ({ caller, params, body }) => files.update(caller, params.uuid, body)),
    handle(mediaRoutes.reprocess, ({ caller, params, body }) => files.reprocess(caller, params.uuid, body)),
    handle(mediaRoutes.cancel, ({ caller, params }) => files.cancel(caller, params.uuid)),
  ];
}
