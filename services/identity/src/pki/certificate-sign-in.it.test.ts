import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, purposes, selfSigned, type Issued } from '@overtone/testkit/certificates';
import { setUpIdentity, type Answer } from '../../test/running-identity.ts';
import { watchDatabase } from '../../test/sessions-of.ts';
import { createChanges } from '../../test/setting-world.ts';

const dayMs = 86_400_000;
const ada = { O: 'Example', CN: 'Ada Admin' };
const bob = { O: 'Example', CN: 'Bob' };

const authority = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const revoked = await authority.issue({ subject: { O: 'Example', CN: 'Ron Revoked' } });
const { backends, identity } = await setUpIdentity({
  PKI_ENABLED: 'true',
  PKI_TRUSTED_PROXIES: '127.0.0.1',
  PKI_CA_CERT: authority.pem,
  PKI_VERIFY_REVOCATION: 'true',
  PKI_CRL: await authority.revoke([revoked]),
  SIGN_IN_REFUSAL_MS: '0',
});
const database = await watchDatabase(backends.database.url);
const settings = createChanges(identity, (await identity.session()).caller);

async function signIn(certificate: Issued): Promise<Answer> {
  return identity.signInWithCertificate(certificate.pem);
}

function accessTokenOf({ status, body }: Answer): string {
  expect(status).toBe(200);
  return String(body['access_token']);
}

async function accountOf({ CN }: typeof ada) {
  const [row] = await database.rows<{ uuid: string; role: string }>(
    'select uuid, role from "user" where full_name = $1',
    [CN],
  );
  return row;
}

function roleChangesOf(userId: string | undefined) {
  return database.rows<{ actor: string; outcome: string; details: Record<string, unknown> }>(
    `select actor, outcome, details from audit_log
     where user_id = $1 and event_type = 'ADMIN_ROLE_CHANGE' order by time desc`,
    [userId],
  );
}

describe('an administrator by certificate', () => {
  it.each([
    ['whose name is removed from pki_admin_dns', 'CN=Bob,O=Example'],
    ['when pki_admin_dns becomes empty', ''],
  ])('%s is a user after the next sign-in, without the earlier sessions', async (_case, without) => {
    const certificate = await authority.issue({ subject: ada });
    await settings.set({ pki_admin_dns: 'CN=Ada Admin,O=Example; CN=Bob,O=Example' });
    const earlier = [accessTokenOf(await signIn(certificate)), accessTokenOf(await signIn(certificate))];
    const account = await accountOf(ada);
    expect(account?.role).toBe('admin');
    expect(await identity.resolve(earlier[1] ?? '')).toMatchObject({ role: 'admin' });

    await settings.set({ pki_admin_dns: without });
    const renewed = accessTokenOf(await signIn(certificate));
    expect((await accountOf(ada))?.role).toBe('user');
    for (const accessToken of earlier) expect(await identity.resolve(accessToken)).toBeNull();
    expect(await identity.resolve(renewed)).toMatchObject({ role: 'user' });
    const [change] = await roleChangesOf(account?.uuid);
    expect(change).toMatchObject({
      actor: 'idp_login',
      outcome: 'success',
      details: { from: 'admin', to: 'user', source: 'pki' },
    });
    expect(change?.details['sessions_revoked']).toBeGreaterThanOrEqual(2);
  });

  it('keeps the role while the name stays on pki_admin_dns', async () => {
    const certificate = await authority.issue({ subject: bob });
    await settings.set({ pki_admin_dns: 'CN=Ada Admin,O=Example; CN=Bob,O=Example' });
    const earlier = accessTokenOf(await signIn(certificate));
    await settings.set({ pki_admin_dns: 'CN=Bob,O=Example' });
    accessTokenOf(await signIn(certificate));
    expect((await accountOf(bob))?.role).toBe('admin');
    expect(await identity.resolve(earlier)).toMatchObject({ role: 'admin' });
  });
});

describe('a certificate linked to an account of another source', () => {
  const eve = { CN: 'Eve Linked', O: 'Example' };

  it.each([
    ['ldap', 'admin', 'CN=Bob,O=Example'],
    ['oidc', 'admin', 'CN=Bob,O=Example'],
    ['ldap', 'user', 'CN=Eve Linked,O=Example'],
  ])('leaves the role of an account of source %s at %s', async (source, role, admins) => {
    const certificate = await authority.issue({ subject: eve });
    await settings.set({ pki_admin_dns: '' });
    await signIn(certificate);
    const account = await accountOf(eve);
    await database.rows(`update "user" set auth_type = $2, role = $3 where uuid = $1`, [account?.uuid, source, role]);
    await settings.set({ pki_admin_dns: admins });
    accessTokenOf(await signIn(certificate));
    expect((await accountOf(eve))?.role).toBe(role);
  });
});

async function lastFailure() {
  const [row] = await database.rows<{ username: string; error_code: string; details: Record<string, unknown> }>(
    `select username, error_code, details from audit_log
     where event_type = 'auth.login.failure' order by time desc limit 1`,
  );
  return row;
}

/** Facts that OpenSSL reads from a certificate; the subject has one attribute per relative name. */
function factsOf(pem: string) {
  const { subject, issuer, serialNumber, raw } = new X509Certificate(pem);
  const reversed = (name: string) => name.split('\n').toReversed().join(',');
  return {
    subject: reversed(subject),
    issuer: reversed(issuer),
    serial: serialNumber.toLowerCase(),
    fingerprint: createHash('sha256').update(raw).digest('hex'),
  };
}

describe('the audit record of a refused certificate', () => {
  const alice = { O: 'Example', CN: 'Alice Example' };
  const cases: [reason: string, certificate: () => Promise<Issued>][] = [
    ['revoked', async () => revoked],
    [
      'expired',
      () =>
        authority.issue({
          subject: alice,
          notBefore: new Date(Date.now() - 9 * dayMs),
          notAfter: new Date(Date.now() - dayMs),
        }),
    ],
    ['not_yet_valid', () => authority.issue({ subject: alice, notBefore: new Date(Date.now() + dayMs) })],
    ['purpose', () => authority.issue({ subject: alice, purposes: [purposes.email] })],
    [
      'unknown_issuer',
      async () => (await createAuthority({ subject: { O: 'Example', CN: 'Other' } })).issue({ subject: alice }),
    ],
    ['self_signed', () => selfSigned({ subject: alice })],
  ];
  it.each(cases)('names subject, issuer, serial, fingerprint and the reason %s', async (reason, issue) => {
    const certificate = await issue();
    expect((await signIn(certificate)).status).toBe(401);
    const facts = factsOf(certificate.pem);
    expect(await lastFailure()).toEqual({
      username: facts.subject,
      error_code: 'INVALID_CERTIFICATE',
      details: { method: 'pki', reason, peer: '127.0.0.1', ...facts },
    });
  });

  it('names them also when the certificate is good and its account is disabled', async () => {
    const certificate = await authority.issue({ subject: { O: 'Example', CN: 'Dora Disabled' } });
    accessTokenOf(await signIn(certificate));
    await database.rows(`update "user" set is_active = false where full_name = 'Dora Disabled'`);
    expect((await signIn(certificate)).status).toBe(403);
    expect(await lastFailure()).toMatchObject({
      error_code: 'INACTIVE_USER',
      details: { method: 'pki', ...factsOf(certificate.pem) },
    });
  });
});
