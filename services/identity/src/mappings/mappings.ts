import { ldapClaimKey, tryCanonicalDn, type Claims } from '@overtone/directory';
import type { mappingObject, MappingSource, Role } from '@overtone/contracts';
import { invalid, type Client } from '@overtone/service-kit';
import type { z } from 'zod';
import type { Tx } from '../database.ts';

/** The groups of a person at a source. Unknown groups change nothing; that differs from no groups. */
export type { Claims } from '@overtone/directory';
/** Whether the source's own admin settings (admin users, admin groups, admin roles) make the person an administrator. */
export type LegacyAdmin = 'yes' | 'no' | 'unknown';

export type ReconcileRequest = {
  userId: string;
  /** A certificate has no claims to map: only `legacyAdmin` counts. */
  source: MappingSource | 'pki';
  claims: Claims;
  legacyAdmin: LegacyAdmin;
  actor: 'idp_login' | 'directory_sync';
  client: Client;
};
export type ReconcileResult = { role: Role; roleChanged: boolean; added: string[]; removed: string[] };
/** The data of an account that mappings use, and the version of the mappings when it was read. */
export type MappedAccount = {
  role: string;
  authType: string;
  groupIds: readonly string[];
  /** Memberships that the source of the request granted. */
  groupIdsOfSource: readonly string[];
  mappingsVersion: string | null;
};
export type Mappings = {
  /**
   * Reconciles groups and role of one account with its claims, in the caller's transaction. A changed role ends the
   * existing sessions: open the new one afterwards.
   */
  reconcile: (tx: Tx, pass: ReconcileRequest) => Promise<ReconcileResult>;
  /** Whether `reconcile` would change nothing; false also when that is not certain. */
  isReconciled: (account: MappedAccount, pass: ReconcileRequest) => boolean;
};

export type MappingObject = z.infer<typeof mappingObject>;
export type MappingRow = {
  id: string;
  source: string;
  claimValue: string;
  groupId: string | null;
  groupName: string | null;
  grantsRole: string | null;
  description: string | null;
  memberCount: number;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * Checks the rules that the wire contract and the table also enforce.
 * @throws AppError invalid.
 */
export function checkMapping(mapping: { groupId: string | null; grantsRole: string | null }): void {
  if (mapping.grantsRole !== null && mapping.grantsRole !== 'user' && mapping.grantsRole !== 'admin')
    throw invalid('mapping_role_refused', 'A mapping grants user or admin; super_admin is assigned here only');
  if (mapping.groupId === null && mapping.grantsRole === null)
    throw invalid('mapping_gives_nothing', 'A mapping must set group_uuid, grants_role, or both');
}

/** Finds mappings of the directory whose claims are no name, or the same name in different spellings; the unique index cannot. */
export function createWarnings(all: readonly { id: string; source: string; claimValue: string }[]) {
  const byKey = new Map<string, { id: string; claimValue: string }[]>();
  for (const mapping of all) {
    if (mapping.source !== 'ldap') continue;
    const key = ldapClaimKey(mapping.claimValue);
    byKey.set(key, [...(byKey.get(key) ?? []), mapping]);
  }
  return (mapping: { id: string; source: string; claimValue: string }): string | null => {
    if (mapping.source !== 'ldap') return null;
    if (tryCanonicalDn(mapping.claimValue) === undefined)
      return 'This is not a distinguished name. A directory names groups by nothing else, so it matches nobody.';
    const others = (byKey.get(ldapClaimKey(mapping.claimValue)) ?? []).filter((other) => other.id !== mapping.id);
    if (others.length === 0) return null;
    const list = others.map((other) => `"${other.claimValue}"`).join(', ');
    return `Names the same entry as ${list} in another spelling (RFC 4514): its members get the grants of all these mappings.`;
  };
}

export function toMappingObject(row: MappingRow, warning: string | null): MappingObject {
  return {
    uuid: row.id,
    source: row.source as MappingObject['source'],
    claim_value: row.claimValue,
    group_uuid: row.groupId,
    group_name: row.groupName,
    grants_role: row.grantsRole as MappingObject['grants_role'],
    description: row.description,
    member_count: row.memberCount,
    warning,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
