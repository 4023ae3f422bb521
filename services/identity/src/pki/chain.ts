import { keyUses, type Cert } from './certificates.ts';
import { keepsTo } from './name-constraints.ts';
import { keyStrength } from './key-strength.ts';
import { isStrong, requiredSecurityBits } from './signature-algorithm.ts';

/** Certificates of one chain, from the person's to the root. */
const mostInChain = 10;
/** Signatures verified for one certificate: those sent along could be made to lead round and round. */
const mostSignatures = 64;
const clientAuth = '1.3.6.1.5.5.7.3.2';
/** Bits of the Netscape certificate type. */
const netscape = { client: 0, sslAuthority: 5, emailAuthority: 6, codeAuthority: 7 };

const same = (a: Cert, b: Cert): boolean => a.x509.raw.equals(b.x509.raw);

const timeFault = ({ x509 }: Cert, now: Date): string | undefined => {
  if (now < x509.validFromDate) return 'not_yet_valid';
  return now > x509.validToDate ? 'expired' : undefined;
};

const strengthOf = ({ x509 }: Cert): number => {
  try {
    return keyStrength(x509.publicKey);
  } catch {
    return 0;
  }
};
const hasWeakKey = (cert: Cert): boolean => strengthOf(cert) < requiredSecurityBits;

/** No extended key usage allows any purpose; "any purpose" as one of several counts as little as in OpenSSL. */
const mayAuthenticateClients = ({ purposes }: Cert): boolean => !purposes || purposes.includes(clientAuth);

/** What is wrong with the certificate of a person, whichever authority issued it. */
export const faultOfPerson = (cert: Cert, now: Date): string | undefined => {
  const time = timeFault(cert, now);
  if (time) return time;
  // These two are stricter than OpenSSL: a person needs a name here, and an authority is no person.
  if (cert.subjectName.length === 0) return 'no_subject';
  if (cert.basicConstraints?.isCa) return 'authority_as_person';
  if (cert.notUnderstood.length > 0) return 'critical_extension';
  if (cert.isProxy) return 'proxy_certificate';
  if (!isStrong(cert.signature)) return 'weak_signature';
  if (hasWeakKey(cert)) return 'weak_key';
  if (cert.hasExplicitCurve) return 'explicit_curve';
  const { keyUsage, netscapeType } = cert;
  if (keyUsage && !keyUsage.has(keyUses.digitalSignature) && !keyUsage.has(keyUses.keyAgreement)) return 'key_usage';
  return !mayAuthenticateClients(cert) || netscapeType?.has(netscape.client) === false ? 'purpose' : undefined;
};

/** Older authorities do not say what they are: OpenSSL believes those only at the end of a chain. */
const isAuthority = (cert: Cert, isLast: boolean): boolean => {
  const { basicConstraints, keyUsage, netscapeType, version, isSelfIssued } = cert;
  if (keyUsage && !keyUsage.has(keyUses.keyCertSign)) return false;
  if (basicConstraints) return basicConstraints.isCa;
  if (!isLast) return false;
  return (version === 1 && isSelfIssued) || keyUsage !== undefined || netscapeType?.has(netscape.sslAuthority) === true;
};

/** What is wrong with an authority at this place of a chain; `below`: authorities between it and the person. */
const faultOfAuthority = (cert: Cert, below: number, isLast: boolean, now: Date): string | undefined => {
  const time = timeFault(cert, now);
  if (time) return `authority_${time}`;
  if (!isAuthority(cert, isLast)) return 'not_an_authority';
  if (cert.notUnderstood.length > 0) return 'authority_critical_extension';
  if (cert.isProxy || cert.hasExplicitCurve) return 'not_an_authority';
  if (!mayAuthenticateClients(cert)) return 'authority_purpose';
  const length = cert.basicConstraints?.pathLength;
  if (length !== undefined && below > length) return 'path_length';
  if (hasWeakKey(cert)) return 'authority_weak_key';
  return isLast || isStrong(cert.signature) ? undefined : 'authority_weak_signature';
};

/** Authorities that certify themselves again (a new key, say) are free in the length of a path. */
const countBelow = (chain: readonly Cert[], at: number): number =>
  chain.slice(1, at).filter((cert) => !cert.isSelfIssued).length;

/** The first fault of a chain that ends at a trusted authority, every signature of which is verified. */
const faultOfChain = (chain: readonly Cert[], now: Date): string | undefined => {
  for (const [i, cert] of chain.entries()) {
    if (i === 0) continue;
    const fault = faultOfAuthority(cert, countBelow(chain, i), i === chain.length - 1, now);
    if (fault) return fault;
  }
  for (const [i, cert] of chain.entries()) {
    if (i > 0 && i < chain.length - 1 && cert.isSelfIssued) continue;
    const above = chain.slice(i + 1);
    if (above.some(({ nameConstraints }) => nameConstraints && !keepsTo(nameConstraints, cert, i === 0)))
      return 'name_constraints';
  }
  return undefined;
};

type Found = { path: Cert[] } | { fault: string };

/**
 * A chain from the person's certificate to an authority that is set, every step signed and allowed as
 * `openssl verify -purpose sslclient -auth_level 2` demands. Certificates sent along may stand between, nothing more.
 * An authority that is set without its own issuer ends a chain, too.
 * @returns the part of the chain that ends at the first authority that is set.
 */
export const findPath = (person: Cert, between: readonly Cert[], anchors: readonly Cert[], now: Date): Found => {
  let fault = person.isSelfIssued ? 'self_signed' : 'unknown_issuer';
  let signaturesLeft = mostSignatures;
  const isAnchor = (cert: Cert): boolean => anchors.some((anchor) => same(anchor, cert));
  const isIssuer = (issuer: Cert, cert: Cert): boolean =>
    cert.x509.checkIssued(issuer.x509) && signaturesLeft-- > 0 && cert.x509.verify(issuer.x509.publicKey);

  const climb = (chain: readonly Cert[]): Cert[] | undefined => {
    const top = chain.at(-1) as Cert;
    const isTrusted = chain.length > 1 && isAnchor(top);
    const pool = isTrusted ? anchors : [...anchors, ...between];
    const isNew = (cert: Cert) => chain.every((known) => !same(known, cert));
    const issuers =
      chain.length >= mostInChain || (isTrusted && top.isSelfIssued)
        ? []
        : pool.filter((cert) => isNew(cert) && isIssuer(cert, top));
    if (signaturesLeft < 0) return undefined;
    if (isTrusted && issuers.length === 0) {
      const wrong = faultOfChain(chain, now);
      if (wrong) fault = wrong;
      else return chain.slice(0, chain.findIndex((cert, i) => i > 0 && isAnchor(cert)) + 1);
    }
    for (const issuer of issuers) {
      const path = climb([...chain, issuer]);
      if (path) return path;
    }
    return undefined;
  };
  const path = climb([person]);
  if (path) return { path };
  return { fault: signaturesLeft < 0 ? 'too_many_ways' : fault };
};
