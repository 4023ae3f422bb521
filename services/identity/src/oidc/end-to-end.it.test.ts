import { describe, expect, it } from '@jest/globals';
import { startOidcProvider } from '@overtone/testkit/oidc';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { watchDatabase } from '../../test/sessions-of.ts';

const callbackUrl = 'http://localhost:8080/login';
const inIdToken = {
  una: {
    email: 'una@example.org',
    email_verified: true,
    name: 'Una User',
    preferred_username: 'una',
    groups: ['staff'],
  },
  ada: { email: 'ada@example.org', name: 'Ada', groups: ['staff'], realm_access: { roles: ['overtone-admin'] } },
  gus: { email: 'gus@example.org', name: 'Gus', groups: ['staff', 'Bosses'] },
  olga: { email: 'olga@example.org', name: 'Olga Outside', groups: ['visitors'] },
  bo: { email: 'bo@example.org', name: 'Bo Blocked', groups: ['staff', 'blocked'] },
  nix: { email: 'nix@example.org', name: 'Nix' },
  mallory: { email: 'ADA.ADMIN@example.org', email_verified: true, name: 'Mallory', groups: ['staff'] },
};

const provider = await stopAfterFile(startOidcProvider({ redirectUris: [callbackUrl], users: inIdToken }));
const product = await stopAfterFile(
  startSignIn({
    identity: {
      OIDC_ENABLED: 'true',
      OIDC_DISCOVERY_URL: `${provider.issuer}/.well-known/openid-configuration`,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_CALLBACK_URL: callbackUrl,
      OIDC_SCOPES: 'openid email profile groups',
      OIDC_ADMIN_ROLE: 'root, overtone-admin',
      OIDC_ALLOWED_GROUPS: 'staff',
      OIDC_BLOCKED_GROUPS: 'blocked',
    },
    edge: { TRUSTED_PROXIES: '127.0.0.1' },
  }),
);
const database = await watchDatabase(product.database.url);
await database.rows(`insert into group_mapping (source, claim_value, grants_role) values ('oidc', 'Bosses', 'admin')`);

type Sent = { status: number; body: Record<string, unknown>; set: string[] };

async function ask(path: string, headers: Record<string, string> = {}): Promise<Sent> {
  const response = await fetch(product.edge.url + path, { headers });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, set: response.headers.getSetCookie() };
}

function cookieHeader(set: readonly string[]): string {
  return set.map((claims) => claims.split(';')[0]).join('; ');
}

/** A complete sign-in through the real edge: redirect, provider, page /login, callback. */
async function signIn(user: string, headers: Record<string, string> = {}): Promise<Sent> {
  const login = await ask('/api/auth/oidc/login', headers);
  const back = await provider.signIn(String(login.body['authorization_url']), user);
  expect(back.origin + back.pathname).toBe(callbackUrl);
  // Other cookies of the browser have no effect.
  const cookie = `theme=dark; access_token=stale; ${cookieHeader(login.set)}`;
  return ask(`/api/auth/oidc/callback${back.search}`, { ...headers, cookie });
}

async function me({ body }: Sent) {
  return (await ask('/api/users/me', { authorization: `Bearer ${String(body['access_token'])}` })).body;
}

describe('sign-in at a real provider, through the edge', () => {
  it('is offered', async () => {
    const { body } = await ask('/api/auth/methods');
    expect(body).toMatchObject({ oidc_enabled: true, keycloak_enabled: true });
    expect(body['methods']).toContain('oidc');
  });

  it('opens a session with the usual cookies and clears the flow cookie', async () => {
    const done = await signIn('una');
    expect(done.status).toBe(200);
    expect(done.set.map((claims) => claims.split('=')[0])).toEqual([
      'access_token',
      'refresh_token',
      'csrf_token',
      expect.stringMatching(/^oidc_flow_/),
    ]);
    expect(done.set.at(-1)).toContain('Max-Age=0');
    expect(await me(done)).toMatchObject({
      email: 'una@example.org',
      full_name: 'Una User',
      auth_type: 'oidc',
      role: 'user',
      oidc_subject: 'una',
    });
    // As the provider spells it, not as the setting does.
    expect(await database.rows(`select oidc_issuer from "user" where oidc_subject = 'una'`)).toEqual([
      { oidc_issuer: provider.issuer },
    ]);
  });

  it('binds the flow to the browser over HTTPS with a __Host- cookie', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'overtone.example.org' };
    const login = await ask('/api/auth/oidc/login', headers);
    expect(login.set).toEqual([
      expect.stringMatching(/^__Host-oidc_flow_[\w-]{16}=.*Path=\/.*HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const done = await signIn('una', headers);
    expect(done.status).toBe(200);
    expect(done.set.every((claims) => claims.includes('Secure'))).toBe(true);
  });

  it('finds the account of a person by issuer and subject, also after a change of the address', async () => {
    const before = await me(await signIn('una'));
    provider.users.set('una', { ...inIdToken.una, email: 'una.new@example.org' });
    expect((await me(await signIn('una')))['uuid']).toBe(before['uuid']);
  });

  it('grants and revokes the administrator role with a role of the provider', async () => {
    expect(await me(await signIn('ada'))).toMatchObject({ role: 'admin' });
    provider.users.set('ada', { ...inIdToken.ada, realm_access: { roles: ['other'] } });
    expect(await me(await signIn('ada'))).toMatchObject({ role: 'user' });
  });

  it('changes no role while the provider omits the groups claim because of its length', async () => {
    expect(await me(await signIn('gus'))).toMatchObject({ role: 'admin' });
    await database.rows(`delete from audit_log`);
    const claims = { ...inIdToken.gus, groups: undefined, _claim_names: { groups: 'src1' } };
    provider.users.set('gus', claims);
    // Unknown groups do not satisfy the admission rule.
    expect((await signIn('gus')).status).toBe(401);
    expect(await database.lastRefusal()).toBe('NOT_ADMITTED groups_overage');
    expect(await database.rows(`select role from "user" where oidc_subject = 'gus'`)).toEqual([{ role: 'admin' }]);
  });

  it.each([
    ['olga', 'NOT_ADMITTED no_allowed_group'],
    ['bo', 'NOT_ADMITTED blocked_group'],
    ['nix', 'NOT_ADMITTED groups_absent'],
    ['nobody', 'PROVIDER_ERROR access_denied'],
  ])('refuses %s: %s', async (user, why) => {
    const done = await signIn(user);
    expect(done).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect(await database.lastRefusal()).toBe(why);
    expect(await database.rows('select 1 from "user" where oidc_subject = $1', [user])).toEqual([]);
  });

  it('never links to the super_admin, even by a verified address', async () => {
    expect((await signIn('mallory')).status).toBe(401);
    expect(await database.lastRefusal()).toContain('ACCOUNT_LINK_REFUSED');
  });

  it("rejects the callback in another browser and with another user's code", async () => {
    const [mine, theirs] = [await ask('/api/auth/oidc/login'), await ask('/api/auth/oidc/login')];
    const back = await provider.signIn(String(theirs.body['authorization_url']), 'una');
    const push = await ask(`/api/auth/oidc/callback${back.search}`, { cookie: cookieHeader(mine.set) });
    expect(push.status).toBe(401);
    const state = new URL(String(mine.body['authorization_url'])).searchParams.get('state') ?? '';
    back.searchParams.set('state', state);
    const swap = await ask(`/api/auth/oidc/callback${back.search}`, { cookie: cookieHeader(mine.set) });
    expect(swap.status).toBe(401);
    expect(await database.lastRefusal()).toBe('TOKEN_EXCHANGE_FAILED invalid_grant');
  });
});

describe('a provider that goes down', () => {
  it('is reported as unusable, and pending sign-ins are refused with the generic response', async () => {
    const login = await ask('/api/auth/oidc/login');
    const back = await provider.signIn(String(login.body['authorization_url']), 'una');
    await provider.stop();
    const done = await ask(`/api/auth/oidc/callback${back.search}`, { cookie: cookieHeader(login.set) });
    expect(done).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect(await database.lastRefusal()).toBe('PROVIDER_UNAVAILABLE unreachable');
  });
});
