import type { MappingIndex } from './group-mapping.ts';
import type { Claims, Tristate } from './model.ts';

/** An account as it stands. */
export interface Standing {
  readonly role: 'user' | 'admin' | 'super_admin';
  readonly authType: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
}

/** What the source of an account says of it, and at which occasion. */
export interface Asserted {
  readonly claims: Claims;
  /** Whether the source's own admin setting (users, groups, roles) names this person. */
  readonly legacyAdmin: Tristate;
  readonly by: 'sign_in' | 'sweep';
}

/** What is to be: exactly these memberships of the source (null: leave all), and this role. */
export interface Reconciliation {
  readonly groupIds: readonly string[] | null;
  readonly role: Standing['role'];
}

/**
 * Decides groups and role of an account by its claims (specification, "How mappings apply"). What is not known changes
 * nothing: a role is given up only when mapping and admin setting both say no.
 */
export function reconcileAccount(index: MappingIndex, standing: Standing, asserted: Asserted): Reconciliation {
  if (isOutOfReach(index, standing, asserted)) return { groupIds: null, role: standing.role };
  const { claims, legacyAdmin } = asserted;
  const resolution = claims.known ? index.resolve(claims.values) : null;
  const mapped = !index.configured ? 'no' : resolution === null ? 'unknown' : yesNo(resolution.grantsRole === 'admin');
  return {
    groupIds: index.everConfigured ? (resolution?.groupIds ?? null) : null,
    role: roleFor(standing.role, either(mapped, legacyAdmin)),
  };
}

// A local account has no source; the sweep never touches a super_admin; a proxy has no admin setting, so that there is
// nothing to go by when it sends no groups or no mapping reads them.
function isOutOfReach(index: MappingIndex, { role, authType }: Standing, { claims, by }: Asserted): boolean {
  if (authType === 'local') return true;
  if (by === 'sweep' && role === 'super_admin') return true;
  return index.source === 'proxy' && !(claims.known && index.everConfigured);
}

const yesNo = (yes: boolean): Tristate => (yes ? 'yes' : 'no');

function either(a: Tristate, b: Tristate): Tristate {
  if (a === 'yes' || b === 'yes') return 'yes';
  return a === 'unknown' || b === 'unknown' ? 'unknown' : 'no';
}

function roleFor(role: Standing['role'], admin: Tristate): Standing['role'] {
  if (role === 'super_admin' || admin === 'unknown') return role;
  return admin === 'yes' ? 'admin' : 'user';
}
