import { mediaRoutes, type BodyOf } from '@overtone/contracts';
import { assertNever, handle, type Slice } from '@overtone/service-kit';
import { actorOf, type Actor } from '../audit/audit.ts';
import { problemOf } from './bulk.ts';

type Request = BodyOf<(typeof mediaRoutes)['bulk']>;
type Action = (actor: Actor, fileId: string) => Promise<unknown>;
export type BulkDeps = {
  bin: { discard: Action; restore: Action; purge: Action };
  files: {
    reprocess: (actor: Actor, fileId: string, options: Extract<Request, { action: 'reprocess' }>) => Promise<unknown>;
  };
  sharing: {
    share: (actor: Actor, fileId: string, target: Extract<Request, { action: 'share' }>) => Promise<unknown>;
  };
  tags: Record<'attach' | 'detach', (actor: Actor, fileId: string, tag: string) => Promise<unknown>>;
};

/** One action on many files, one after the other; each succeeds or fails alone. */
export function createBulkSlice(services: BulkDeps): Slice {
  return {
    routes: [
      handle(mediaRoutes.bulk, async (request) => {
        const actor = actorOf(request);
        const act = actionOf(services, request.body);
        const results = [];
        for (const file_uuid of new Set(request.body.file_uuids)) {
          const error = await act(actor, file_uuid).then(() => null, problemOf);
          results.push({ file_uuid, error });
        }
        return { results };
      }),
    ],
  };
}

function actionOf({ bin, files, sharing, tags }: BulkDeps, request: Request): Action {
  switch (request.action) {
    case 'delete':
      return bin.discard;
    case 'restore':
      return bin.restore;
    case 'delete_permanently':
      return bin.purge;
    case 'reprocess':
      return (actor, id) => files.reprocess(actor, id, request);
    case 'share':
      return (actor, id) => sharing.share(actor, id, request);
    case 'add_tags':
      return async (actor, id) => {
        for (const tag of request.tags) await tags.attach(actor, id, tag);
      };
    case 'remove_tags':
      return async (actor, id) => {
        for (const tag of request.tags) await tags.detach(actor, id, tag);
      };
    default:
      return assertNever(request);
  }
}
