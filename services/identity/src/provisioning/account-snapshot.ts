import type { MappedAccount } from '../mappings/mappings.ts';
import { accountStamp } from '../sessions/sessions.ts';
import type { Account } from './identity-of.ts';
import type { Assertion } from './assertion.ts';

/** An account read without a lock, with a hash of its row and the data that mappings use. */
export type AccountSnapshot = Account & MappedAccount & { stamp: string };

/** The columns of an `Account`; the row has the alias `t`. */
export const accountColumns = `
  t.uuid as id, t.email, t.full_name as "fullName", t.role, t.is_active as "isActive",
  t.approval_status as "approvalStatus", t.auth_type as "authType", t.ldap_uid as "ldapUid",
  t.directory_id as "directoryId", t.oidc_issuer as "oidcIssuer", t.oidc_subject as "oidcSubject",
  t.pki_issuer_dn as "pkiIssuerDn", t.pki_subject_dn as "pkiSubjectDn", t.proxy_user as "proxyUser",
  t.asserted_email as "assertedEmail"`;

/** The columns of an `AccountSnapshot` for a sign-in by this source. */
export function snapshotColumns(source: Assertion['source']): string {
  return `${accountColumns}, ${accountStamp('t')} as stamp,
  array(select m.group_id::text from user_group_member m where m.user_id = t.uuid) as "groupIds",
  array(select m.group_id::text from user_group_member m where m.user_id = t.uuid and m.source = '${source}') as "groupIdsOfSource",
  (select v.version::text from group_mapping_version v where v.source = '${source}') as "mappingsVersion"`;
}
