import { folded, tryCanonicalDn } from './dn.ts';

// Simple names, for which canonicalisation is only a conversion to lower case.
const plainDn = /^(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*(?:,(?:cn|ou|dc|o|uid)=[\w.-]+(?: [\w.-]+)*)*$/;
const maxRemembered = 50_000;
const remembered = new Map<string, string>();

/**
 * The canonical text by which names of groups are compared: as DNs (RFC 4514), other texts case-insensitively. A text
 * that is no DN never equals a DN. Results are cached, because the same groups occur for many persons.
 */
export function ldapClaimKey(claim: string): string {
  const lower = claim.toLowerCase();
  if (plainDn.test(lower)) return `dn:${lower}`;
  const known = remembered.get(claim);
  if (known !== undefined) return known;
  const dn = tryCanonicalDn(claim);
  const key = dn === undefined ? `text:${folded(claim)}` : `dn:${dn}`;
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(claim, key);
  return key;
}
