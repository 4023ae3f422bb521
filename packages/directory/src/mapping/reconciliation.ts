import type { MappingIndex } from './group-mapping.ts';
import type { Claims, Tristate } from '../model.ts';

/** The current state of an account. */
export type MappedAccount = {
  readonly role: 'user' | 'admin' | 'super_admin';
  readonly authType: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
};

/** The assertion of an account's source, and its occasion. */
export type Asserted = {
  readonly claims: Claims;
  /** Whether the admin setting of the source (users, groups, roles) contains this person. */
  readonly legacyAdmin: Tristate;
  readonly by: 'sign_in' | 'sweep';
};

/** The target state: the memberships from this source (null: unchanged), and the role. */
export type Reconciliation = {
  readonly groupIds: readonly string[] | null;
  readonly role: MappedAccount['role'];
};

/**
 * Decides groups and role of an account by its claims (specification, "How mappings apply"). Unknown claims change
 * nothing: a role is revoked only when mapping and admin setting both deny it.
 */
export function reconcileAccount(index: MappingIndex, account: MappedAccount, asserted: Asserted): Reconciliation {
  if (isOutOfReach(index, account, asserted)) return { groupIds: null, role: account.role };
  const { claims, legacyAdmin } = asserted;
  const resolution = claims.known ? index.resolve(claims.values) : null;
  const mapped = !index.configured ? 'no' : resolution === null ? 'unknown' : yesNo(resolution.grantsRole === 'admin');
  return {
    groupIds: index.everConfigured ? (resolution?.groupIds ?? null) : null,
    role: roleFor(account.role, either(mapped, legacyAdmin)),
  };
}

// A local account has no source; the sweep never changes a super_admin; a proxy has no admin setting, so without groups or
// mappings there is no basis for a decision.
function isOutOfReach(index: MappingIndex, { role, authType }: MappedAccount, { claims, by }: Asserted): boolean {
  if (authType === 'local') return true;
  if (by === 'sweep' && role === 'super_admin') return true;
  return index.source === 'proxy' && !(claims.known && index.everConfigured);
}

function yesNo(yes: boolean): Tristate {
  return yes ? 'yes' : 'no';
}

function either(left: Tristate, right: Tristate): Tristate {
  if (left === 'yes' || right === 'yes') return 'yes';
  return left === 'unknown' || right === 'unknown' ? 'unknown' : 'no';
}

function roleFor(role: MappedAccount['role'], admin: Tristate): MappedAccount['role'] {
  if (role === 'super_admin' || admin === 'unknown') return role;
  return admin === 'yes' ? 'admin' : 'user';
}
