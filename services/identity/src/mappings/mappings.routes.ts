import { mappingRoutes } from '@overtone/contracts';
import { clientOf, handle, type Route } from '@overtone/service-kit';
import type { Catalogue } from './catalogue.service.ts';
import type { DryRun } from './dry-run.service.ts';

export function mappingsRoutes({ catalogue, dryRun }: { catalogue: Catalogue; dryRun: DryRun }): Route[] {
  return [
    handle(mappingRoutes.mappings, ({ query }) => catalogue.list(query.source)),
    handle(mappingRoutes.createMapping, (request) => {
      const { source, claim_value: claimValue, group_uuid, grants_role, description } = request.body;
      const fields = { groupId: group_uuid ?? null, grantsRole: grants_role ?? null, description: description ?? null };
      return catalogue.create(request.caller, { source, claimValue, ...fields }, clientOf(request));
    }),
    handle(mappingRoutes.updateMapping, (request) => {
      const {
        source,
        claim_value: claimValue,
        group_uuid: groupId,
        grants_role: grantsRole,
        description,
      } = request.body;
      return catalogue.update(
        request.caller,
        request.params.uuid,
        { source, claimValue, groupId, grantsRole, description },
        clientOf(request),
      );
    }),
    handle(mappingRoutes.deleteMapping, (request) =>
      catalogue.delete(request.caller, request.params.uuid, clientOf(request)),
    ),
    handle(mappingRoutes.testMappings, ({ body }) => dryRun(body)),
  ];
}
