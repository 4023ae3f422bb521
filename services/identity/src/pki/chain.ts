import { keyUses, type Cert } from './certificates.ts';
import { satisfiesConstraints } from './name-constraints.ts';
import { keyStrength } from './key-strength.ts';
import { isStrong, requiredSecurityBits } from './signature-algorithm.ts';

/** Certificates from the person's to the root. */
const maxChainLength = 10;
/** Signature checks for one sign-in: intermediate certificates of a client could form an expensive graph. */
const maxSignatureChecks = 64;
const clientAuth = '1.3.6.1.5.5.7.3.2';
/** Bits of the Netscape certificate type. */
const netscape = { client: 0, sslAuthority: 5, emailAuthority: 6, codeAuthority: 7 };

/** Checks the certificate of a person, independent of its issuer. @returns the first fault. */
export function faultOfPerson(cert: Cert, now: Date): string | undefined {
  const time = timeFault(cert, now);
  if (time) return time;
  // These two rules are stricter than OpenSSL: a person needs a subject and is not an authority.
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
}

/** Older authorities lack basic constraints: like OpenSSL, accepts them only at the end of a chain. */
function isAuthority(cert: Cert, isLast: boolean): boolean {
  const { basicConstraints, keyUsage, netscapeType, version, isSelfIssued } = cert;
  if (keyUsage && !keyUsage.has(keyUses.keyCertSign)) return false;
  if (basicConstraints) return basicConstraints.isCa;
  if (!isLast) return false;
  return (version === 1 && isSelfIssued) || keyUsage !== undefined || netscapeType?.has(netscape.sslAuthority) === true;
}

/** Checks an authority in a chain. @param below authorities between it and the person. @returns the first fault. */
function faultOfAuthority(cert: Cert, below: number, isLast: boolean, now: Date): string | undefined {
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
}

/** Self-issued authorities (e.g. with a new key) do not count for the path length. */
function countBelow(chain: readonly Cert[], at: number): number {
  return chain.slice(1, at).filter((cert) => !cert.isSelfIssued).length;
}

/** Checks a chain whose signatures are verified and whose end is trusted. @returns the first fault. */
function faultOfChain(chain: readonly Cert[], now: Date): string | undefined {
  for (const [i, cert] of chain.entries()) {
    if (i === 0) continue;
    const fault = faultOfAuthority(cert, countBelow(chain, i), i === chain.length - 1, now);
    if (fault) return fault;
  }
  for (const [i, cert] of chain.entries()) {
    if (i > 0 && i < chain.length - 1 && cert.isSelfIssued) continue;
    const above = chain.slice(i + 1);
    if (above.some(({ nameConstraints }) => nameConstraints && !satisfiesConstraints(nameConstraints, cert, i === 0)))
      return 'name_constraints';
  }
  return undefined;
}

type PathResult = { path: Cert[] } | { fault: string };

/**
 * Finds a chain from the person's certificate to a trusted authority by the rules of
 * `openssl verify -purpose sslclient -auth_level 2`. Certificates of the client can only be intermediates.
 * A trusted authority without its own issuer ends a chain, too (`-partial_chain`).
 * @returns the part of the chain up to the first trusted authority.
 */
export function findPath(
  person: Cert,
  intermediates: readonly Cert[],
  anchors: readonly Cert[],
  now: Date,
): PathResult {
  let fault = person.isSelfIssued ? 'self_signed' : 'unknown_issuer';
  let signaturesLeft = maxSignatureChecks;
  const isAnchor = (cert: Cert): boolean => anchors.some((anchor) => same(anchor, cert));
  const isIssuer = (issuer: Cert, cert: Cert): boolean =>
    cert.x509.checkIssued(issuer.x509) && signaturesLeft-- > 0 && cert.x509.verify(issuer.x509.publicKey);

  const extendPath = (chain: readonly Cert[]): Cert[] | undefined => {
    const top = chain.at(-1) as Cert;
    const isTrusted = chain.length > 1 && isAnchor(top);
    const pool = isTrusted ? anchors : [...anchors, ...intermediates];
    const isNew = (cert: Cert) => chain.every((known) => !same(known, cert));
    const issuers =
      chain.length >= maxChainLength || (isTrusted && top.isSelfIssued)
        ? []
        : pool.filter((cert) => isNew(cert) && isIssuer(cert, top));
    if (signaturesLeft < 0) return undefined;
    if (isTrusted && issuers.length === 0) {
      const wrong = faultOfChain(chain, now);
      if (wrong) fault = wrong;
      else return chain.slice(0, chain.findIndex((cert, i) => i > 0 && isAnchor(cert)) + 1);
    }
    for (const issuer of issuers) {
      const path = extendPath([...chain, issuer]);
      if (path) return path;
    }
    return undefined;
  };
  const path = extendPath([person]);
  if (path) return { path };
  return { fault: signaturesLeft < 0 ? 'too_many_ways' : fault };
}

function timeFault({ x509 }: Cert, now: Date): string | undefined {
  if (now < x509.validFromDate) return 'not_yet_valid';
  return now > x509.validToDate ? 'expired' : undefined;
}

function hasWeakKey(cert: Cert): boolean {
  return strengthOf(cert) < requiredSecurityBits;
}

/** No extended key usage allows any purpose; like OpenSSL, the purpose "any" (anyExtendedKeyUsage) alone does not. */
function mayAuthenticateClients({ purposes }: Cert): boolean {
  return !purposes || purposes.includes(clientAuth);
}

function same(left: Cert, right: Cert): boolean {
  return left.x509.raw.equals(right.x509.raw);
}

function strengthOf({ x509 }: Cert): number {
  try {
    return keyStrength(x509.publicKey);
  } catch {
    return 0;
  }
}
