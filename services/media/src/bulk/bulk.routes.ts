import { mediaRoutes, type BodyOf } from '@overtone/contracts';
import { assertNever, handle, isAppError, toProblem, type Route } from '@overtone/service-kit';
import { actorOf, type Actor } from '../audit/audit.ts';

type Request = BodyOf<(typeof mediaRoutes)['bulk']>;
type Action = (actor: Actor, fileId: string) => Promise<unknown>;
export type BulkDeps = {
  discard: Action;
  restore: Action;
  purge: Action;
  reprocess: (actor: Actor, fileId: string, options: Extract<Request, { action: 'reprocess' }>) => Promise<unknown>;
  share: (actor: Actor, fileId: string, target: Extract<Request, { action: 'share' }>) => Promise<unknown>;
  attach: (actor: Actor, fileId: string, tag: string) => Promise<unknown>;
  clearTag: (actor: Actor, fileId: string, tag: string) => Promise<unknown>;
};

/** One action on many files, one after the other; each succeeds or fails alone. */
export function bulkRoutes(deps: BulkDeps): Route[] {
  const actionOf = (request: Request): Action => {
    switch (request.action) {
      case 'delete':
        return deps.discard;
      case 'restore':
        return deps.restore;
      case 'delete_permanently':
        return deps.purge;
      case 'reprocess':
        return (actor, id) => deps.reprocess(actor, id, request);
      case 'share':
        return (actor, id) => deps.share(actor, id, request);
      case 'add_tags':
        return async (actor, id) => {
          for (const tag of request.tags) await deps.attach(actor, id, tag);
        };
      case 'remove_tags':
        return async (actor, id) => {
          for (const tag of request.tags) await deps.clearTag(actor, id, tag);
        };
      default:
        return assertNever(request);
    }
  };

  return [
    handle(mediaRoutes.bulk, async (r) => {
      const actor = actorOf(r);
      const act = actionOf(r.body);
      const results = [];
      for (const file_uuid of new Set(r.body.file_uuids)) {
        const error = await act(actor, file_uuid).then(() => null, problemOf);
        results.push({ file_uuid, error });
      }
      return { results };
    }),
  ];
}

function problemOf(error: unknown): { code: string; message: string } {
  const { code, detail } = toProblem(error, '');
  // An unexpected error fails the whole request and is logged.
  if (code === 'internal_error' && !isAppError(error)) throw error;
  return { code, message: detail };
}
