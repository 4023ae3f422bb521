import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AuthSettings } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { createAuthority, type Issued } from '@overtone/testkit/certificates';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rawRequest } from '../../test/raw-request.ts';
import type { RunningIdentity } from '../../test/running-identity.ts';
import { watchDatabase } from '../../test/sessions-of.ts';
import { createChanges, type Behaviour } from '../../test/setting-world.ts';
import { keysOf } from './settings.ts';

const unusedAddress = '192.0.2.1';
const authority = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const product = await stopAfterFile(
  startSignIn({
    identity: {
      PKI_ENABLED: 'true',
      PKI_TRUSTED_PROXIES: '127.0.0.1',
      PKI_CA_CERT: authority.pem,
      PROXY_ENABLED: 'true',
      PROXY_TRUSTED_PROXIES: '127.0.0.1',
      SIGN_IN_REFUSAL_MS: '0',
    },
  }),
);
const database = await watchDatabase(product.database.url);
const form = new URLSearchParams({ username: product.admin.email, password: product.admin.password });
const signedIn = await fetch(`${product.edge.url}/api/auth/token`, { method: 'POST', body: form });
const { access_token: token } = (await signedIn.json()) as { access_token: string };
const ask: RunningIdentity['ask'] = async (path, account) => {
  const { method = 'GET', json } = account ?? {};
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(product.edge.url + path, { method, headers, ...body });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body: answer, cookies: [], headers: response.headers };
};
const caller = { userId: '', sessionId: '', role: 'super_admin', tokenExpiresAt: 0 } as const;
const changes = createChanges({ ask }, caller);
afterEach(() => changes.reset());

function set(values: Partial<AuthSettings>) {
  return changes.set(values);
}

async function post(path: string, headers: Record<string, string>): Promise<number> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (await rawRequest(product.edge.port, path, lines)).status;
}
let names = 0;

function fresh(kind: string): string {
  return `${kind} ${(names += 1)}`;
}

async function account(name: string) {
  return (
    await database.rows<{ email: string; role: string; auth_type: string }>(
      'select email, role, auth_type from "user" where full_name = $1',
      [name],
    )
  )[0];
}

function person(cn = fresh('Paula Pki')): Promise<Issued> {
  return authority.issue({ subject: { O: 'Example', CN: cn } });
}

function present(issued: Issued, header = 'X-Client-Cert') {
  return post('/api/auth/pki/authenticate', { [header]: encodeURIComponent(issued.pem) });
}

function presented(before: Partial<AuthSettings>, from: number, after: Partial<AuthSettings>, to: number): Behaviour {
  return async () => {
    const certificate = await person();
    await set(before);
    expect(await present(certificate)).toBe(from);
    await set(after);
    expect(await present(certificate)).toBe(to);
  };
}

/** Serves a replaceable revocation list. */
async function serve(text: string) {
  const server = createServer((_req, res) => res.end(served.text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.crl`;
  const served = { text, url, stop: () => void server.close() };
  return served;
}

const pki: Record<string, Behaviour> = {
  pki_enabled: presented({}, 200, { pki_enabled: false }, 400),
  pki_trusted_proxies: presented({}, 200, { pki_trusted_proxies: unusedAddress }, 401),
  pki_cert_header: async () => {
    const certificate = await person();
    await set({ pki_cert_header: 'X-SSL-Cert' });
    expect([await present(certificate), await present(certificate, 'X-SSL-Cert')]).toEqual([401, 200]);
  },
  pki_ca_cert: async () => {
    const other = await createAuthority({ subject: { O: 'Example', CN: 'Another' } });
    await presented({}, 200, { pki_ca_cert: other.pem }, 401)();
  },
  pki_verify_revocation: async () => {
    const revoked = await person();
    await set({ pki_crl: await authority.revoke([revoked]) });
    expect(await present(revoked)).toBe(200);
    await set({ pki_verify_revocation: true });
    expect(await present(revoked)).toBe(401);
  },
  pki_crl: async () => {
    const revoked = await person();
    await set({ pki_verify_revocation: true, pki_crl: await authority.revoke([]) });
    expect(await present(revoked)).toBe(200);
    await set({ pki_crl: await authority.revoke([revoked]) });
    expect(await present(revoked)).toBe(401);
  },
  pki_crl_url: async () => {
    const revoked = await person();
    const [empty, full] = [await serve(await authority.revoke([])), await serve(await authority.revoke([revoked]))];
    await set({ pki_verify_revocation: true, pki_crl_url: empty.url });
    expect(await present(revoked)).toBe(200);
    await set({ pki_crl_url: full.url });
    expect(await present(revoked)).toBe(401);
    for (const served of [empty, full]) served.stop();
  },
  pki_crl_cache_seconds: async () => {
    const revoked = await person();
    const served = await serve(await authority.revoke([]));
    await set({ pki_verify_revocation: true, pki_crl_url: served.url });
    expect(await present(revoked)).toBe(200);
    served.text = await authority.revoke([revoked]);
    // Allowed: the list has to be older than the shortest time of the cache.
    await sleep(10_100);
    expect(await present(revoked)).toBe(200);
    await set({ pki_crl_cache_seconds: 10 });
    // While the known list is valid, a sign-in waits for a slow fetch for a limited time only.
    await waitFor(async () => (await present(revoked)) === 401);
    served.stop();
  },
  pki_revocation_soft_fail: presented(
    { pki_verify_revocation: true, pki_crl_url: 'http://127.0.0.1:9/list.crl' },
    401,
    { pki_revocation_soft_fail: true },
    200,
  ),
  pki_admin_dns: async () => {
    const cn = fresh('Anton Admin');
    const certificate = await person(cn);
    await present(certificate);
    expect(await account(cn)).toMatchObject({ role: 'user' });
    await set({ pki_admin_dns: `CN=Another,O=Example; CN=${cn},O=Example` });
    await present(certificate);
    expect(await account(cn)).toMatchObject({ role: 'admin' });
  },
};

pki['pki_issuer_map'] = async () => {
  const cn = fresh('Rita Replaced');
  const successor = await createAuthority({ subject: { O: 'Example', CN: 'Successor' } });
  await set({ pki_ca_cert: authority.pem + successor.pem });
  expect(await present(await person(cn))).toBe(200);
  const renewed = await successor.issue({ subject: { O: 'Example', CN: cn } });
  const accounts = async () => (await database.rows('select 1 from "user" where full_name = $1', [cn])).length;
  await set({ pki_issuer_map: `CN=Successor,O=Example < CN=Root,O=Example` });
  expect(await present(renewed)).toBe(200);
  expect(await accounts()).toBe(1);
  await set({ pki_issuer_map: '' });
  expect(await present(renewed)).toBe(200);
  expect(await accounts()).toBe(2);
};

function named(headers: Record<string, string>) {
  return post('/api/auth/proxy/authenticate', headers);
}

function identified(user: string) {
  return { 'X-Forwarded-User': user, 'X-Forwarded-Email': `${user}@example.org` };
}

const proxy: Record<string, Behaviour> = {
  proxy_enabled: async () => {
    expect(await named(identified('p1'))).toBe(200);
    await set({ proxy_enabled: false });
    expect(await named(identified('p1'))).toBe(400);
  },
  proxy_trusted_proxies: async () => {
    expect(await named(identified('p2'))).toBe(200);
    await set({ proxy_trusted_proxies: unusedAddress });
    expect(await named(identified('p2'))).toBe(401);
  },
  proxy_user_header: async () => {
    await set({ proxy_user_header: 'X-Remote-User' });
    const { 'X-Forwarded-User': user, ...rest } = identified('p3');
    expect([await named(identified('p3')), await named({ ...rest, 'X-Remote-User': user })]).toEqual([401, 200]);
  },
  proxy_email_header: async () => {
    await set({ proxy_email_header: 'X-Remote-Email' });
    expect(await named({ ...identified('p4'), 'X-Remote-Email': 'other4@example.org' })).toBe(200);
    expect(await account('p4')).toMatchObject({ email: 'other4@example.org' });
  },
  proxy_name_header: async () => {
    await set({ proxy_name_header: 'X-Remote-Name' });
    expect(await named({ ...identified('p5'), 'X-Remote-Name': 'Petra Proxy' })).toBe(200);
    expect(await account('Petra Proxy')).toMatchObject({ email: 'p5@example.org' });
  },
  proxy_groups_header: async () => {
    const mapping = { source: 'proxy', claim_value: 'admins', grants_role: 'admin' };
    expect((await ask('/api/admin/group-mappings', { method: 'POST', json: mapping })).status).toBe(201);
    const headers = { ...identified('p6'), 'X-Remote-Groups': 'staff, admins' };
    expect(await named(headers)).toBe(200);
    expect(await account('p6')).toMatchObject({ role: 'user' });
    await set({ proxy_groups_header: 'X-Remote-Groups' });
    expect(await named(headers)).toBe(200);
    expect(await account('p6')).toMatchObject({ role: 'admin' });
  },
  proxy_no_groups_value: async () => {
    const mapping = { source: 'proxy', claim_value: 'Bosses, all', grants_role: 'admin' };
    expect((await ask('/api/admin/group-mappings', { method: 'POST', json: mapping })).status).toBe(201);
    const groups = async (value: string) => {
      expect(await named({ ...identified('p9'), 'X-Remote-Groups': value })).toBe(200);
      return (await account('p9'))?.role;
    };
    await set({ proxy_groups_header: 'X-Remote-Groups' });
    expect(await groups('staff, "Bosses, all"')).toBe('admin');
    expect(await groups('-')).toBe('user');
    await set({ proxy_no_groups_value: 'none' });
    expect(await groups('"Bosses, all"')).toBe('admin');
    expect(await groups('none')).toBe('user');
  },
  proxy_email_verified: async () => {
    await database.rows(`insert into "user" (email, full_name) values ('p7@example.org', 'Local Seven')`);
    expect(await named(identified('p7'))).toBe(401);
    await set({ proxy_email_verified: true });
    expect(await named(identified('p7'))).toBe(200);
  },
  proxy_shared_secret: async () => {
    await set({ proxy_shared_secret: 'known to the proxy alone' });
    const proved = { ...identified('p8'), 'X-Proxy-Secret': 'known to the proxy alone' };
    expect([await named(identified('p8')), await named(proved)]).toEqual([401, 200]);
  },
  proxy_secret_header: async () => {
    await set({ proxy_shared_secret: 's', proxy_secret_header: 'X-Proof' });
    const [old, now] = [{ 'X-Proxy-Secret': 's' }, { 'X-Proof': 's' }];
    expect([await named({ ...identified('p9'), ...old }), await named({ ...identified('p9'), ...now })]).toEqual([
      401, 200,
    ]);
  },
};

describe.each([
  ['pki', pki],
  ['proxy', proxy],
] as const)('every setting of %s changes what happens, at once', (category, behaviours) => {
  it('none is missing', () => {
    expect(Object.keys(behaviours).sort()).toEqual(keysOf(category).sort());
  });
  it.each(Object.entries(behaviours))('%s', (_key, behaviour) => behaviour());
});
