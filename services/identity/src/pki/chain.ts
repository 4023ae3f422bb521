import { digitalSignature, isStrong, keyCertSign, type Cert } from './certificates.ts';

const deepest = 8;
/** Signatures looked at for one certificate: those sent along could be made to lead round and round. */
const mostSignatures = 64;
const clientAuth = '1.3.6.1.5.5.7.3.2';
const anyPurpose = '2.5.29.37.0';

const same = (a: Cert, b: Cert): boolean => a.x509.raw.equals(b.x509.raw);
const named = (issuer: Cert, cert: Cert): boolean => cert.x509.checkIssued(issuer.x509);

const timeFault = ({ x509 }: Cert, now: Date): string | undefined => {
  if (now < x509.validFromDate) return 'not_yet_valid';
  return now > x509.validToDate ? 'expired' : undefined;
};

/** What is wrong with the certificate of a person, whoever issued it. */
export const faultOfPerson = (cert: Cert, now: Date): string | undefined => {
  const time = timeFault(cert, now);
  if (time) return time;
  if (cert.subject === '') return 'no_subject';
  if (cert.isCa) return 'authority_as_person';
  if (cert.notUnderstood.length > 0) return 'critical_extension';
  if (!isStrong(cert.signedWith)) return 'weak_signature';
  if (cert.keyUsage && !cert.keyUsage.has(digitalSignature)) return 'key_usage';
  const { purposes } = cert;
  return purposes && !purposes.includes(clientAuth) && !purposes.includes(anyPurpose) ? 'purpose' : undefined;
};

/** What is wrong with an authority that has `below` others between itself and the person. */
const faultOfAuthority = (cert: Cert, below: number, isAnchor: boolean, now: Date): string | undefined => {
  const time = timeFault(cert, now);
  if (time) return `authority_${time}`;
  if (!cert.isCa) return 'not_an_authority';
  if (cert.keyUsage && !cert.keyUsage.has(keyCertSign)) return 'authority_key_usage';
  if (cert.pathLength !== undefined && below > cert.pathLength) return 'path_length';
  // Name and policy constraints are not worked out here: an authority that depends on them is not believed.
  if (cert.notUnderstood.length > 0) return 'authority_critical_extension';
  return isAnchor || isStrong(cert.signedWith) ? undefined : 'authority_weak_signature';
};

type Found = { path: Cert[] } | { fault: string };

/**
 * A way from the person's certificate to one of the authorities that are set, every step signed and allowed. Only those
 * authorities are trusted; certificates sent along may stand between, nothing more.
 */
export const findPath = (person: Cert, between: readonly Cert[], anchors: readonly Cert[], now: Date): Found => {
  let fault = person.x509.subject === person.x509.issuer ? 'self_signed' : 'unknown_issuer';
  const pool = [...anchors, ...between];
  let left = mostSignatures;
  const signed = (issuer: Cert, cert: Cert): boolean => left-- > 0 && cert.x509.verify(issuer.x509.publicKey);
  const climb = (path: Cert[]): Cert[] | undefined => {
    const at = path.at(-1) as Cert;
    for (const issuer of pool) {
      if (path.length > deepest || path.some((c) => same(c, issuer)) || !named(issuer, at)) continue;
      if (!signed(issuer, at)) continue;
      const isAnchor = anchors.some((a) => same(a, issuer));
      const wrong = faultOfAuthority(issuer, path.length - 1, isAnchor, now);
      if (wrong) fault = wrong;
      else {
        const whole = isAnchor ? [...path, issuer] : climb([...path, issuer]);
        if (whole) return whole;
      }
    }
    return undefined;
  };
  const path = climb([person]);
  if (path) return { path };
  return { fault: left < 0 ? 'too_many_ways' : fault };
};
