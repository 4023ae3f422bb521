import { ldapClaimKey } from '../dn/claim-key.ts';

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
 * Compiles the mappings of one source: the only resolver for sign-in, dry run and sweep. Claims of a directory are names
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
