import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AuthSettings } from '@overtone/contracts';
import { startOidcProvider } from '@overtone/testkit/oidc';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startBackends, startIdentity } from '../../test/running-identity.ts';
import { createChanges, type Behaviour } from '../../test/setting-world.ts';
import { keysOf } from './settings.ts';

const callback = 'http://localhost:8080/login';
const [backends, provider] = await Promise.all([
  startBackends(),
  stopAfterFile(startOidcProvider({ redirectUris: [callback] })),
]);
const identity = await stopAfterFile(
  startIdentity(backends, {
    OIDC_ENABLED: 'true',
    OIDC_SERVER_URL: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_CALLBACK_URL: callback,
    OIDC_SCOPES: 'openid email profile groups',
  }),
);
const changes = createChanges(identity, (await identity.session()).caller, {
  oidc_client_secret: provider.clientSecret,
});
afterEach(() => changes.reset());

function set(values: Partial<AuthSettings>) {
  return changes.set(values);
}

function begin() {
  return identity.ask('/api/auth/oidc/login');
}

async function addressOf() {
  return new URL(String((await begin()).body['authorization_url'])).searchParams;
}

/** Signs in as a browser does. @returns the last status. */
async function signIn(sub: string): Promise<number> {
  const begun = await begin();
  if (begun.status !== 200) return begun.status;
  const cookie = begun.cookies.map((cookie) => cookie.split(';')[0]).join('; ');
  const end = await provider.signIn(String(begun.body['authorization_url']), sub);
  return (await identity.ask(`/api/auth/oidc/callback${end.search}`, { headers: { cookie } })).status;
}

function person(claims: Record<string, unknown> = {}): string {
  const sub = crypto.randomUUID();
  const email = `${sub}@example.org`;
  provider.users.set(sub, { preferred_username: `u-${sub}`, name: 'Olga Oidc', email, ...claims });
  return sub;
}

async function account(sub: string) {
  const { rows } = await backends.sql.query<{ email: string; full_name: string; role: string }>(
    'select email, full_name, role from "user" where oidc_subject = $1',
    [sub],
  );
  return rows[0];
}

/** The status of a sign-in changes with the settings. */
function turns(
  claims: Record<string, unknown>,
  before: Partial<AuthSettings>,
  from: number,
  after: Partial<AuthSettings>,
  to: number,
): Behaviour {
  return async () => {
    const sub = person(claims);
    await set(before);
    expect(await signIn(sub)).toBe(from);
    await set(after);
    expect(await signIn(sub)).toBe(to);
  };
}

/** The role changes from user to admin. */
function promotes(claims: Record<string, unknown>, values: Partial<AuthSettings>): Behaviour {
  return async () => {
    const sub = person(claims);
    await signIn(sub);
    expect(await account(sub)).toMatchObject({ role: 'user' });
    await set(values);
    await signIn(sub);
    expect(await account(sub)).toMatchObject({ role: 'admin' });
  };
}

/** A slow provider. */
async function startSlowProvider(delayMs: number) {
  const server = createServer((_req, res) => {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const endpoints = Object.fromEntries(
      ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map((name) => [name, `${issuer}/${name}`]),
    );
    res.setHeader('content-type', 'application/json');
    setTimeout(() => res.end(JSON.stringify({ issuer, ...endpoints })), delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

const unusedAddress = 'http://127.0.0.1:9';
const behaviours: Record<string, Behaviour> = {
  oidc_enabled: turns({}, {}, 200, { oidc_enabled: false }, 400),
  oidc_display_name: async () => {
    await set({ oidc_display_name: 'House key' });
    expect((await identity.ask('/api/auth/methods')).body).toMatchObject({ oidc_display_name: 'House key' });
  },
  oidc_discovery_url: async () => {
    expect((await begin()).status).toBe(200);
    await set({ oidc_discovery_url: unusedAddress });
    expect((await begin()).status).not.toBe(200);
    await set({ oidc_discovery_url: `${provider.issuer}/.well-known/openid-configuration` });
    expect((await begin()).status).toBe(200);
  },
  oidc_server_url: async () => {
    expect((await begin()).status).toBe(200);
    await set({ oidc_server_url: unusedAddress });
    expect((await begin()).status).not.toBe(200);
  },
  oidc_realm: async () => {
    await set({ oidc_realm: 'another' });
    expect((await begin()).status).not.toBe(200);
  },
  oidc_client_id: async () => {
    await set({ oidc_client_id: 'another' });
    expect((await addressOf()).get('client_id')).toBe('another');
  },
  oidc_client_secret: turns({}, {}, 200, { oidc_client_secret: 'not that one' }, 401),
  oidc_callback_url: async () => {
    await set({ oidc_callback_url: 'http://localhost:9999/login' });
    expect((await addressOf()).get('redirect_uri')).toBe('http://localhost:9999/login');
  },
  oidc_scopes: async () => {
    await set({ oidc_scopes: 'email' });
    expect((await addressOf()).get('scope')).toBe('openid email');
  },
  oidc_timeout: async () => {
    const slow = await startSlowProvider(1_500);
    await set({ oidc_server_url: slow.url, oidc_timeout: 1 });
    expect((await begin()).status).not.toBe(200);
    await set({ oidc_timeout: 30 });
    expect((await begin()).status).toBe(200);
    slow.stop();
  },
  oidc_audience: turns({}, {}, 200, { oidc_audience: 'another value' }, 401),
  oidc_username_claim: async () => {
    const sub = person({ name: undefined });
    await signIn(sub);
    expect(await account(sub)).toMatchObject({ full_name: `u-${sub}` });
    const other = person({ name: undefined });
    await set({ oidc_username_claim: 'sub' });
    await signIn(other);
    expect(await account(other)).toMatchObject({ full_name: other });
  },
  oidc_email_claim: async () => {
    const address = `${crypto.randomUUID()}@elsewhere.example.org`;
    const sub = person({ preferred_username: address });
    await set({ oidc_email_claim: 'preferred_username' });
    await signIn(sub);
    expect(await account(sub)).toMatchObject({ email: address });
  },
  oidc_name_claim: async () => {
    const sub = person();
    await set({ oidc_name_claim: 'preferred_username' });
    await signIn(sub);
    expect(await account(sub)).toMatchObject({ full_name: `u-${sub}` });
  },
  oidc_groups_claim: turns(
    { groups: ['guests'], realm_access: { teams: ['staff'] } },
    { oidc_allowed_groups: 'staff' },
    401,
    { oidc_groups_claim: 'realm_access.teams' },
    200,
  ),
  oidc_roles_claim: promotes({ groups: ['admin'], realm_access: { roles: [] } }, { oidc_roles_claim: 'groups' }),
  oidc_admin_role: promotes({ realm_access: { roles: ['boss'] } }, { oidc_admin_role: 'chief, boss' }),
  oidc_allowed_groups: turns({ groups: ['guests'] }, {}, 200, { oidc_allowed_groups: 'staff' }, 401),
  oidc_blocked_groups: turns({ groups: ['guests'] }, {}, 200, { oidc_blocked_groups: 'guests' }, 401),
};

describe('every setting of the identity provider is effective immediately', () => {
  it('none is missing', () => {
    expect(Object.keys(behaviours).sort()).toEqual(keysOf('oidc').sort());
  });
  it.each(Object.entries(behaviours))('%s', (_key, behaviour) => behaviour());
});
