import { X509Certificate } from 'node:crypto';
import { Integer } from 'asn1js';
import { describe, expect, it, jest } from '@jest/globals';
import {
  createAuthority,
  keyUses,
  purposes,
  selfSigned,
  type Authority,
  type CertificateOptions,
  type Issued,
} from '@overtone/testkit/certificates';
import { certificateOf, checkCertificate, type PkiSettings } from './pki.ts';
import { parseLists } from './list-parser.ts';
import { createRevocation } from './revocation.ts';

const day = 86_400_000;

function ago(days: number): Date {
  return new Date(Date.now() - days * day);
}

const alice = { DC: 'example', O: 'Example, Inc.', CN: 'Alice Example' };

const root = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const middle = await root.authority({ subject: { O: 'Example', CN: 'Issuing' } });

function settings(change: Partial<PkiSettings> = {}): PkiSettings {
  return {
    pki_enabled: true,
    pki_trusted_proxies: '10.0.0.1',
    pki_cert_header: 'X-Client-Cert',
    pki_ca_cert: root.pem + middle.pem,
    pki_verify_revocation: false,
    pki_crl: '',
    pki_crl_url: '',
    pki_crl_cache_seconds: 60,
    pki_revocation_soft_fail: false,
    pki_admin_dns: '',
    pki_issuer_map: '',
    ...change,
  };
}

function show(value: string, change: Partial<PkiSettings> = {}, more: string[] = []) {
  return certificateOf({ peer: '10.0.0.1', headers: ['X-Client-Cert', value, ...more] }, settings(change));
}

function escaped(...certs: Pick<Issued, 'pem'>[]): string {
  return encodeURIComponent(certs.map((cert) => cert.pem).join(''));
}

async function judged(
  certs: Pick<Issued, 'pem'>[],
  change: Partial<PkiSettings> = {},
  fetched = '',
  revocation = createRevocation(),
) {
  const shown = show(escaped(...certs), change);
  if (!shown.ok) return shown;
  return checkCertificate(
    shown,
    settings(change),
    {
      revocation,
      fetchLists: async () => (fetched === '' ? [] : parseLists(Buffer.from(fetched))),
    },
    new Date(),
  );
}

async function reasonOf(certs: Pick<Issued, 'pem'>[], change?: Partial<PkiSettings>, fetched?: string) {
  const result = await judged(certs, change, fetched);
  return result.ok ? 'good' : result.reason;
}

function person(change: Partial<CertificateOptions> = {}, by: Authority = middle): Promise<Issued> {
  return by.issue({ subject: alice, ...change });
}

describe('the forwarded certificate', () => {
  it.each([
    ['URL-encoded PEM', (issued: Issued) => encodeURIComponent(issued.pem)],
    ['PEM with spaces for line ends', (issued: Issued) => issued.pem.replaceAll('\n', ' ').trim()],
    ['a byte sequence (RFC 9440)', (issued: Issued) => `:${issued.der.toString('base64')}:`],
    ['bare base64', (issued: Issued) => issued.der.toString('base64')],
  ])('is read as %s', async (_name, spell) => {
    const shown = show(spell(await person()));
    expect(shown.ok && shown.person.subject).toBe('CN=Alice Example,O=Example\\, Inc.,DC=example');
  });

  it.each([
    ['nothing', ''],
    ['a word', 'alice'],
    ['an escape that decodes to nothing', '%ZZ'],
    ['a subject name', 'CN=Alice Example'],
    ['an empty certificate', encodeURIComponent('-----BEGIN CERTIFICATE-----\n\n-----END CERTIFICATE-----')],
    ['base64 of something else', Buffer.from('alice').toString('base64')],
  ])('is refused when it is %s', (_name, value) => {
    expect(show(value)).toMatchObject({ ok: false, errorCode: 'INVALID_CERTIFICATE' });
  });

  it('is refused with bytes after it, which parsers interpret differently', async () => {
    const { der } = await person();
    const two = Buffer.concat([der, (await person()).der]).toString('base64');
    expect(show(two)).toMatchObject({ reason: 'malformed' });
    expect(show(`:${two}:`)).toMatchObject({ reason: 'malformed' });
  });

  it('is refused without the header, from an untrusted peer, and twice', async () => {
    const value = escaped(await person());
    const from = (peer: string, headers: string[]) => certificateOf({ peer, headers }, settings());
    expect(from('10.0.0.1', [])).toMatchObject({ reason: 'no_certificate' });
    expect(from('10.0.0.2', ['X-Client-Cert', value])).toMatchObject({ errorCode: 'UNTRUSTED_PROXY' });
    expect(show(value, {}, ['x-client-cert', value])).toMatchObject({
      errorCode: 'INVALID_HEADER',
      reason: 'duplicate',
    });
    expect(show(value, {}, ['X_Client_Cert', value])).toMatchObject({ reason: 'variant' });
  });

  it('is refused from every peer while no proxy is trusted', async () => {
    expect(show(escaped(await person()), { pki_trusted_proxies: '' })).toMatchObject({
      errorCode: 'UNTRUSTED_PROXY',
      reason: 'no_trusted_proxies',
    });
  });
});

describe('a certificate opens a session', () => {
  it('when a trusted authority has issued it, directly or through intermediates', async () => {
    expect(await reasonOf([await person()])).toBe('good');
    expect(await reasonOf([await person({}, root)], { pki_ca_cert: root.pem })).toBe('good');
  });

  it('when the proxy also forwards the intermediate', async () => {
    expect(await reasonOf([await person(), middle], { pki_ca_cert: root.pem })).toBe('good');
    const chain = `:${middle.der.toString('base64')}:`;
    const shown = show(escaped(await person()), {}, ['X-Client-Cert-Chain', chain]);
    const lists = { revocation: createRevocation(), fetchLists: async () => [] };
    expect(shown.ok && (await checkCertificate(shown, settings({ pki_ca_cert: root.pem }), lists, new Date())).ok).toBe(
      true,
    );
  });

  it('when it has no purposes, or client authentication among others', async () => {
    expect(await reasonOf([await person({ purposes: null, keyUsage: null })])).toBe('good');
    expect(await reasonOf([await person({ purposes: [purposes.server, purposes.client] })])).toBe('good');
  });
});

describe('a certificate is refused', () => {
  const cases: [string, string, () => Promise<Pick<Issued, 'pem'>[]>, Partial<PkiSettings>?][] = [
    ['expired', 'expired', async () => [await person({ notBefore: ago(9), notAfter: ago(1) })]],
    ['not valid yet', 'not_yet_valid', async () => [await person({ notBefore: ago(-1) })]],
    ['for servers', 'purpose', async () => [await person({ purposes: [purposes.server] })]],
    ['for e-mail', 'purpose', async () => [await person({ purposes: [purposes.email] })]],
    ['for encryption', 'key_usage', async () => [await person({ keyUsage: [keyUses.keyEncipherment] })]],
    ['self-signed', 'self_signed', async () => [await selfSigned({ subject: alice })]],
    [
      'of another authority',
      'unknown_issuer',
      async () => [await person({}, await createAuthority({ subject: { CN: 'Other' } }))],
    ],
    [
      'of another authority with the same name',
      'unknown_issuer',
      async () => [await person({}, await createAuthority({ subject: { O: 'Example', CN: 'Issuing' } }))],
    ],
    ['without the authority between', 'unknown_issuer', async () => [await person()], { pki_ca_cert: 'root' }],
    [
      'with the other root sent along',
      'unknown_issuer',
      async () => {
        const other = await createAuthority({ subject: { CN: 'Other' } });
        return [await person({}, other), other];
      },
    ],
    ['an authority itself', 'authority_as_person', async () => [await person({ isCa: true })]],
    ['with an unknown critical extension', 'critical_extension', async () => [await person({ unknownCritical: true })]],
    ['signed with SHA-1', 'weak_signature', async () => [await person({ hash: 'SHA-1' })]],
    [
      'issued by a person',
      'not_an_authority',
      async () => {
        const bob = await middle.authority({
          subject: { CN: 'Bob' },
          isCa: false,
          keyUsage: [keyUses.digitalSignature, keyUses.keyCertSign],
        });
        return [await person({}, bob), bob];
      },
    ],
    [
      'issued by an authority that may not sign certificates',
      'unknown_issuer',
      async () => {
        const lame = await middle.authority({ subject: { CN: 'Lame' }, keyUsage: [keyUses.crlSign] });
        return [await person({}, lame), lame];
      },
    ],
    [
      'issued by an authority that has expired',
      'authority_expired',
      async () => {
        const old = await middle.authority({ subject: { CN: 'Old' }, notBefore: ago(9), notAfter: ago(1) });
        return [await person({}, old), old];
      },
    ],
    [
      'below more authorities than allowed',
      'path_length',
      async () => {
        const last = await root.authority({ subject: { CN: 'Last' }, pathLength: 0 });
        const below = await last.authority({ subject: { CN: 'Below' } });
        return [await person({}, below), below, last];
      },
    ],
    [
      'issued under unsupported constraints',
      'authority_critical_extension',
      async () => {
        const bound = await middle.authority({ subject: { CN: 'Bound' }, unknownCritical: true });
        return [await person({}, bound), bound];
      },
    ],
    ['without a subject', 'no_subject', async () => [await person({ subject: {} })]],
    ['while no authority is set', 'no_authority_set', async () => [await person()], { pki_ca_cert: '' }],
    [
      'while what is set cannot be read',
      'no_authority_set',
      async () => [await person()],
      { pki_ca_cert: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
    ],
  ];
  it.each(cases.map(([name, reason, ...rest]) => [name, reason, rest] as const))(
    '%s: %s',
    async (_name, reason, [certs, change]) => {
      const given = change?.pki_ca_cert === 'root' ? { pki_ca_cert: root.pem } : change;
      expect(await reasonOf(await certs(), given)).toBe(reason);
    },
  );

  it('when the intermediates form a graph with many paths, after a bounded number of checks', async () => {
    const round = await createAuthority({ subject: { CN: 'Round' } });
    const maze = await Promise.all(Array.from({ length: 7 }, () => round.again()));
    const verify = jest.spyOn(X509Certificate.prototype, 'verify');
    expect(await reasonOf([await person({}, round), ...maze])).toBe('too_many_ways');
    expect(verify).toHaveBeenCalledTimes(64);
    verify.mockRestore();
  });

  it('when it is self-signed, even when it is a trusted authority', async () => {
    const own = await selfSigned({ subject: alice });
    expect(await reasonOf([own], { pki_ca_cert: own.pem })).not.toBe('good');
  });
});

describe('revocation', () => {
  const on = { pki_verify_revocation: true };
  const lists = async (...revoked: Issued[]) => (await middle.revoke(revoked)) + (await root.revoke([]));

  it('fetches no list while the check is switched off', async () => {
    const cert = await person();
    expect(await reasonOf([cert], { pki_crl: await lists(cert) })).toBe('good');
  });

  it('refuses only the certificates on the list', async () => {
    const [cert, other] = [await person(), await person()];
    const pki_crl = await lists(cert);
    expect(await reasonOf([cert], { ...on, pki_crl })).toBe('revoked');
    expect(await reasonOf([other], { ...on, pki_crl })).toBe('good');
  });

  it('applies a fetched list like a configured one', async () => {
    const cert = await person();
    expect(await reasonOf([cert], on, await lists(cert))).toBe('revoked');
    expect(await reasonOf([await person()], on, await lists(cert))).toBe('good');
  });

  it('refuses a certificate of a revoked authority', async () => {
    const below = await root.authority({ subject: { CN: 'Revoked one' } });
    const pki_crl = (await root.revoke([below])) + (await below.revoke([]));
    expect(await reasonOf([await person({}, below), below], { ...on, pki_crl, pki_ca_cert: root.pem })).toBe('revoked');
  });

  it('accepts a certificate that was removed from the list', async () => {
    const cert = await person();
    expect(await reasonOf([cert], { ...on, pki_crl: await middle.revoke([cert], { removed: true }) })).toBe('good');
  });

  const useless: [string, () => Promise<string>][] = [
    ['there is no list', async () => ''],
    ['the list is of another authority', async () => root.revoke([])],
    ['the list is out of date', async () => middle.revoke([], { thisUpdate: ago(3), nextUpdate: ago(1) })],
    ['the list is from the future', async () => middle.revoke([], { thisUpdate: ago(-1), nextUpdate: ago(-2) })],
    ['the list does not say until when it is good', async () => middle.revoke([], { nextUpdate: null })],
    ['the list is only a part', async () => middle.revoke([], { unknownCritical: true })],
    [
      'the list is signed by another authority of the same name',
      async () => (await createAuthority({ subject: { O: 'Example', CN: 'Issuing' } })).revoke([]),
    ],
    ['the list is broken', async () => '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----'],
  ];
  it.each(useless)('is unknown when %s: refused, and accepted with soft fail', async (_name, list) => {
    const pki_crl = await list();
    expect(await reasonOf([await person()], { ...on, pki_crl })).toBe('revocation_unknown');
    expect(await reasonOf([await person()], { ...on, pki_crl, pki_revocation_soft_fail: true })).toBe('good');
  });

  it('refuses a certificate on the list also with soft fail', async () => {
    const cert = await person();
    expect(await reasonOf([cert], { ...on, pki_crl: await lists(cert), pki_revocation_soft_fail: true })).toBe(
      'revoked',
    );
  });
});

describe('the last known list', () => {
  const on = { pki_verify_revocation: true, pki_revocation_soft_fail: true };

  it.each<[string, (revoked: Issued) => Promise<string>]>([
    ['no list can be fetched any more', async () => ''],
    ['what is fetched has expired', (revoked) => middle.revoke([revoked], { thisUpdate: ago(3), nextUpdate: ago(1) })],
    [
      'what is fetched is signed by another key',
      async () => (await createAuthority({ subject: { O: 'Example', CN: 'Issuing' } })).revoke([]),
    ],
  ])('refuses a certificate on it in soft fail when %s', async (_name, next) => {
    const [revoked, other] = [await person(), await person()];
    const revocation = createRevocation();
    const list = (await middle.revoke([revoked])) + (await root.revoke([]));
    expect(await judged([other], on, list, revocation)).toMatchObject({ ok: true });
    expect(await judged([revoked], on, await next(revoked), revocation)).toMatchObject({ reason: 'revoked' });
    expect(await judged([other], on, await next(revoked), revocation)).toMatchObject({ ok: true });
  });

  it('refuses a certificate on an expired list in soft fail, although there was no current list', async () => {
    const revoked = await person();
    const list = await middle.revoke([revoked], { thisUpdate: ago(3), nextUpdate: ago(1) });
    expect(await judged([revoked], on, list)).toMatchObject({ reason: 'revoked' });
    expect(await judged([await person()], on, list)).toMatchObject({ ok: true });
  });

  it('is replaced by a newer list', async () => {
    const held = await person();
    const revocation = createRevocation();
    await judged([held], on, await middle.revoke([held], { thisUpdate: ago(1) }), revocation);
    expect(await judged([held], on, await middle.revoke([]), revocation)).toMatchObject({ ok: true });
  });
});

describe('a long revocation list', () => {
  it.each([3_300, 20_000])('of %d entries refuses the certificates on it, and only those', async (entries) => {
    const [revoked, other] = [await person(), await person()];
    const serials = Array.from({ length: entries }, (_, i) => ({ serial: new Integer({ value: i + 1 }) }));
    const pki_crl = await middle.revoke([...serials, revoked]);
    const settings = { pki_verify_revocation: true, pki_crl };
    expect(await reasonOf([revoked], settings)).toBe('revoked');
    expect(await reasonOf([other], settings)).toBe('good');
  });
});

describe('the person of a certificate', () => {
  const assertion = async (change: Partial<CertificateOptions>, settings: Partial<PkiSettings> = {}) => {
    const result = await judged([await person(change)], settings);
    if (!result.ok) throw new Error(result.reason);
    return result.assertion;
  };

  it('is identified by the normalised subject and issuer', async () => {
    const one = await assertion({ subject: { O: 'Example', CN: 'Alice  Example' } });
    const two = await assertion({ subject: { O: 'EXAMPLE', CN: 'alice example' } });
    expect(one.subject).toEqual(two.subject);
    expect(one).toMatchObject({ source: 'pki', login: 'Alice  Example', claims: { known: false } });
    expect(one.subject.issuer).toContain('issuing');
  });

  it('keeps the issuer that its authority replaced', async () => {
    const pki_issuer_map = 'CN=Other < CN=Unknown; CN=Issuing,O=Example < CN=Old Authority,O=Example';
    expect((await assertion({}, { pki_issuer_map })).subject.issuer).toBe('cn=old authority,o=example');
  });

  it('is recorded with subject, issuer, serial number and fingerprint', async () => {
    const { auditDetails } = await assertion({});
    expect(auditDetails).toEqual({
      subject: 'CN=Alice Example,O=Example\\, Inc.,DC=example',
      issuer: 'CN=Issuing,O=Example',
      serial: expect.stringMatching(/^[0-9a-f]{24}$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('is refused with a reason when the name is too long for the index', async () => {
    const result = await judged([await person({ subject: { CN: '\u540d'.repeat(900) } })]);
    expect(result).toMatchObject({ ok: false, errorCode: 'INVALID_CERTIFICATE', reason: 'subject_too_long' });
  });

  it('has the address of the certificate, or one that receives no mail; neither is verified', async () => {
    expect(await assertion({ emails: ['not an address', 'alice@example.org'] })).toMatchObject({
      email: 'alice@example.org',
      emailVerified: false,
    });
    const made = await assertion({});
    expect(made).toMatchObject({ email: null, emailVerified: false });
    expect(made.placeholderEmails).toEqual([
      'alice.example@pki.local',
      expect.stringMatching(/^alice\.example\.[0-9a-f]{10}@pki\.local$/),
    ]);
  });

  it.each([
    ['', 'no'],
    ['CN=Alice Example,O=Example\\, Inc.,DC=example', 'yes'],
    ['cn=bob,o=x; CN = alice example , O="example, inc.", dc=EXAMPLE', 'yes'],
    ['CN=Alice Example,O=Example\\, Inc.', 'no'],
    ['CN=Bob', 'no'],
    ['CN=Alice Example,O=Example\\, Inc.,DC=example < CN=Issuing,O=Example', 'yes'],
    ['CN=Alice Example,O=Example\\, Inc.,DC=example<cn=issuing, o=EXAMPLE; CN=Bob', 'yes'],
    ['CN=Alice Example,O=Example\\, Inc.,DC=example < CN=Root,O=Example', 'no'],
  ])('is an administrator by the list %j: %s', async (pki_admin_dns, expected) => {
    expect((await assertion({}, { pki_admin_dns })).legacyAdmin).toBe(expected);
  });
});
