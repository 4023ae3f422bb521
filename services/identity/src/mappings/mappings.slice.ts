import type { MappingIndex, MappingRule } from '@overtone/directory';
import type { Slice } from '@overtone/service-kit';
import { createCatalogue } from './catalogue.service.ts';
import { createDryRun, type DryRunDeps } from './dry-run.service.ts';
import { mappingsRoutes } from './mappings.routes.ts';
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
