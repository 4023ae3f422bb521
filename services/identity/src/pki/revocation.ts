import { keyUses, type Cert } from './certificates.ts';
import type { RevocationList } from './revocation-list.ts';
import { hasSerial } from './serial-set.ts';
import { isStrong, signatureAlgorithmOf, verifySignature } from './signature-algorithm.ts';

type Lists = readonly RevocationList[];
type Status = 'good' | 'revoked' | 'unknown';

/** A list proves that a certificate is good only while it is valid and whole. */
export const isCurrent = ({ scope, thisUpdate, nextUpdate }: RevocationList, now: number): boolean =>
  scope === 'full' && thisUpdate <= now && nextUpdate !== undefined && nextUpdate >= now;

const signers = new WeakMap<RevocationList, { verified: string | undefined; refused: Set<string> }>();

/** The signature of a long list is verified once; after that the signed bytes are released. */
export const isAuthentic = async (list: RevocationList, issuer: Cert): Promise<boolean> => {
  if (issuer.keyUsage && !issuer.keyUsage.has(keyUses.crlSign)) return false;
  const known = signers.get(list) ?? { verified: undefined, refused: new Set<string>() };
  signers.set(list, known);
  const key = issuer.keyFingerprint;
  if (known.verified !== undefined) return known.verified === key;
  if (known.refused.has(key)) return false;
  const algorithm = signatureAlgorithmOf(list.algorithm);
  const { signed, signature } = list;
  const isSigned =
    algorithm !== undefined &&
    isStrong(algorithm) &&
    (await verifySignature(algorithm, { signed, signature, key: issuer.x509.publicKey }));
  if (isSigned) {
    known.verified = key;
    list.signed = new Uint8Array();
  } else known.refused.add(key);
  return isSigned;
};

/** Issuers whose last list is kept; more than any platform has. */
const mostIssuers = 64;

/** Decides by revocation lists, and keeps the last authentic list of every issuer. */
export const createRevocation = () => {
  const lastKnown = new Map<string, RevocationList>();
  /** The authentic lists of an issuer, with the last that was known before. */
  const listsOf = async (issuer: Cert, lists: Lists): Promise<RevocationList[]> => {
    const authentic: RevocationList[] = [];
    for (const list of lists) if (await isAuthentic(list, issuer)) authentic.push(list);
    const last = lastKnown.get(issuer.keyFingerprint);
    const all =
      last && authentic.every((list) => list.scope !== 'full' || list.thisUpdate < last.thisUpdate)
        ? [...authentic, last]
        : authentic;
    const newest = all.filter(({ scope }) => scope === 'full').sort((x, y) => y.thisUpdate - x.thisUpdate)[0];
    if (newest) {
      lastKnown.delete(issuer.keyFingerprint);
      lastKnown.set(issuer.keyFingerprint, newest);
      const oldest = lastKnown.size > mostIssuers ? lastKnown.keys().next().value : undefined;
      if (oldest !== undefined) lastKnown.delete(oldest);
    }
    return all;
  };

  return {
    /** Keeps authentic lists of these issuers before a certificate needs them. */
    remember: async (issuers: readonly Cert[], lists: Lists): Promise<void> => {
      for (const issuer of issuers) await listsOf(issuer, lists);
    },

    /**
     * Every certificate below the trusted authority against the lists of its issuer. Without a current list a
     * certificate is unknown, unless the last list that is known names it: that one is revoked.
     */
    statusOf: async (path: readonly Cert[], lists: Lists, now: Date): Promise<Status> => {
      let status: Status = 'good';
      for (const [i, issuer] of path.slice(1).entries()) {
        const all = await listsOf(issuer, lists);
        // A remembered list can only revoke: that a certificate is good takes a list of the present settings.
        const current = all.filter((list) => lists.includes(list) && isCurrent(list, now.getTime()));
        const newest = Math.max(-Infinity, ...current.map(({ thisUpdate }) => thisUpdate));
        const consulted = all.filter(
          (list) => list.scope !== 'indirect' && (current.includes(list) || list.thisUpdate > newest),
        );
        if (consulted.some(({ serials }) => hasSerial(serials, (path[i] as Cert).serial))) return 'revoked';
        if (current.length === 0) status = 'unknown';
      }
      return status;
    },
  };
};
export type Revocation = ReturnType<typeof createRevocation>;
