import { CertificateRevocationList } from 'pkijs';
import { crlSign, isStrong, serialOf, type Cert } from './certificates.ts';

/** A revocation list with what is asked of it, worked out once. */
export type Crl = {
  asn: CertificateRevocationList;
  thisUpdate: Date;
  nextUpdate: Date | undefined;
  serials: ReadonlySet<string>;
  /** It has a critical extension (parts of a list, lists for others), so it cannot be read as a whole list. */
  partial: boolean;
};

const reasonCode = '2.5.29.21';
const removeFromCrl = 8;

type Enumerated = { valueBlock?: { valueDec?: number } };
const stillRevoked = (extensions: { extnID: string; parsedValue?: unknown }[] | undefined): boolean => {
  const reason = extensions?.find((e) => e.extnID === reasonCode)?.parsedValue as Enumerated | undefined;
  return reason?.valueBlock?.valueDec !== removeFromCrl;
};

/** @throws Error: the bytes are no revocation list. */
const parseCrl = (der: Buffer): Crl => {
  const asn = CertificateRevocationList.fromBER(new Uint8Array(der));
  const revoked = (asn.revokedCertificates ?? []).filter((r) => stillRevoked(r.crlEntryExtensions?.extensions));
  return {
    asn,
    thisUpdate: asn.thisUpdate.value,
    nextUpdate: asn.nextUpdate?.value,
    serials: new Set(revoked.map((r) => serialOf(r.userCertificate))),
    partial: (asn.crlExtensions?.extensions ?? []).some((e) => e.critical),
  };
};

const block = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/g;

/** The lists of a PEM text, or the one of DER bytes. @throws Error */
export const parseCrls = (bytes: Buffer): Crl[] => {
  const text = bytes.toString('latin1');
  if (!text.includes('-----BEGIN')) return [parseCrl(bytes)];
  return [...text.matchAll(block)].map(([, base64]) => parseCrl(Buffer.from(base64 as string, 'base64')));
};

const signed = new WeakMap<Crl, Map<string, Promise<boolean>>>();
/** Whether this authority signed the list; remembered, because a list is long and many sign-ins ask. */
const signedBy = (crl: Crl, issuer: Cert): Promise<boolean> => {
  const known = signed.get(crl) ?? new Map<string, Promise<boolean>>();
  signed.set(crl, known);
  const key = issuer.x509.fingerprint256;
  const answer = known.get(key) ?? crl.asn.verify({ issuerCertificate: issuer.asn }).catch(() => false);
  known.set(key, answer);
  return answer;
};

const usable = async (crl: Crl, issuer: Cert, now: Date): Promise<boolean> => {
  if (crl.partial || crl.thisUpdate > now || !crl.nextUpdate || crl.nextUpdate < now) return false;
  if (!isStrong(crl.asn.signatureAlgorithm.algorithmId)) return false;
  if (issuer.keyUsage && !issuer.keyUsage.has(crlSign)) return false;
  return signedBy(crl, issuer);
};

/** Every certificate below the trusted authority against the lists of its issuer. No usable list: unknown, not good. */
export const revocationOf = async (
  path: readonly Cert[],
  crls: readonly Crl[],
  now: Date,
): Promise<'good' | 'revoked' | 'unknown'> => {
  let unknown = false;
  for (const [i, issuer] of path.slice(1).entries()) {
    const mine: Crl[] = [];
    for (const crl of crls) if (await usable(crl, issuer, now)) mine.push(crl);
    if (mine.some((crl) => crl.serials.has((path[i] as Cert).serial))) return 'revoked';
    if (mine.length === 0) unknown = true;
  }
  return unknown ? 'unknown' : 'good';
};
