import { folded, tryCanonicalDn } from './dn.ts';

/** Where claims come from; a certificate (`pki`) has none that could be mapped. */
export type ClaimSource = 'ldap' | 'oidc' | 'proxy' | 'pki';

/** What one claim value leads to: a group, a role (at most admin), or both. */
export interface MappingRule {
  readonly claimValue: string;
  readonly groupId: string | null;
  readonly grantsRole: 'user' | 'admin' | null;
}

/** What the mappings make of a list of claims; all lists without repeats, groups in the order of their ids. */
export interface Resolution {
  readonly matched: readonly string[];
  readonly unmatched: readonly string[];
  readonly groupIds: readonly string[];
  /** The highest role of a matched mapping. */
  readonly grantsRole: 'user' | 'admin' | null;
}

/** The mappings of one source, ready to be asked. */
export interface MappingIndex {
  readonly source: ClaimSource;
  /** There is at least one mapping. */
  readonly configured: boolean;
  /** There is or was one: what earlier mappings made is still to be brought in line. */
  readonly everConfigured: boolean;
  readonly resolve: (claims: readonly string[]) => Resolution;
}

/**
 * Makes the index of one source's mappings: the one resolver of sign-in, dry run and sweep. Claims of a directory are
 * names of groups there and are compared as such (RFC 4514), what is no name as text without regard to case; claims of
 * other sources are opaque and compared verbatim.
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

// Names as nearly all are written: of these, lower case is all that reading them would change.
const plainDn = /^(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*(?:,(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*)*$/;

/** One text for all spellings of a claim of a directory. */
export function ldapClaimKey(claim: string): string {
  return plainKey(claim) ?? readKey(claim);
}

function plainKey(claim: string): string | undefined {
  const lower = claim.toLowerCase();
  return plainDn.test(lower) ? `dn:${lower}` : undefined;
}

function readKey(claim: string): string {
  const dn = tryCanonicalDn(claim);
  // A text that is no name never equals one that is.
  return dn === undefined ? `text:${folded(claim)}` : `dn:${dn}`;
}

// The same groups come again with every person: a name is read once.
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
