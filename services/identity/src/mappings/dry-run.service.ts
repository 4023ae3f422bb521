import { ldapClaimKey, parseDnList, type Answer, type Person } from '@overtone/directory';
import type { AnswerOf, AuthSettings, MappingSource } from '@overtone/contracts';
import type { mappingRoutes } from '@overtone/contracts';
import { invalid, notFound, unavailable } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { MappingIndexes } from './mappings.service.ts';
import { mappingsStore as store } from './mappings.store.ts';

/** The directory of the effective settings. */
type PeopleDirectory = { lookUp: (login: string) => Promise<Answer<Person>> };
export type DryRunDeps = {
  db: Db;
  indexes: MappingIndexes;
  settings: Settings;
  directory: PeopleDirectory;
  /** Whether the provider's own setting makes an administrator of these claims. */
  namesOidcAdmin: (claims: readonly string[], settings: AuthSettings) => boolean;
};
type Asserted = { claims: readonly string[]; legacyAdmin: boolean };
export type DryRunReport = AnswerOf<typeof mappingRoutes.testMappings>;

/** Shows groups and role that a sign-in would derive from claims, with the same resolver; writes nothing. */
export function createDryRun({ db, indexes, settings, directory, namesOidcAdmin }: DryRunDeps) {
  /** Whether the admin setting of the source makes an administrator of these claims; a proxy has no such setting. */
  const legacyAdminBy = (source: MappingSource, claims: readonly string[], current: AuthSettings): boolean => {
    if (source === 'oidc') return namesOidcAdmin(claims, current);
    if (source === 'proxy') return false;
    const adminGroups = new Set(parseDnList(current.ldap_admin_groups).dns.map(ldapClaimKey));
    return claims.some((claim) => adminGroups.has(ldapClaimKey(claim)));
  };

  const lookUp = async (source: MappingSource, username: string): Promise<Asserted> => {
    if (source !== 'ldap')
      throw invalid('username_not_searchable', 'Only the directory can be searched for a user name');
    if (!settings.current().ldap_enabled) throw invalid('ldap_disabled', 'Sign-in with the directory is switched off');
    return assertedBy(await directory.lookUp(username));
  };

  return async (token: {
    source: MappingSource;
    claim_values?: string[] | undefined;
    username?: string | undefined;
  }): Promise<DryRunReport> => {
    const { source, claim_values: given = [], username } = token;
    const { claims, legacyAdmin } =
      username === undefined
        ? { claims: given, legacyAdmin: legacyAdminBy(source, given, settings.current()) }
        : await lookUp(source, username);
    const resolution = (await indexes.of(db, source)).resolve(claims);
    const groups = await store.groupNames(db, resolution.groupIds);
    return {
      source,
      claim_values: [...claims],
      matched_claims: [...resolution.matched],
      unmatched_claims: [...resolution.unmatched],
      groups: groups.map(({ id, name }) => ({ uuid: id, name })),
      grants_role: resolution.grantsRole,
      legacy_admin: legacyAdmin,
      effective_role: legacyAdmin || resolution.grantsRole === 'admin' ? 'admin' : 'user',
    };
  };
}

/** The groups of exactly one person, also of one who may not sign in. */
function assertedBy(answer: Answer<Person>): Asserted {
  if (answer.outcome === 'unknown') throw unavailable('directory_unavailable', answer.message);
  const person = answer.outcome === 'yes' ? answer.value : answer.person;
  if (!person) throw notFound(answer.outcome === 'no' ? answer.message : 'User not found in LDAP');
  const { groups, adminSignal } = person;
  if (!groups.known)
    throw unavailable('directory_unavailable', `The groups of this person cannot be read: ${groups.reason}`);
  return { claims: groups.values, legacyAdmin: adminSignal === 'yes' };
}

export type DryRun = ReturnType<typeof createDryRun>;
