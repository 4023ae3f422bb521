import type { MappingIndex, MappingRule } from '@overtone/directory';
import { type Slice, clientOf, handle, type Route } from '@overtone/service-kit';
import { mappingRoutes } from '@overtone/contracts';
import { createCatalogue, type Catalogue } from './catalogue.service.ts';
import { createDryRun, type DryRunDeps, type DryRun } from './dry-run.service.ts';
import { createMappingIndexes, createMappings } from './mappings.service.ts';
import { mappingsStore } from './mappings.store.ts';
import type { Mappings } from './mappings.ts';

type Deps = Omit<DryRunDeps & Parameters<typeof createMappings>[0], 'indexes'>;
/** The mappings of the directory, as stored and compiled. A version means that one exists or existed. */
export type LdapMappings = {
  ldapMappings: () => Promise<{ version: string | null; rules: MappingRule[] }>;
  ldapIndex: () => Promise<MappingIndex>;
};

/** Mappings of claims to groups and roles. */
export function createMappingsSlice(deps: Deps): Slice & LdapMappings & { mappings: Mappings } {
  const { db } = deps;
  const indexes = createMappingIndexes();
  return {
    mappings: createMappings({ ...deps, indexes }),
    ldapMappings: () => mappingsStore.rules(db, 'ldap'),
    ldapIndex: () => indexes.of(db, 'ldap'),
    routes: mappingsRoutes({ catalogue: createCatalogue({ db }), dryRun: createDryRun({ ...deps, indexes }) }),
  };
}

function mappingsRoutes({ catalogue, dryRun }: { catalogue: Catalogue; dryRun: DryRun }): Route[] {
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
