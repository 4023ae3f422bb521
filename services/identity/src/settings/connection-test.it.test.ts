import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConnectionStep } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { startSlapd, type Slapd } from '@overtone/testkit';
import { createAuthority, type Authority } from '@overtone/testkit/certificates';
import {
  startOidcProvider,
  startScriptedProvider,
  type OidcProvider,
  type ScriptedProvider,
} from '@overtone/testkit/oidc';
import { setUpIdentity } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();
const { caller } = await identity.session();
afterEach(() => backends.sql.query('delete from auth_config'));

async function save(category: string, json: unknown) {
  const { status, body } = await identity.ask(`/api/admin/auth-config/${category}`, { method: 'PUT', json, caller });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

function test(category: string, json: unknown = {}, who: Caller | null = caller) {
  return identity.ask(`/api/admin/auth-config/${category}/test`, { json, caller: who });
}

function stepsOf(body: Record<string, unknown>) {
  return body['steps'] as ConnectionStep[];
}

function failedStep(body: Record<string, unknown>) {
  return stepsOf(body).find((step) => !step.ok);
}

async function stored() {
  return (await backends.sql.query('select * from auth_config order by config_key')).rows;
}

/** Listens at an address that must not be contacted, and counts connections. */
async function startTrap() {
  const seen = { connections: 0, bytes: 0 };
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    seen.connections += 1;
    socket.on('data', (chunk) => (seen.bytes += chunk.length));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    seen,
    port: (server.address() as AddressInfo).port,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

describe('testing a directory', () => {
  let slapd: Slapd;
  let good: Record<string, unknown>;
  beforeAll(async () => {
    slapd = await startSlapd();
    good = {
      ldap_server: slapd.url,
      ldap_use_ssl: false,
      ldap_bind_dn: slapd.bindDn,
      ldap_bind_password: slapd.bindPassword,
      ldap_search_base: slapd.base,
      ldap_username_attr: 'uid',
    };
  });
  afterAll(() => slapd.stop());

  it('returns steps with code, duration, evidence and advice, and stores nothing', async () => {
    const { status, body } = await test('ldap', good);
    expect(status).toBe(200);
    expect(stepsOf(body).length).toBeGreaterThan(5);
    for (const step of stepsOf(body))
      expect(step).toEqual({
        code: expect.stringMatching(/^[a-z_]+$/),
        title: expect.stringMatching(/\w/),
        ok: expect.any(Boolean),
        duration_ms: expect.any(Number),
        evidence: expect.any(String),
        advice: expect.any(String),
      });
    expect(stepsOf(body).find((step) => step.code === 'bind')?.ok).toBe(true);
    expect(await stored()).toEqual([]);
    expect(JSON.stringify(body)).not.toContain(slapd.bindPassword);
  });

  it('uses unsaved values before saved ones, and the stored password for the stored server', async () => {
    await save('ldap', good);
    const before = await stored();
    expect(stepsOf((await test('ldap')).body).find((step) => step.code === 'bind')?.ok).toBe(true);
    const { body } = await test('ldap', { ldap_search_base: 'ou=missing,dc=example,dc=org', ldap_bind_password: null });
    expect(stepsOf(body).find((step) => step.code === 'bind')?.ok).toBe(true);
    expect(failedStep(body)?.code).toMatch(/base/);
    const wrong = await test('ldap', { ldap_bind_password: 'wrong' });
    expect(failedStep(wrong.body)).toMatchObject({ code: 'bind' });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['server', (port: number) => ({ ldap_server: `ldap://127.0.0.1:${port}` })],
    ['first of several servers', (port: number) => ({ ldap_server: `ldap://127.0.0.1:${port} ldap://127.0.0.1:9` })],
    ['port', (port: number) => ({ ldap_server: 'localhost', ldap_port: port })],
    ['encryption', () => ({ ldap_use_tls: true })],
    ['bind DN', () => ({ ldap_bind_dn: 'cn=other,dc=example,dc=org' })],
  ])('requires the password again when the %s changes, and sends no byte anywhere', async (_, change) => {
    const trap = await startTrap();
    await save('ldap', good);
    for (const password of [undefined, null, '']) {
      const { status, body } = await test('ldap', { ...change(trap.port), ldap_bind_password: password ?? null });
      expect([status, body['code']]).toEqual([400, 'secret_required']);
      expect(body['errors']).toMatchObject([{ path: 'ldap_bind_password' }]);
    }
    trap.stop();
    expect(trap.seen).toEqual({ connections: 0, bytes: 0 });
  });

  it.each(['another', 'the same'])('tests another server with %s password', async (which) => {
    const trap = await startTrap();
    await save('ldap', good);
    const password = which === 'another' ? 'given' : slapd.bindPassword;
    const change = { ldap_server: `ldap://127.0.0.1:${trap.port}`, ldap_bind_password: password, ldap_timeout: 1 };
    expect((await test('ldap', change)).body).toMatchObject({ success: false });
    expect(trap.seen.connections).toBeGreaterThan(0);
    trap.stop();
  });

  it('refuses values that could not be saved, and is for a super_admin only', async () => {
    for (const wrong of [{ ldap_nonsense: 1 }, { ldap_timeout: 0 }, { ldap_use_ssl: true, ldap_use_tls: true }, {}])
      expect((await test('ldap', wrong)).body).toMatchObject({ status: 400, code: 'settings_invalid' });
    expect((await test('ldap', good, { ...caller, role: 'admin' })).status).toBe(403);
    expect((await test('proxy', {})).status).toBe(400);
  });
});

describe('testing an identity provider', () => {
  let provider: OidcProvider;
  let good: Record<string, unknown>;
  const callback = 'http://localhost:8080/login';
  beforeAll(async () => {
    provider = await startOidcProvider({ redirectUris: [callback] });
    good = {
      oidc_discovery_url: provider.issuer,
      oidc_client_id: provider.clientId,
      oidc_client_secret: provider.clientSecret,
      oidc_callback_url: callback,
    };
  });
  afterAll(() => provider.stop());

  it('checks discovery, issuer, keys, algorithms, flow, scopes, claims, admin roles and client', async () => {
    const { body } = await test('oidc', good);
    expect(stepsOf(body).map((step) => [step.code, step.ok])).toEqual([
      ['discovery', true],
      ['issuer', true],
      ['endpoints', true],
      ['keys', true],
      ['algorithms', true],
      ['flow', true],
      ['scopes', true],
      ['claims', true],
      ['admin_roles', true],
      ['client', true],
    ]);
    expect(body).toMatchObject({ success: true, message: 'OpenID Connect connection successful' });
    expect(JSON.stringify(body)).not.toContain(provider.clientSecret);
    expect(await stored()).toEqual([]);
  });

  it('uses the stored secret for the stored provider and client', async () => {
    await save('oidc', good);
    expect((await test('oidc', { oidc_scopes: 'openid email' })).body).toMatchObject({ success: true });
    expect(failedStep((await test('oidc', { oidc_client_secret: 'wrong' })).body)).toMatchObject({ code: 'client' });
    expect(failedStep((await test('oidc', { oidc_scopes: 'openid payroll' })).body)).toMatchObject({
      code: 'scopes',
      evidence: expect.stringContaining('payroll'),
    });
  });

  it.each([
    ['issuer', (port: number) => ({ oidc_discovery_url: `http://127.0.0.1:${port}` })],
    ['server', (port: number) => ({ oidc_discovery_url: null, oidc_server_url: `http://127.0.0.1:${port}` })],
    ['client id', () => ({ oidc_client_id: 'another' })],
  ])('requires the secret again when the %s changes, and sends no byte anywhere', async (_, change) => {
    const trap = await startTrap();
    await save('oidc', good);
    const { status, body } = await test('oidc', { ...change(trap.port), oidc_client_secret: null });
    expect([status, body['code']]).toEqual([400, 'secret_required']);
    trap.stop();
    expect(trap.seen).toEqual({ connections: 0, bytes: 0 });
  });

  let bad: ScriptedProvider;
  beforeAll(async () => {
    bad = await startScriptedProvider();
  });
  afterAll(() => bad.stop());

  it('names the step that fails for each fault of the provider', async () => {
    const codeWhen = async (change: () => void, timeout = 20): Promise<string | undefined> => {
      [bad.metadata, bad.discovery, bad.jwks] = [{}, undefined, undefined];
      change();
      const provider = { oidc_discovery_url: bad.issuer, oidc_client_id: 'overtone', oidc_timeout: timeout };
      const { status, body } = await test('oidc', { ...good, ...provider });
      expect(status).toBe(200);
      const failed = failedStep(body);
      expect(failed?.advice).toMatch(/\w{4}/);
      return failed?.code;
    };
    expect(await codeWhen(() => (bad.discovery = 'hang'), 1)).toBe('discovery');
    expect(await codeWhen(() => (bad.discovery = 'reset'))).toBe('discovery');
    expect(await codeWhen(() => (bad.discovery = { status: 404, body: 'no' }))).toBe('discovery');
    expect(await codeWhen(() => (bad.discovery = { body: '<html>' }))).toBe('discovery');
    expect(await codeWhen(() => (bad.metadata = { issuer: 'https://other.example.org' }))).toBe('issuer');
    expect(await codeWhen(() => (bad.metadata = { token_endpoint: undefined }))).toBe('endpoints');
    expect(await codeWhen(() => (bad.metadata = { jwks_uri: 'http://keys.example.org' }))).toBe('endpoints');
    expect(await codeWhen(() => (bad.jwks = { body: { keys: [] } }))).toBe('keys');
    expect(await codeWhen(() => (bad.jwks = { status: 500, body: '' }))).toBe('keys');
    const none = { id_token_signing_alg_values_supported: ['none', 'HS256'] };
    expect(await codeWhen(() => (bad.metadata = none))).toBe('algorithms');
    expect(await codeWhen(() => (bad.metadata = { code_challenge_methods_supported: ['plain'] }))).toBe('flow');
  });
});

describe('testing certificates', () => {
  let root: Authority;
  let server: Server;
  let served: string | Buffer;
  let good: Record<string, unknown>;
  beforeAll(async () => {
    root = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
    server = createHttpServer((_req, res) => res.end(served));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    good = {
      pki_trusted_proxies: '127.0.0.1',
      pki_ca_cert: root.pem,
      pki_verify_revocation: true,
      pki_crl_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.crl`,
    };
  });
  afterAll(() => void server.close());

  it('checks authorities, download, signature and dates, and stores nothing', async () => {
    served = await root.revoke([root]);
    const { body } = await test('pki', good);
    expect(stepsOf(body).map((step) => [step.code, step.ok])).toEqual([
      ['authorities', true],
      ['download', true],
      ['signature', true],
      ['dates', true],
    ]);
    expect(stepsOf(body)[1]?.evidence).toMatch(/^1 list, 1 entry, \d+ bytes$/);
    expect(body).toMatchObject({ success: true });
    expect(await stored()).toEqual([]);
  });

  it.each<[string, string, () => Promise<string>]>([
    ['download', 'the server sends no list', async () => 'no list'],
    [
      'signature',
      'another authority has signed it',
      async () => (await createAuthority({ subject: { CN: 'X' } })).revoke([]),
    ],
    ['dates', 'it has expired', () => root.revoke([], { thisUpdate: new Date(0), nextUpdate: new Date(86_400_000) })],
  ])('fails at the step %s when %s', async (code, _when, list) => {
    served = await list();
    const { body } = await test('pki', good);
    expect(failedStep(body)).toMatchObject({ code, advice: expect.stringMatching(/\w/) });
    expect(body).toMatchObject({ success: false });
  });

  it('is required for saving: an address that serves no list is refused, an unresponsive server causes a warning', async () => {
    const put = (json: unknown) => identity.ask('/api/admin/auth-config/pki', { method: 'PUT', json, caller });
    served = 'no list';
    const refusal = await put({ ...good, pki_enabled: true });
    expect(refusal.body).toMatchObject({ code: 'settings_invalid', errors: [{ path: 'pki_crl_url' }] });
    expect(await stored()).toEqual([]);
    const { body } = await put({ ...good, pki_enabled: true, pki_crl_url: 'http://127.0.0.1:9/list.crl' });
    expect(body['warnings']).toEqual([expect.stringContaining('cannot be fetched now')]);
  });

  it('refuses an unreadable list, as saving does', async () => {
    const pki_crl = '-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----';
    const put = await identity.ask('/api/admin/auth-config/pki', { method: 'PUT', json: { pki_crl }, caller });
    expect(put.body).toMatchObject({ code: 'settings_invalid', errors: [{ path: 'pki_crl' }] });
    expect((await test('pki', { ...good, pki_crl })).body).toMatchObject({ errors: [{ path: 'pki_crl' }] });
  });
});
