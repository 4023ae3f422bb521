import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { halfHash, startScriptedProvider, type ScriptedProvider, type TokenAnswer } from '@overtone/testkit/oidc';
import { createBrowser, type Begun } from '../../test/oidc-browser.ts';
import { startBackends, startIdentity, type Backends, type RunningIdentity } from '../../test/running-identity.ts';
import { watchDatabase, type WatchedDatabase } from '../../test/sessions-of.ts';

const callbackUrl = 'http://localhost:8080/login';
const seconds = () => Math.floor(Date.now() / 1000);

let backends: Backends;
let identity: RunningIdentity;
let provider: ScriptedProvider;
let database: WatchedDatabase;
beforeAll(async () => {
  [backends, provider] = await Promise.all([startBackends(), startScriptedProvider()]);
  identity = await startIdentity(backends, {
    OIDC_ENABLED: 'true',
    OIDC_DISCOVERY_URL: provider.issuer,
    OIDC_CLIENT_ID: 'overtone',
    OIDC_CLIENT_SECRET: 'a client secret',
    OIDC_CALLBACK_URL: callbackUrl,
    OIDC_TIMEOUT: '1',
  });
  database = await watchDatabase(backends.database.url);
});
afterAll(async () => {
  await database.end();
  await identity.stop();
  await provider.stop();
  await backends.stop();
});

/** A whole sign-in whose token endpoint answers as told; the answer of identity. */
const signInWith = async (
  token: (begun: Begun) => TokenAnswer,
  query: (begun: Begun) => Record<string, string> = () => ({}),
) => {
  const browser = createBrowser(identity);
  const begun = await browser.begin();
  provider.token = token(begun);
  return browser.back({ code: 'a-code', state: begun.state, ...query(begun) });
};
const good = ({ nonce }: Begun): TokenAnswer => provider.answer(provider.sign(provider.claims(nonce)));
/** No session, the one answer of every refusal, and a record that says why. */
const expectRefusal = async (
  answer: { status: number; body: Record<string, unknown>; cookies: string[] },
  why: string,
) => {
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code: 'invalid_credentials', detail: 'Incorrect username or password' });
  expect(answer.cookies.every((cookie) => cookie.includes('Max-Age=0'))).toBe(true);
  expect(await database.lastRefusal()).toBe(why);
  expect(await database.sessions()).toBe(0);
};

describe('the way to the provider', () => {
  it('carries state, nonce and a PKCE challenge, each new every time, and the redirect address to the letter', async () => {
    const [one, two] = [await createBrowser(identity).begin(), await createBrowser(identity).begin()];
    const query = Object.fromEntries(one.url.searchParams);
    expect(one.url.origin + one.url.pathname).toBe(`${provider.issuer}/authorize`);
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

describe('an answer to /login that belongs to no sign-in of this browser opens no session', () => {
  beforeEach(() => {
    provider.token = provider.answer(provider.sign(provider.claims('any')));
  });

  it('without a state', async () => {
    await expectRefusal(await createBrowser(identity).back({ code: 'c' }), 'INVALID_STATE no_state');
  });
  it('with a state nobody made', async () => {
    await expectRefusal(
      await createBrowser(identity).back({ code: 'c', state: 'x'.repeat(43) }),
      'INVALID_STATE not_this_browser',
    );
  });
  it("with another browser's state: somebody else's sign-in cannot be pushed on a victim", async () => {
    const attacker = await createBrowser(identity).begin();
    const victim = createBrowser(identity);
    await victim.begin();
    await expectRefusal(await victim.back({ code: 'c', state: attacker.state }), 'INVALID_STATE not_this_browser');
  });
  it("with another browser's state under one's own cookie", async () => {
    const attacker = await createBrowser(identity).begin();
    const victim = await createBrowser(identity).begin();
    const name = attacker.cookie.split('=')[0] ?? '';
    const value = victim.cookie.split(/[=;]/)[1] ?? '';
    const answer = await createBrowser(identity).back({ code: 'c', state: attacker.state }, `${name}=${value}`);
    await expectRefusal(answer, 'INVALID_STATE forged');
  });
  it('with an error of the provider for a state nobody made', async () => {
    await expectRefusal(
      await createBrowser(identity).back({ error: 'access_denied', state: 'x' }),
      'INVALID_STATE not_this_browser',
    );
  });
  it('with an issuer that is not the one this sign-in went to', async () => {
    await expectRefusal(await signInWith(good, () => ({ iss: 'https://evil.example.org' })), 'INVALID_STATE iss');
  });
  it('with the error the provider sends, which is written down', async () => {
    const browser = createBrowser(identity);
    const { state } = await browser.begin();
    await expectRefusal(
      await browser.back({ error: 'access_denied', error_description: 'no', state }),
      'PROVIDER_ERROR access_denied',
    );
  });
  it('with an error that would break the log', async () => {
    const browser = createBrowser(identity);
    const { state } = await browser.begin();
    await expectRefusal(await browser.back({ error: 'a\nb<c>', state }), 'PROVIDER_ERROR a?b?c?');
  });
  it('without a code', async () => {
    const browser = createBrowser(identity);
    const { state } = await browser.begin();
    await expectRefusal(await browser.back({ state }), 'TOKEN_EXCHANGE_FAILED no_code');
  });
  it.each([
    ['a repeated state', 'state=a&state=b&code=c', 400],
    ['a code that is too long', `state=a&code=${'c'.repeat(5_000)}`, 400],
    ['a NUL', 'state=a%00&code=c', 400],
  ])('with %s: the query is not valid', async (_name, query, status) => {
    expect((await identity.ask(`/api/auth/oidc/callback?${query}`)).status).toBe(status);
    expect(await database.sessions()).toBe(0);
  });
});

describe('an answer of the token endpoint that is no good opens no session', () => {
  const json = { 'content-type': 'application/json' };
  const cases: [string, string, (b: Begun) => TokenAnswer][] = [
    ['a refusal', 'TOKEN_EXCHANGE_FAILED invalid_grant', () => ({ status: 400, body: { error: 'invalid_grant' } })],
    [
      'a refusal of the client',
      'TOKEN_EXCHANGE_FAILED invalid_client',
      () => ({ status: 401, body: { error: 'invalid_client' } }),
    ],
    ['an error that is no word', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 400, body: { error: 7 } })],
    ['a server error', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 500, body: 'oops' })],
    [
      'a redirect',
      'TOKEN_EXCHANGE_FAILED status',
      () => ({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }),
    ],
    ['no content', 'TOKEN_EXCHANGE_FAILED status', () => ({ status: 204, body: '' })],
    [
      '201 instead of 200',
      'TOKEN_EXCHANGE_FAILED status',
      (b) => ({ ...(good(b) as { body: Record<string, unknown> }), status: 201 }),
    ],
    ['an empty body', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '' })],
    ['HTML', 'TOKEN_EXCHANGE_FAILED content_type', () => ({ headers: { 'content-type': 'text/html' }, body: '<p>hi' })],
    ['broken JSON', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '{"access_token":' })],
    ['a list', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '[]' })],
    ['null', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: 'null' })],
    ['a text', 'TOKEN_EXCHANGE_FAILED malformed', () => ({ headers: json, body: '"token"' })],
    [
      'bytes that are no UTF-8',
      'TOKEN_EXCHANGE_FAILED malformed',
      () => ({ headers: json, body: Buffer.from([0xff, 0xfe, 0x7b]) }),
    ],
    [
      'no access token',
      'TOKEN_EXCHANGE_FAILED access_token',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { access_token: undefined }),
    ],
    [
      'an access token that is no text',
      'TOKEN_EXCHANGE_FAILED access_token',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { access_token: 7 }),
    ],
    [
      'an empty access token',
      'TOKEN_EXCHANGE_FAILED access_token',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { access_token: '' }),
    ],
    ['no ID token', 'TOKEN_EXCHANGE_FAILED id_token', () => provider.answer(undefined)],
    ['an ID token that is null', 'TOKEN_EXCHANGE_FAILED id_token', () => provider.answer(null)],
    ['an ID token that is an object', 'TOKEN_EXCHANGE_FAILED id_token', () => provider.answer({})],
    ['an empty ID token', 'TOKEN_EXCHANGE_FAILED id_token', () => provider.answer('')],
    [
      'no token type',
      'TOKEN_EXCHANGE_FAILED token_type',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { token_type: undefined }),
    ],
    [
      'a token type nobody knows',
      'TOKEN_EXCHANGE_FAILED token_type',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { token_type: 'mac' }),
    ],
    [
      'a lifetime that is no number',
      'TOKEN_EXCHANGE_FAILED expires_in',
      (b) => provider.answer(provider.sign(provider.claims(b.nonce)), { expires_in: 'soon' }),
    ],
    [
      'more than a mebibyte',
      'PROVIDER_UNAVAILABLE too_large',
      () => ({ headers: json, body: `{"x":"${'x'.repeat(1_100_000)}"}` }),
    ],
    ['nothing, for ever', 'PROVIDER_UNAVAILABLE timeout', () => 'hang'],
    ['one byte at a time', 'PROVIDER_UNAVAILABLE timeout', () => 'drip'],
    ['a reset', 'PROVIDER_UNAVAILABLE unreachable', () => 'reset'],
    ['half of it', 'PROVIDER_UNAVAILABLE unreachable', () => 'half'],
  ];
  it.each(cases)('%s: %s', async (_name, why, token) => {
    await expectRefusal(await signInWith(token), why);
  });
});

describe('an ID token with a claim that is wrong opens no session', () => {
  const cases: [string, string, Record<string, unknown>][] = [
    ['no nonce', 'nonce', { nonce: undefined }],
    ['another nonce', 'nonce', { nonce: 'another' }],
    ['an empty nonce', 'nonce', { nonce: '' }],
    ['a nonce that is a list', 'nonce', { nonce: ['x'] }],
    ['no issuer', 'iss', { iss: undefined }],
    ['another issuer', 'iss', { iss: 'https://evil.example.org' }],
    ['the issuer with a slash', 'iss', { iss: 'slash' }],
    ['an issuer that is a list', 'iss', { iss: ['x'] }],
    ['no audience', 'aud', { aud: undefined }],
    ['another audience', 'aud', { aud: 'somebody-else' }],
    ['an audience in other letters', 'aud', { aud: 'Overtone' }],
    ['an empty list of audiences', 'aud', { aud: [] }],
    ['an audience that is an object', 'aud', { aud: { overtone: true } }],
    ['more audiences and nobody named', 'aud', { aud: ['overtone', 'other'] }],
    ['more audiences and another named', 'azp', { aud: ['overtone', 'other'], azp: 'other' }],
    ['one audience and another named', 'azp', { azp: 'other' }],
    ['no expiry', 'exp', { exp: undefined }],
    ['an expiry that is over', 'exp', { exp: seconds() - 120 }],
    ['an expiry that is a text', 'exp', { exp: '9999999999' }],
    ['no time of issue', 'iat', { iat: undefined }],
    ['a time of issue that is a text', 'iat', { iat: String(seconds()) }],
    ['a time of issue to come', 'iat', { iat: seconds() + 300 }],
    ['a time of issue before this sign-in began', 'iat', { iat: seconds() - 300 }],
    ['a time it is not good before', 'nbf', { nbf: seconds() + 300 }],
    ['no subject', 'sub', { sub: undefined }],
    ['an empty subject', 'sub', { sub: '' }],
    ['a subject that is a number', 'sub', { sub: 7 }],
    ['a subject that is too long', 'sub', { sub: 's'.repeat(256) }],
    ['a subject with a control character', 'sub', { sub: 'a\u0000b' }],
    ['the hash of another access token', 'at_hash', { at_hash: halfHash('another') }],
    ['a hash cut short', 'at_hash', { at_hash: halfHash('an access token').slice(1) }],
    ['a hash that is a number', 'at_hash', { at_hash: 7 }],
    ['an empty hash', 'at_hash', { at_hash: '' }],
  ];
  it.each(cases)('%s: INVALID_TOKEN %s', async (_name, claim, change) => {
    const fixed = change['iss'] === 'slash' ? { iss: `${provider.issuer}/` } : change;
    const answer = await signInWith(({ nonce }) => provider.answer(provider.sign(provider.claims(nonce, fixed))));
    await expectRefusal(answer, `INVALID_TOKEN ${claim}`);
  });
});

describe('a forged ID token opens no session', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmac = (begun: Begun, key: string | Buffer, header: Record<string, unknown> = {}): string => {
    const input = `${b64({ alg: 'HS256', kid: provider.kid, ...header })}.${b64(provider.claims(begun.nonce))}`;
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  };
  const publicPem = (): string => createPublicKey(provider.key).export({ type: 'spki', format: 'pem' }).toString();
  const publicDer = (): Buffer => createPublicKey(provider.key).export({ type: 'spki', format: 'der' });
  const jwk = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });
  const signed = (begun: Begun, header: Record<string, unknown> = {}, key?: KeyObject): string =>
    provider.sign(provider.claims(begun.nonce), header, key);
  const part = (token: string, i: number, change: (text: string) => string): string =>
    token
      .split('.')
      .map((p, at) => (at === i ? change(p) : p))
      .join('.');
  const flip = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

  const cases: [string, string, (b: Begun) => string][] = [
    ['without a signature (none)', 'alg', (b) => signed(b, { alg: 'none' })],
    ['without a signature (None)', 'alg', (b) => `${signed(b, { alg: 'None' }).split('.').slice(0, 2).join('.')}.`],
    ['without a signature (NONE), with one attached', 'alg', (b) => signed(b, { alg: 'NONE' })],
    ['with an empty algorithm', 'alg', (b) => signed(b, { alg: '' })],
    ['without an algorithm', 'alg', (b) => signed(b, { alg: undefined })],
    ['with an algorithm that is a list', 'alg', (b) => signed(b, { alg: ['RS256'] })],
    ['HS256 with the public key as PEM', 'alg', (b) => hmac(b, publicPem())],
    ['HS256 with the public key as DER', 'alg', (b) => hmac(b, publicDer())],
    ['HS256 with the public key as JWK', 'alg', (b) => hmac(b, JSON.stringify(provider.keys[0]))],
    ['HS256 with the modulus', 'alg', (b) => hmac(b, Buffer.from(String(provider.keys[0]?.['n']), 'base64url'))],
    ['HS256 with the client secret', 'alg', (b) => hmac(b, 'a client secret')],
    ['HS256 with an empty key', 'alg', (b) => hmac(b, '')],
    ['HS512 named, HS256 made', 'alg', (b) => hmac(b, publicPem(), { alg: 'HS512' })],
    ['RS512, which this provider does not announce', 'alg', (b) => signed(b, { alg: 'RS512' })],
    ['PS256, which this provider does not announce', 'alg', (b) => signed(b, { alg: 'PS256' })],
    ['ES256, for which it has no key', 'key', (b) => signed(b, { alg: 'ES256' }, curve)],
    ['by another key', 'signature', (b) => signed(b, {}, other)],
    ['by another key that it brings along (jwk)', 'signature', (b) => signed(b, { jwk: jwk(other) }, other)],
    [
      'by another key that it points to (jku)',
      'key',
      (b) => signed(b, { jku: 'http://127.0.0.1:9/keys', kid: 'evil' }, other),
    ],
    ['by another key that it points to (x5u)', 'signature', (b) => signed(b, { x5u: 'http://127.0.0.1:9/x' }, other)],
    ['by another key in a certificate (x5c)', 'signature', (b) => signed(b, { x5c: ['AAAA'] }, other)],
    ['by a key nobody knows', 'key', (b) => signed(b, { kid: 'unknown' })],
    ['with a key id that is a path', 'key', (b) => signed(b, { kid: '../../dev/null' })],
    ['with an extension that is critical', 'crit', (b) => signed(b, { crit: ['exp'] })],
    [
      'with claims changed after signing',
      'signature',
      (b) => part(signed(b), 1, () => b64(provider.claims(b.nonce, { sub: 'root' }))),
    ],
    [
      'with a header changed after signing',
      'signature',
      (b) => part(signed(b), 0, () => b64({ alg: 'RS256', kid: provider.kid, typ: 'x' })),
    ],
    ['with a signature changed in one bit', 'signature', (b) => part(signed(b), 2, flip)],
    ['with an empty signature', 'signature', (b) => part(signed(b), 2, () => '')],
    ['with a signature cut short', 'signature', (b) => part(signed(b), 2, (s) => s.slice(0, -8))],
    [
      'with the signature of another token',
      'signature',
      (b) => part(signed(b), 2, () => signed({ ...b, nonce: 'x' }).split('.')[2] ?? ''),
    ],
    ['of two parts', 'malformed', (b) => signed(b).split('.').slice(0, 2).join('.')],
    ['of four parts', 'malformed', (b) => `${signed(b)}.x`],
    ['of five parts, encrypted', 'encrypted', (b) => `${signed(b)}.x.y`],
    ['that is a word', 'malformed', () => 'token'],
    ['whose header is no JSON', 'malformed', (b) => part(signed(b), 0, () => 'e30x')],
    ['whose claims are a list', 'malformed', () => provider.sign(b64([]))],
    ['whose claims are no JSON', 'malformed', () => provider.sign('bm90')],
  ];
  it.each(cases)('%s: INVALID_TOKEN %s', async (_name, why, token) => {
    await expectRefusal(await signInWith((begun) => provider.answer(token(begun))), `INVALID_TOKEN ${why}`);
  });

  it('is judged without asking any address that the token names, nor for new keys more than once a minute', () => {
    expect(provider.asked.filter((path) => path === '/jwks')).toHaveLength(1);
    expect(provider.asked.filter((path) => path.endsWith('openid-configuration'))).toHaveLength(1);
  });
});

describe('a good answer', () => {
  it('opens one session; the same answer again opens none', async () => {
    const browser = createBrowser(identity);
    const begun = await browser.begin();
    provider.token = good(begun);
    const cookie = [...browser.jar].map(([k, v]) => `${k}=${v}`).join('; ');
    const back = { code: 'a-code', state: begun.state };
    const first = await browser.back(back, cookie);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ token_type: 'bearer' });
    expect(first.cookies.map((c) => c.split('=')[0])).toEqual([
      'access_token',
      'refresh_token',
      'csrf_token',
      begun.cookie.split('=')[0],
    ]);
    expect(browser.jar.size).toBe(0);
    const again = await browser.back(back, cookie);
    expect(again.status).toBe(401);
    expect(await database.lastRefusal()).toBe('INVALID_STATE replayed');
    expect(await database.sessions()).toBe(1);
  });

  it('sent sixteen times at once opens one session', async () => {
    const before = await database.sessions();
    const browser = createBrowser(identity);
    const begun = await browser.begin();
    provider.token = good(begun);
    const cookie = [...browser.jar].map(([k, v]) => `${k}=${v}`).join('; ');
    const all = await Promise.all(
      Array.from({ length: 16 }, () => browser.back({ code: 'c', state: begun.state }, cookie)),
    );
    expect(all.filter((a) => a.status === 200)).toHaveLength(1);
    expect(all.filter((a) => a.status === 401)).toHaveLength(15);
    expect(await database.sessions()).toBe(before + 1);
  });

  it('finishes any of several tabs, each with its own', async () => {
    const browser = createBrowser(identity);
    const tabs = [await browser.begin(), await browser.begin(), await browser.begin()];
    for (const tab of tabs.toReversed()) {
      provider.token = good(tab);
      expect((await browser.back({ code: 'c', state: tab.state })).status).toBe(200);
    }
  });

  it("of one tab does not finish another's sign-in", async () => {
    const browser = createBrowser(identity);
    const [one, two] = [await browser.begin(), await browser.begin()];
    provider.token = good(one);
    expect((await browser.back({ code: 'c', state: two.state })).status).toBe(401);
    expect(await database.lastRefusal()).toBe('INVALID_TOKEN nonce');
  });

  it('is asked for with the verifier, the client and the redirect address to the letter', async () => {
    expect((await signInWith(good)).status).toBe(200);
    const { form, authorization } = provider.lastToken();
    expect(form.get('redirect_uri')).toBe(callbackUrl);
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    expect(form.get('grant_type')).toBe('authorization_code');
    expect(Buffer.from((authorization ?? '').split(' ')[1] ?? '', 'base64').toString()).toBe(
      'overtone:a+client+secret',
    );
  });

  it.each([
    ['with the hash of its access token', { at_hash: halfHash('an access token') }],
    ['with more audiences and the client named', { aud: ['overtone', 'other'], azp: 'overtone' }],
    ['that expired half a minute ago by our clock', { exp: seconds() - 30 }],
    ['that was issued half a minute from now', { iat: seconds() + 30 }],
  ])('may come %s', async (_name, change) => {
    const fresh = 'exp' in change ? { exp: seconds() - 30 } : 'iat' in change ? { iat: seconds() + 30 } : change;
    expect(
      (await signInWith(({ nonce }) => provider.answer(provider.sign(provider.claims(nonce, fresh))))).status,
    ).toBe(200);
  });

  it('may name its issuer, and must where the provider says that it does', async () => {
    expect((await signInWith(good, () => ({ iss: provider.issuer }))).status).toBe(200);
  });
});

describe('an address of the ID token', () => {
  const subject = { sub: 'subject-of-admin', email: 'Ada.Admin@example.org' };
  it.each([true, 'true', undefined])('never takes over the super_admin, verified %j', async (email_verified) => {
    const answer = await signInWith(({ nonce }) =>
      provider.answer(provider.sign(provider.claims(nonce, { ...subject, email_verified }))),
    );
    expect(answer.status).toBe(401);
    expect(await database.lastRefusal()).toContain('ACCOUNT_LINK_REFUSED');
  });
});
