import { mediaRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import type { ReadPassages } from './codes.ts';
import { createCodeListShares } from './code-list-shares.service.ts';
import { createCodeLists, type CodesDeps } from './code-lists.service.ts';
import { createCodings } from './codings.service.ts';
import { createPassageViews } from './passages.read-model.ts';

/** Codes of qualitative research: lists of labels, which can be shared, and the passages that have them. */
export function createCodesSlice(deps: CodesDeps): Slice & { readPassages: ReadPassages } {
  const lists = createCodeLists(deps);
  const shares = createCodeListShares(deps);
  const views = createPassageViews(deps);
  const codings = createCodings({ ...deps, views });
  return {
    readPassages: (caller, listId, codeId) => views.pages(caller, listId, codeId),
    routes: [
      handle(mediaRoutes.listCodeLists, ({ caller, query }) => lists.list(caller, query)),
      handle(mediaRoutes.createCodeList, ({ caller, body }) => lists.create(caller, body)),
      handle(mediaRoutes.codeList, ({ caller, params }) => lists.get(caller, params.uuid)),
      handle(mediaRoutes.updateCodeList, ({ caller, params, body }) => lists.update(caller, params.uuid, body)),
      handle(mediaRoutes.deleteCodeList, (request) => lists.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.addCode, ({ caller, params, body }) => lists.addCode(caller, params.uuid, body)),
      handle(mediaRoutes.editCode, ({ caller, params, body }) =>
        lists.editCode(caller, params.uuid, params.code_uuid, body),
      ),
      handle(mediaRoutes.deleteCode, ({ caller, params }) => lists.removeCode(caller, params.uuid, params.code_uuid)),
      handle(mediaRoutes.codeListShares, ({ caller, params }) => shares.list(caller, params.uuid)),
      handle(mediaRoutes.shareCodeList, (request) => shares.share(actorOf(request), request.params.uuid, request.body)),
      handle(mediaRoutes.unshareCodeList, (request) =>
        shares.unshare(actorOf(request), request.params.uuid, request.params.share_uuid),
      ),
      handle(mediaRoutes.codedPassages, ({ caller, params, query }) => views.page(caller, params.uuid, query)),
      handle(mediaRoutes.listCodings, async ({ caller, params }) => ({
        codings: await views.ofFile(caller, params.uuid),
      })),
      handle(mediaRoutes.addCoding, (request) => codings.add(actorOf(request), request.params.uuid, request.body)),
      handle(mediaRoutes.deleteCoding, (request) =>
        codings.remove(actorOf(request), request.params.uuid, request.params.coding_uuid),
      ),
    ],
  };
}
