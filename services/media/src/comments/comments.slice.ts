import { mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { ListComments } from './comments.ts';
import { createCommentViews, type CommentViewDeps } from './comments.read-model.ts';
import { createCommentSearch } from './comment-search.read-model.ts';
import { createComments } from './comments.service.ts';

/** Comments and highlights on transcripts. */
export function createCommentsSlice({ outbox, ...deps }: CommentViewDeps & { outbox: Outbox }): Slice & {
  listComments: ListComments;
} {
  const views = createCommentViews(deps);
  const comments = createComments({ db: deps.db, outbox, views });
  const search = createCommentSearch({ db: deps.db, views });
  return {
    listComments: views.list,
    routes: [
      handle(mediaRoutes.listComments, ({ caller, params }) => views.list(caller, params.uuid)),
      handle(mediaRoutes.searchComments, ({ caller, query }) => search(caller, query)),
      handle(mediaRoutes.listCommentReaders, ({ caller, params }) => views.people(caller, params.uuid)),
      handle(mediaRoutes.addComment, (request) => comments.add(actorOf(request), request.params.uuid, request.body)),
      handle(mediaRoutes.addReply, (request) =>
        comments.reply(actorOf(request), request.params.uuid, request.params.comment_uuid, request.body),
      ),
      handle(mediaRoutes.editComment, (request) =>
        comments.edit(actorOf(request), request.params.uuid, request.params.comment_uuid, request.body),
      ),
      handle(mediaRoutes.resolveComment, (request) =>
        comments.resolve(actorOf(request), request.params.uuid, request.params.comment_uuid, request.body.resolved),
      ),
      handle(mediaRoutes.deleteComment, async (request) => {
        await comments.remove(actorOf(request), request.params.uuid, request.params.comment_uuid);
        return undefined;
      }),
    ],
  };
}
