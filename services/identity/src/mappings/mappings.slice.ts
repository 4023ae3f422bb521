import type { MappingIndex, MappingRule } from '@overtone/directory';
import type { Outbox } from '@overtone/database';
import type { Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Memberships } from '../groups/groups.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { createCatalogue } from './catalogue.service.ts';
import { createDryRun, type DryRunDeps } from './dry-run.service.ts';
import { createMappingIndexes } from './mapping-indexes.ts';
import { mappingsRoutes } from './mappings.routes.ts';
import { createMappings } from './mappings.service.ts';
import { mappingsStore } from './mappings.store.ts';
import type { Mappings } from './mappings.ts';

type Deps = Omit<DryRunDeps, 'indexes'> & {
  db: Db;
  outbox: Outbox;
  memberships: Memberships;
  sessions: Pick<Sessions, 'endAll'>;
};
/** The mappings of the directory, as stored and compiled. A version means that one exists or existed. */
export type LdapMappings = {
  ldapMappings: () => Promise<{ version: string | null; rules: MappingRule[] }>;
  ldapIndex: () => Promise<MappingIndex>;
};

/** Mappings of claims to groups and roles. */
export function createMappingsSlice(deps: Deps): Slice & LdapMappings & { mappings: Mappings } {
  const { db, outbox, memberships, sessions } = deps;
  const indexes = createMappingIndexes();
  return {
    mappings: createMappings({ outbox, indexes, memberships, sessions }),
    ldapMappings: () => mappingsStore.rules(db, 'ldap'),
    ldapIndex: () => indexes.of(db, 'ldap'),
    routes: mappingsRoutes({ catalogue: createCatalogue({ db }), dryRun: createDryRun({ ...deps, indexes }) }),
  };
}
