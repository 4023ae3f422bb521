import { mediaRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { createTemplates, type TemplatesDeps } from './export-templates.service.ts';
import { createTemplateShares } from './template-shares.service.ts';

/** Export templates: formats with their options under a name, which can be shared. */
export function createExportTemplatesSlice(deps: TemplatesDeps): Slice {
  const templates = createTemplates(deps);
  const shares = createTemplateShares(deps);
  return {
    routes: [
      handle(mediaRoutes.listExportTemplates, ({ caller, query }) => templates.list(caller, query)),
      handle(mediaRoutes.createExportTemplate, ({ caller, body }) => templates.create(caller, body)),
      handle(mediaRoutes.updateExportTemplate, (request) =>
        templates.update(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.deleteExportTemplate, (request) => templates.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.exportTemplateShares, ({ caller, params }) => shares.list(caller, params.uuid)),
      handle(mediaRoutes.shareExportTemplate, (request) =>
        shares.share(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.unshareExportTemplate, (request) =>
        shares.unshare(actorOf(request), request.params.uuid, request.params.share_uuid),
      ),
    ],
  };
}
