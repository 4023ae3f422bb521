import { folded, tryCanonicalDn } from '../dn/dn.ts';

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
  const keyOf = source === 'ldap' ? rememberingKeys() : (text: string): string => text;
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

// Simple names, for which canonicalisation is only a conversion to lower case.
const plainDn = /^(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*(?:,(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*)*$/;

/** The canonical text of a directory claim. */
export function ldapClaimKey(claim: string): string {
  return plainKey(claim) ?? readKey(claim);
}

function plainKey(claim: string): string | undefined {
  const lower = claim.toLowerCase();
  return plainDn.test(lower) ? `dn:${lower}` : undefined;
}

function readKey(claim: string): string {
  const dn = tryCanonicalDn(claim);
  // A text that is no DN never equals a DN.
  return dn === undefined ? `text:${folded(claim)}` : `dn:${dn}`;
}

// The results are cached, because the same groups occur for many persons.
const rememberedAtMost = 50_000;

function rememberingKeys(): (claim: string) => string {
  const known = new Map<string, string>();
  return (claim) => {
    const key = plainKey(claim) ?? known.get(claim);
    if (key !== undefined) return key;
    if (known.size >= rememberedAtMost) known.clear();
    const read = readKey(claim);
    known.set(claim, read);
    return read;
  };
}
