import { createHash } from 'node:crypto';
import type { AuthSettings } from '@overtone/contracts';
import { canonicalDn, sameDn } from '@overtone/directory';
import type { Forwarded } from '@overtone/service-kit';
import type { AuditErrorCode } from '../audit/audit.ts';
import { readForwarded } from '../forwarded/forwarded.ts';
import type { LegacyAdmin } from '../mappings/mappings.ts';
import type { Assertion } from '../provisioning/provisioning.ts';
import { parseNamePairs } from './name-pairs.ts';
import { parsePem, type Cert } from './certificates.ts';
import { faultOfPerson, findPath } from './chain.ts';
import { forwardedCertificates } from './forwarded-certificate.ts';
import { parseLists } from './list-parser.ts';
import type { RevocationList } from './revocation-list.ts';
import type { Revocation } from './revocation.ts';

export { parseNamePairs } from './name-pairs.ts';

export type PkiSettings = Pick<AuthSettings, Extract<keyof AuthSettings, `pki_${string}`>>;
type CertificateRefusal = {
  ok: false;
  errorCode: AuditErrorCode;
  reason: string;
  username?: string;
  header?: string;
  certificate?: CertificateFacts;
};
/** What the audit trail records of a certificate. */
type CertificateFacts = { subject: string; issuer: string; serial: string; fingerprint: string };

type PresentedCertificate = { ok: true; person: Cert; intermediates: Cert[] } | CertificateRefusal;

/** The certificate that a trusted proxy forwards; the header of any other peer is rejected. */
export function certificateOf(forwarded: Forwarded, settings: PkiSettings): PresentedCertificate {
  const chainHeader = `${settings.pki_cert_header}-Chain`;
  const result = readForwarded(forwarded, settings.pki_trusted_proxies, [
    { name: settings.pki_cert_header, maxBytes: 16_384 },
    { name: chainHeader, maxBytes: 16_384, commas: true },
  ]);
  if (!result.ok) return result;
  const value = result.values.get(settings.pki_cert_header);
  if (!value) return invalid('no_certificate');
  const found = forwardedCertificates(value, result.values.get(chainHeader));
  return found ? { ok: true, ...found } : invalid('malformed');
}

function cacheLast<T>(parse: (text: string) => T): (text: string) => T | undefined {
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
}

// Settings are long and change rarely: the last text is parsed once.
/** The authorities of a setting; undefined: the text cannot be read. */
export const authoritiesOf = cacheLast(parsePem);
/** The revocation lists of a setting; undefined: the text cannot be read. */
export const configuredListsOf = cacheLast((text) => (text.trim() === '' ? [] : parseLists(Buffer.from(text))));

/** Subject and issuer are in one index entry, which holds 2,700 bytes. */
const maxNameBytes = 1_200;

const address = /^[^\s@]+@[^\s@]+$/;

function emailOf({ emails }: Cert): string | null {
  return emails.find((email) => address.test(email) && email.length <= 320 && !/\p{Cc}/u.test(email)) ?? null;
}

/** For a new account whose certificate has no address: addresses in a domain that receives no mail. */
function placeholdersOf({ commonName, subject }: Cert, issuer: string): string[] {
  const local = (commonName ?? subject)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '.')
    .replaceAll(/^\.+|(?<!\.)\.+$/g, '')
    .slice(0, 64);
  const hash = createHash('sha256')
    .update(`${issuer}\n${canonicalDn(subject)}`)
    .digest('hex')
    .slice(0, 10);
  return [`${local}@pki.local`, `${local}.${hash}@pki.local`];
}

/** An empty list means that there is no administrator, as with the settings of the directory. */
function adminBy(cert: Cert, issuer: Cert, setting: string): LegacyAdmin {
  return parseNamePairs(setting).pairs.some(
    (admin) => sameDn(admin.name, cert.subject) && (!admin.issuer || sameDn(admin.issuer, issuer.subject)),
  )
    ? 'yes'
    : 'no';
}

/** Accounts keep the issuer of the first authority when another one replaces it. */
function accountIssuerOf(issuer: Cert, setting: string): string {
  const replaced = parseNamePairs(setting).pairs.find(({ name }) => sameDn(name, issuer.subject));
  return canonicalDn(replaced?.issuer ?? issuer.subject);
}

function assertionOf(cert: Cert, issuer: Cert, settings: PkiSettings): Assertion {
  const name = cert.commonName ?? cert.subject;
  return {
    source: 'pki',
    subject: { issuer: accountIssuerOf(issuer, settings.pki_issuer_map), id: canonicalDn(cert.subject) },
    login: name.slice(0, 320),
    email: emailOf(cert),
    placeholderEmails: placeholdersOf(cert, canonicalDn(issuer.subject)),
    // Authorities verify keys and names, not necessarily addresses.
    emailVerified: false,
    name: name.slice(0, 200),
    claims: { known: false, reason: 'certificates_tell_no_groups' },
    legacyAdmin: adminBy(cert, issuer, settings.pki_admin_dns),
    auditDetails: certificateFactsOf(cert),
  };
}

type CheckResult = { ok: true; assertion: Assertion } | CertificateRefusal;
type Lists = {
  revocation: Revocation;
  /** Called only when revocation is checked. */
  fetchLists: () => Promise<readonly RevocationList[]>;
};

/** Checks chain, dates, purpose and revocation of a person's certificate. */
export async function checkCertificate(
  { person, intermediates }: { person: Cert; intermediates: Cert[] },
  settings: PkiSettings,
  { revocation, fetchLists }: Lists,
  now: Date,
): Promise<CheckResult> {
  const refuse = (reason: string): CertificateRefusal => ({
    ...invalid(reason, person.subject),
    certificate: certificateFactsOf(person),
  });
  const anchors = authoritiesOf(settings.pki_ca_cert);
  if (!anchors || anchors.length === 0) return refuse('no_authority_set');
  const found = findPath(person, intermediates, anchors, now);
  const fault = 'fault' in found ? found.fault : undefined;
  const own = faultOfPerson(person, now);
  if ('fault' in found || own) return refuse(own ?? (fault as string));
  if (/\p{Cc}/u.test(person.subject)) return refuse('subject_control_character');
  if (Buffer.byteLength(person.subject) > maxNameBytes || Buffer.byteLength(person.issuer) > maxNameBytes)
    return refuse('subject_too_long');
  if (settings.pki_verify_revocation) {
    const lists = [...(configuredListsOf(settings.pki_crl) ?? []), ...(await fetchLists())];
    const status = await revocation.statusOf(found.path, lists, now);
    if (status === 'revoked') return refuse('revoked');
    if (status === 'unknown' && !settings.pki_revocation_soft_fail) return refuse('revocation_unknown');
  }
  return { ok: true, assertion: assertionOf(person, found.path[1] as Cert, settings) };
}

function invalid(reason: string, username?: string): CertificateRefusal {
  return { ok: false, errorCode: 'INVALID_CERTIFICATE', reason, ...(username === undefined ? {} : { username }) };
}

function certificateFactsOf({ subject, issuer, serial, fingerprint }: Cert): CertificateFacts {
  return { subject, issuer, serial, fingerprint };
}
