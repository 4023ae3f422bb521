import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { halfHash } from '@overtone/testkit/oidc';
import type { StartedFlow } from '../../test/oidc-browser.ts';
import { callbackUrl, startScriptedSignIn } from '../../test/scripted-sign-in.ts';

function seconds() {
  return Math.floor(Date.now() / 1000);
}

const world = await startScriptedSignIn();

describe('the redirect to the provider', () => {
  it('contains a new state, nonce and PKCE challenge each time, and the exact redirect address', async () => {
    const [one, two] = [await world.browser().begin(), await world.browser().begin()];
    const query = Object.fromEntries(one.url.searchParams);
    expect(one.url.origin + one.url.pathname).toBe(`${world.provider.issuer}/authorize`);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'overtone',
      redirect_uri: callbackUrl,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(query[name]).toMatch(/^[\w-]{43}$/);
      expect(two.url.searchParams.get(name)).not.toBe(query[name]);
    }
    expect(one.answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('a callback that belongs to no sign-in of this browser opens no session', () => {
  beforeEach(() => {
    world.provider.token = world.provider.answer(world.provider.sign(world.provider.claims('any')));
  });

  it('without a state', async () => {
    await world.expectRefusal(await world.browser().back({ code: 'c' }), 'INVALID_STATE no_state');
  });
  it('with a forged state', async () => {
    await world.expectRefusal(
      await world.browser().back({ code: 'c', state: 'x'.repeat(43) }),
      'INVALID_STATE not_this_browser',
    );
  });
  it("with another browser's state: a foreign sign-in cannot be forced on a victim", async () => {
    const attacker = await world.browser().begin();
    const victim = world.browser();
    await victim.begin();
    await world.expectRefusal(
      await victim.back({ code: 'c', state: attacker.state }),
      'INVALID_STATE not_this_browser',
    );
  });
  it("with another browser's state under one's own cookie", async () => {
    const attacker = await world.browser().begin();
    const victim = await world.browser().begin();
    const name = attacker.cookie.split('=')[0] ?? '';
    const value = victim.cookie.split(/[=;]/)[1] ?? '';
    const answer = await world.browser().back({ code: 'c', state: attacker.state }, `${name}=${value}`);
    await world.expectRefusal(answer, 'INVALID_STATE forged');
  });
  it('with an error of the provider for a forged state', async () => {
    await world.expectRefusal(
      await world.browser().back({ error: 'access_denied', state: 'x' }),
      'INVALID_STATE not_this_browser',
    );
  });
  it('with an issuer that is not the one this sign-in went to', async () => {
    await world.expectRefusal(
      await world.signInWith(world.good, () => ({ iss: 'https://evil.example.org' })),
      'INVALID_STATE iss',
    );
  });
  it('with an error of the provider, which is recorded', async () => {
    const browser = world.browser();
    const { state } = await browser.begin();
    await world.expectRefusal(
      await browser.back({ error: 'access_denied', error_description: 'no', state }),
      'PROVIDER_ERROR access_denied',
    );
  });
  it('with an error that contains control characters', async () => {
    const browser = world.browser();
    const { state } = await browser.begin();
    await world.expectRefusal(await browser.back({ error: 'a\nb<c>', state }), 'PROVIDER_ERROR a?b?c?');
  });
  it('without a code', async () => {
    const browser = world.browser();
    const { state } = await browser.begin();
    await world.expectRefusal(await browser.back({ state }), 'TOKEN_EXCHANGE_FAILED no_code');
  });
  it.each([
    ['a repeated state', 'state=a&state=b&code=c', 400],
    ['a code that is too long', `state=a&code=${'c'.repeat(5_000)}`, 400],
    ['a NUL', 'state=a%00&code=c', 400],
  ])('with %s: the query is not valid', async (_name, query, status) => {
    expect((await world.identity.ask(`/api/auth/oidc/callback?${query}`)).status).toBe(status);
    expect(await world.database.sessions()).toBe(0);
  });
});

describe('a valid callback', () => {
  it('opens one session, and none when it is repeated', async () => {
    const browser = world.browser();
    const begun = await browser.begin();
    world.provider.token = world.good(begun);
    const cookie = [...browser.jar].map(([key, value]) => `${key}=${value}`).join('; ');
    const back = { code: 'a-code', state: begun.state };
    const first = await browser.back(back, cookie);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ token_type: 'bearer' });
    expect(first.cookies.map((cookie) => cookie.split('=')[0])).toEqual([
      'access_token',
      'refresh_token',
      'csrf_token',
      begun.cookie.split('=')[0],
    ]);
    expect(browser.jar.size).toBe(0);
    const again = await browser.back(back, cookie);
    expect(again.status).toBe(401);
    expect(await world.database.lastRefusal()).toBe('INVALID_STATE replayed');
    expect(await world.database.sessions()).toBe(1);
  });

  it('opens one session when it is sent sixteen times concurrently', async () => {
    const before = await world.database.sessions();
    const browser = world.browser();
    const begun = await browser.begin();
    world.provider.token = world.good(begun);
    const cookie = [...browser.jar].map(([key, value]) => `${key}=${value}`).join('; ');
    const all = await Promise.all(
      Array.from({ length: 16 }, () => browser.back({ code: 'c', state: begun.state }, cookie)),
    );
    expect(all.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(all.filter((answer) => answer.status === 401)).toHaveLength(15);
    expect(await world.database.sessions()).toBe(before + 1);
  });

  it('can be processed by another replica, once over all replicas', async () => {
    const other = await world.replica();
    try {
      const before = await world.database.sessions();
      const browser = world.browser();
      const begun = await browser.begin();
      world.provider.token = world.good(begun);
      const headers = { cookie: begun.cookie.split(';')[0] ?? '' };
      const path = `/api/auth/oidc/callback?code=c&state=${begun.state}`;
      const answers = await Promise.all([other, world.identity, other].map((i) => i.ask(path, { headers })));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      expect(await world.database.sessions()).toBe(before + 1);
    } finally {
      await other.stop();
    }
  });

  it('finishes the sign-ins of several tabs independently', async () => {
    const browser = world.browser();
    const tabs = [await browser.begin(), await browser.begin(), await browser.begin()];
    for (const tab of tabs.toReversed()) {
      world.provider.token = world.good(tab);
      expect((await browser.back({ code: 'c', state: tab.state })).status).toBe(200);
    }
  });

  it("of one tab does not finish another's sign-in", async () => {
    const browser = world.browser();
    const [one, two] = [await browser.begin(), await browser.begin()];
    world.provider.token = world.good(one);
    expect((await browser.back({ code: 'c', state: two.state })).status).toBe(401);
    expect(await world.database.lastRefusal()).toBe('INVALID_TOKEN nonce');
  });

  it('is redeemed with the verifier, the client id and the exact redirect address', async () => {
    expect((await world.signInWith(world.good)).status).toBe(200);
    const { form, authorization } = world.provider.lastToken();
    expect(form.get('redirect_uri')).toBe(callbackUrl);
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    expect(form.get('grant_type')).toBe('authorization_code');
    expect(Buffer.from((authorization ?? '').split(' ')[1] ?? '', 'base64').toString()).toBe(
      'overtone:a+client+secret',
    );
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['with the hash of its access token', () => ({ at_hash: halfHash('an access token') })],
    ['with more audiences and the client named', () => ({ aud: ['overtone', 'other'], azp: 'overtone' })],
    ['that expired half a minute ago by our clock', () => ({ exp: seconds() - 30 })],
    ['that was issued half a minute from now', () => ({ iat: seconds() + 30 })],
  ])('may come %s', async (_name, change) => {
    const { provider } = world;
    const token = (begun: StartedFlow) => provider.answer(provider.sign(provider.claims(begun.nonce, change())));
    expect((await world.signInWith(token)).status).toBe(200);
  });

  it('may name its issuer', async () => {
    expect((await world.signInWith(world.good, () => ({ iss: world.provider.issuer }))).status).toBe(200);
  });
});

describe('an address of the ID token', () => {
  const subject = { sub: 'subject-of-admin', email: 'Ada.Admin@example.org' };
  it.each([true, 'true', undefined])('never takes over the super_admin, verified %j', async (email_verified) => {
    const answer = await world.signInWith(({ nonce }) =>
      world.provider.answer(world.provider.sign(world.provider.claims(nonce, { ...subject, email_verified }))),
    );
    expect(answer.status).toBe(401);
    expect(await world.database.lastRefusal()).toContain('ACCOUNT_LINK_REFUSED');
  });
});

describe('groups of a provider', () => {
  const person = { sub: 'subject-gina', email: 'gina@example.org', realm_access: { roles: ['user'] } };
  /** Signs in with these claims. @returns role and groups afterwards. */
  const after = async (claims: Record<string, unknown>) => {
    const { provider, database } = world;
    const token = (flow: StartedFlow) =>
      provider.answer(provider.sign(provider.claims(flow.nonce, { ...person, ...claims })));
    expect((await world.signInWith(token)).status).toBe(200);
    const [row] = await database.rows<{ role: string; groups: string[] }>(
      `select u.role, coalesce(array_agg(g.name) filter (where g.name is not null), '{}') as groups from "user" u
       left join user_group_member m on m.user_id = u.uuid left join user_group g on g.uuid = m.group_id
       where u.oidc_subject = 'subject-gina' group by u.role`,
    );
    return row;
  };
  const both = { role: 'admin', groups: ['Crew'] };
  beforeAll(async () => {
    const { caller } = await world.identity.session();
    const group = await world.identity.ask('/api/groups', { caller, json: { name: 'Crew' } });
    const mapping = { source: 'oidc', claim_value: 'Bosses', group_uuid: group.body['uuid'], grants_role: 'admin' };
    const made = await world.identity.ask('/api/admin/group-mappings', { caller, json: mapping });
    expect([group.status, made.status]).toEqual([201, 201]);
    // The groups are in the ID token only.
    world.provider.userInfo = { body: { sub: person.sub } };
  });

  it('grant groups and role by a mapping, compared verbatim', async () => {
    expect(await after({ groups: ['bosses', 'staff'] })).toEqual({ role: 'user', groups: [] });
    expect(await after({ groups: ['Bosses', 'staff'] })).toEqual(both);
  });

  it.each<[string, Record<string, unknown>]>([
    ['are absent', { groups: undefined }],
    ['are left out for their length', { groups: undefined, _claim_names: { groups: 'src1' } }],
    ['are of another form', { groups: { Bosses: true } }],
    ['are partly no text', { groups: ['staff', 7] }],
  ])('change nothing when they %s, because they are unknown', async (_name, claims) => {
    expect(await after(claims)).toEqual(both);
  });

  it('revoke groups and role when the claims are present and empty', async () => {
    expect(await after({ groups: [] })).toEqual({ role: 'user', groups: [] });
  });
});
