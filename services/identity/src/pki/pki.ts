import { createHash } from 'node:crypto';
import type { AuthSettings } from '@overtone/contracts';
import { canonicalDn, parseDnList, sameDn } from '@overtone/directory';
import type { Forwarded } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import { judge } from '../forwarded/forwarded.ts';
import type { LegacyAdmin } from '../mappings/mappings.ts';
import type { Assertion } from '../provisioning/provisioning.ts';
import { parsePem, type Cert } from './certificates.ts';
import { faultOfPerson, findPath } from './chain.ts';
import { forwardedCertificates } from './forwarded-certificate.ts';
import { parseCrls, revocationOf, type Crl } from './revocation.ts';

export type PkiSettings = Pick<AuthSettings, Extract<keyof AuthSettings, `pki_${string}`>>;
export type Refused = { ok: false; errorCode: AuditErrorCode; reason: string; username?: string; header?: string };
type Shown = { ok: true; person: Cert; between: Cert[] } | Refused;

const invalid = (reason: string, username?: string): Refused => ({
  ok: false,
  errorCode: 'INVALID_CERTIFICATE',
  reason,
  ...(username === undefined ? {} : { username }),
});

/** The certificate that a trusted proxy forwards; from anybody else it is only text. */
export const certificateOf = (f: Forwarded, s: PkiSettings): Shown => {
  const chainHeader = `${s.pki_cert_header}-Chain`;
  const judged = judge(f, s.pki_trusted_proxies, [
    { name: s.pki_cert_header, maxBytes: 16_384 },
    { name: chainHeader, maxBytes: 16_384, commas: true },
  ]);
  if (!judged.trusted) {
    const { fault: reason, header } = judged;
    const errorCode = reason.endsWith('_proxies') || reason.endsWith('_peer') ? 'UNTRUSTED_PROXY' : 'INVALID_HEADER';
    return { ok: false, errorCode, reason, ...(header ? { header } : {}) };
  }
  const value = judged.values.get(s.pki_cert_header);
  if (!value) return invalid('no_certificate');
  const found = forwardedCertificates(value, judged.values.get(chainHeader));
  return found ? { ok: true, ...found } : invalid('malformed');
};

const remembered = <T>(parse: (text: string) => T): ((text: string) => T | undefined) => {
  let last: { text: string; value: T | undefined } | undefined;
  return (text) => {
    if (last?.text === text) return last.value;
    let value: T | undefined;
    try {
      value = parse(text);
    } catch {
      value = undefined;
    }
    last = { text, value };
    return value;
  };
};
// Settings change rarely and are long: each text is read once.
const authorities = remembered(parsePem);
const givenLists = remembered((text) => (text === '' ? [] : parseCrls(Buffer.from(text))));

const address = /^[^\s@]+@[^\s@]+$/;
/** Without an address in the certificate one is made up, in a domain that receives no mail. */
const emailOf = ({ emails, commonName, subject }: Cert, issuer: string): { email: string; spareEmail?: string } => {
  const given = emails.find((e) => address.test(e) && e.length <= 320 && !/\p{Cc}/u.test(e));
  if (given !== undefined) return { email: given };
  const local = (commonName ?? subject)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '.')
    .replaceAll(/^\.+|\.+$/g, '')
    .slice(0, 64);
  const hash = createHash('sha256')
    .update(`${issuer}\n${canonicalDn(subject)}`)
    .digest('hex')
    .slice(0, 10);
  return { email: `${local}@pki.local`, spareEmail: `${local}.${hash}@pki.local` };
};

const adminBy = (subject: string, setting: string): LegacyAdmin => {
  const { dns } = parseDnList(setting);
  if (dns.length === 0) return 'unknown';
  return dns.some((dn) => sameDn(dn, subject)) ? 'yes' : 'no';
};

const assertionOf = (cert: Cert, issuer: Cert, s: PkiSettings): Assertion => {
  const name = cert.commonName ?? cert.subject;
  return {
    source: 'pki',
    subject: { issuer: canonicalDn(issuer.subject), id: canonicalDn(cert.subject) },
    login: name.slice(0, 320),
    ...emailOf(cert, canonicalDn(issuer.subject)),
    // An authority checks keys and names; nothing says that it has checked the address.
    emailVerified: false,
    name: name.slice(0, 200),
    claims: { known: false, reason: 'certificates_tell_no_groups' },
    legacyAdmin: adminBy(cert.subject, s.pki_admin_dns),
  };
};

type Checked = { ok: true; assertion: Assertion } | Refused;

/** Chain, time, purpose and revocation of a person's certificate. `fetchLists` is asked only when lists are wanted. */
export const check = async (
  { person, between }: { person: Cert; between: Cert[] },
  s: PkiSettings,
  fetchLists: () => Promise<Crl[]>,
  now: Date,
): Promise<Checked> => {
  const refuse = (reason: string): Refused => invalid(reason, person.subject);
  const anchors = authorities(s.pki_ca_cert);
  if (!anchors || anchors.length === 0) return refuse('no_authority_set');
  const found = findPath(person, between, anchors, now);
  const fault = 'fault' in found ? found.fault : undefined;
  const own = faultOfPerson(person, now);
  if ('fault' in found || own) return refuse(own ?? (fault as string));
  if (/\p{Cc}/u.test(person.subject)) return refuse('subject_control_character');
  if (s.pki_verify_revocation) {
    const lists = [...(givenLists(s.pki_crl) ?? []), ...(await fetchLists())];
    const state = await revocationOf(found.path, lists, now);
    if (state === 'revoked') return refuse('revoked');
    if (state === 'unknown' && !s.pki_revocation_soft_fail) return refuse('revocation_unknown');
  }
  return { ok: true, assertion: assertionOf(person, found.path[1] as Cert, s) };
};
