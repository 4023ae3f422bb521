import { mappingRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import type { Catalogue } from './catalogue.service.ts';
import type { DryRun } from './dry-run.service.ts';

export function mappingsRoutes({ catalogue, dryRun }: { catalogue: Catalogue; dryRun: DryRun }): Route[] {
  return [
    handle(mappingRoutes.mappings, ({ query }) => catalogue.list(query.source)),
    handle(mappingRoutes.createMapping, (r) => {
      const { source, claim_value: claimValue, group_uuid, grants_role, description } = r.body;
      const fields = { groupId: group_uuid ?? null, grantsRole: grants_role ?? null, description: description ?? null };
      return catalogue.create(r.caller, { source, claimValue, ...fields }, clientOf(r));
    }),
    handle(mappingRoutes.updateMapping, (r) => {
      const { claim_value: claimValue, group_uuid: groupId, grants_role: grantsRole, description } = r.body;
      return catalogue.update(r.caller, r.params.uuid, { claimValue, groupId, grantsRole, description }, clientOf(r));
    }),
    handle(mappingRoutes.deleteMapping, (r) => catalogue.delete(r.caller, r.params.uuid, clientOf(r))),
    handle(mappingRoutes.testMappings, ({ body }) => dryRun(body)),
  ];
}
