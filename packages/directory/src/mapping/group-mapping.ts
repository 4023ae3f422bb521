import { ldapClaimKey } from '../dn/claim-key.ts';
import type { Claims, Tristate } from '../model.ts';

/** The sources of claims; a certificate (`pki`) has no claims to map. */
export type ClaimSource = 'ldap' | 'oidc' | 'proxy' | 'pki';

/** The target of one claim value: a group, a role (at most admin), or both. */
export type MappingRule = {
  readonly claimValue: string;
  readonly groupId: string | null;
  readonly grantsRole: 'user' | 'admin' | null;
};

/** The result of the mappings for a list of claims; lists have no duplicates, groups are sorted by id. */
export type Resolution = {
  readonly matched: readonly string[];
  readonly unmatched: readonly string[];
  readonly groupIds: readonly string[];
  /** The highest role of a matched mapping. */
  readonly grantsRole: 'user' | 'admin' | null;
};

/** The compiled mappings of one source. */
export type MappingIndex = {
  readonly source: ClaimSource;
  /** There is at least one mapping. */
  readonly configured: boolean;
  /** A mapping exists or existed: memberships of deleted mappings must be reconciled. */
  readonly everConfigured: boolean;
  readonly resolve: (claims: readonly string[]) => Resolution;
};

/**
 * Compiles the mappings of one source: the only resolver for sign-in, dry run and directory sync. Claims of a directory are names
 * of groups and compared as DNs (RFC 4514), other texts case-insensitively; claims of other sources are opaque and
 * compared verbatim.
 */
export function compileMappings(
  source: ClaimSource,
  rules: readonly MappingRule[],
  everConfigured: boolean = rules.length > 0,
): MappingIndex {
  const keyOf = source === 'ldap' ? ldapClaimKey : (text: string): string => text;
  const byKey = new Map<string, MappingRule[]>();
  for (const rule of rules) {
    const key = keyOf(rule.claimValue);
    const equal = byKey.get(key);
    if (equal === undefined) byKey.set(key, [rule]);
    else equal.push(rule);
  }
  return {
    source,
    configured: rules.length > 0,
    everConfigured: everConfigured || rules.length > 0,
    resolve: (claims) => resolve(byKey, keyOf, claims),
  };
}

function resolve(
  byKey: ReadonlyMap<string, readonly MappingRule[]>,
  keyOf: (text: string) => string,
  claims: readonly string[],
): Resolution {
  const matched: string[] = [];
  const unmatched: string[] = [];
  const groupIds = new Set<string>();
  let grantsRole: Resolution['grantsRole'] = null;
  for (const claim of new Set(claims)) {
    const rules = byKey.get(keyOf(claim));
    (rules === undefined ? unmatched : matched).push(claim);
    for (const rule of rules ?? []) {
      if (rule.groupId !== null) groupIds.add(rule.groupId);
      if (rule.grantsRole !== null && grantsRole !== 'admin') grantsRole = rule.grantsRole;
    }
  }
  return { matched, unmatched, groupIds: [...groupIds].sort(), grantsRole };
}

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
  readonly by: 'sign_in' | 'sync';
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

// A local account has no source; the directory sync never changes a super_admin; a proxy has no admin setting, so without groups or
// mappings there is no basis for a decision.
function isOutOfReach(index: MappingIndex, { role, authType }: MappedAccount, { claims, by }: Asserted): boolean {
  if (authType === 'local') return true;
  if (by === 'sync' && role === 'super_admin') return true;
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
