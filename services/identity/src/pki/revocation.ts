import { createHash } from 'node:crypto';
import { keyUses, type Cert } from './certificates.ts';
import type { RevocationList } from './revocation-list.ts';
import type { AuthenticList } from './revocation-lists.store.ts';
import { hasSerial } from './serial-set.ts';
import { isStrong, signatureAlgorithmOf, verifySignature } from './signature-algorithm.ts';

type Lists = readonly RevocationList[];
type Status = 'good' | 'revoked' | 'unknown';

/** Only a complete and valid list proves that a certificate is not revoked. */
export function isCurrent({ scope, thisUpdate, nextUpdate }: RevocationList, now: number): boolean {
  return scope === 'full' && thisUpdate <= now && nextUpdate !== undefined && nextUpdate >= now;
}

/** SHA-256 of name and public key: renewed certificates of an authority have the same issuer id. */
function issuerIdOf({ subjectKey, keyFingerprint }: Cert): string {
  return createHash('sha256').update(`${keyFingerprint} ${subjectKey}`).digest('hex');
}

/** Results of signature checks by issuer id: the issuer whose key verified the list, and those whose key did not. */
type SignatureChecks = { verified: string | undefined; rejected: Set<string> };
const signatureChecks = new WeakMap<RevocationList, SignatureChecks>();

/** Id of the issuer whose key verified the signature of a list; undefined: no signature check has succeeded yet. */
export function verifiedIssuerOf(list: RevocationList): string | undefined {
  return signatureChecks.get(list)?.verified;
}

/** The signature of a long list is verified once; after that the signed bytes are released. */
export async function isAuthentic(list: RevocationList, issuer: Cert): Promise<boolean> {
  if (issuer.keyUsage && !issuer.keyUsage.has(keyUses.crlSign)) return false;
  const checks = signatureChecks.get(list) ?? { verified: undefined, rejected: new Set<string>() };
  signatureChecks.set(list, checks);
  const issuerId = issuerIdOf(issuer);
  if (checks.verified !== undefined) return checks.verified === issuerId;
  if (list.issuer !== issuer.subjectKey || checks.rejected.has(issuerId)) return false;
  const algorithm = signatureAlgorithmOf(list.algorithm);
  const { signed, signature } = list;
  const isSigned =
    algorithm !== undefined &&
    isStrong(algorithm) &&
    (await verifySignature(algorithm, { signed, signature, key: issuer.x509.publicKey }));
  if (isSigned) {
    checks.verified = issuerId;
    list.signed = new Uint8Array();
  } else checks.rejected.add(issuerId);
  return isSigned;
}

/** Issuers whose last list is kept; more than any installation has. */
const maxIssuers = 64;

/** Checks certificates against revocation lists, and keeps the last authentic list of every issuer. */
export function createRevocation() {
  /** By issuer id, least recently used first. */
  const lastKnown = new Map<string, RevocationList>();
  const keepAsLast = (issuerId: string, list: RevocationList): void => {
    lastKnown.delete(issuerId);
    lastKnown.set(issuerId, list);
    const oldest = lastKnown.size > maxIssuers ? lastKnown.keys().next().value : undefined;
    if (oldest !== undefined) lastKnown.delete(oldest);
  };

  /** The authentic lists of an issuer, and its last known list when that is newer. */
  const listsOf = async (issuer: Cert, lists: Lists): Promise<RevocationList[]> => {
    const authentic: RevocationList[] = [];
    for (const list of lists) if (await isAuthentic(list, issuer)) authentic.push(list);
    const last = lastKnown.get(issuerIdOf(issuer));
    const all =
      last && authentic.every((list) => list.scope !== 'full' || list.thisUpdate < last.thisUpdate)
        ? [...authentic, last]
        : authentic;
    const newest = newestFullOf(all);
    if (newest) keepAsLast(issuerIdOf(issuer), newest);
    return all;
  };

  return {
    /** Takes over lists whose signatures were verified before a restart. */
    restore: (stored: readonly AuthenticList[]): void => {
      for (const { issuerId, list } of stored)
        signatureChecks.set(list, { verified: issuerId, rejected: new Set<string>() });
      for (const [issuerId, lists] of Map.groupBy(stored, (entry) => entry.issuerId)) {
        const newest = newestFullOf(lists.map(({ list }) => list));
        if (newest) keepAsLast(issuerId, newest);
      }
    },

    /** Verifies the lists of these issuers before a certificate needs them. */
    remember: async (issuers: readonly Cert[], lists: Lists): Promise<void> => {
      for (const issuer of issuers) await listsOf(issuer, lists);
    },

    /**
     * Checks every certificate below the trusted authority against the lists of its issuer. Without a current list the
     * status is unknown, except for certificates on the last known list: these are revoked.
     */
    statusOf: async (path: readonly Cert[], lists: Lists, now: Date): Promise<Status> => {
      let status: Status = 'good';
      for (const [i, cert] of path.slice(0, -1).entries()) {
        const above = path.slice(i + 1);
        // An authority with a new key may sign its lists with either key (RFC 5280 section 6.3.3, step f).
        const signers = above.filter(({ subjectKey }) => subjectKey === above[0]?.subjectKey);
        const results: Status[] = [];
        for (const signer of signers) results.push(statusBySigner(cert, await listsOf(signer, lists), lists, now));
        if (results.includes('revoked')) return 'revoked';
        if (!results.includes('good')) status = 'unknown';
      }
      return status;
    },
  };
}

export type Revocation = ReturnType<typeof createRevocation>;

/** @param authentic lists of the signer, among them its last known one. @param configured lists of the current settings. */
function statusBySigner(cert: Cert, authentic: Lists, configured: Lists, now: Date): Status {
  // The last known list can only revoke: good requires a list of the current settings.
  const current = authentic.filter((list) => configured.includes(list) && isCurrent(list, now.getTime()));
  const newest = Math.max(-Infinity, ...current.map(({ thisUpdate }) => thisUpdate));
  const consulted = authentic.filter(
    (list) => list.scope !== 'indirect' && (current.includes(list) || list.thisUpdate > newest),
  );
  if (consulted.some(({ serials }) => hasSerial(serials, cert.serialBytes))) return 'revoked';
  return current.length > 0 ? 'good' : 'unknown';
}

function newestFullOf(lists: Lists): RevocationList | undefined {
  return lists.filter(({ scope }) => scope === 'full').sort((x, y) => y.thisUpdate - x.thisUpdate)[0];
}
