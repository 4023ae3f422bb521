import { generateKeyPairSync } from 'node:crypto';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { authSettings, type AuthSettings } from '@overtone/contracts';
import { startScriptedProvider, type TokenAnswer } from '@overtone/testkit/oidc';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { newFlow, type Flow } from './flow.ts';
import type { OidcSettings } from './oidc.ts';
import { createProvider } from './provider.adapter.ts';

const defaults = Object.fromEntries(
  Object.entries(authSettings).map(([key, def]) => [key, def.default]),
) as unknown as AuthSettings;

const scripted = await stopAfterFile(startScriptedProvider());
afterEach(() => {
  scripted.discovery = undefined;
  scripted.jwks = undefined;
});

function settings(change: Partial<OidcSettings> = {}): OidcSettings {
  return {
    ...defaults,
    oidc_enabled: true,
    oidc_discovery_url: scripted.issuer,
    oidc_client_id: 'overtone',
    oidc_client_secret: 'secret',
    oidc_callback_url: 'http://localhost:8080/login',
    oidc_timeout: 20,
    ...change,
  };
}

function begin(change: Partial<OidcSettings> = {}, provider = createProvider()) {
  const oidcSettings = settings(change);
  return provider.begin(oidcSettings, newFlow(oidcSettings));
}

async function finish(
  answer: (flow: Flow) => TokenAnswer,
  change: Partial<OidcSettings> = {},
  provider = createProvider(),
  iss?: string,
) {
  const oidcSettings = settings(change);
  const flow = newFlow(oidcSettings);
  scripted.token = answer(flow);
  return provider.finish(oidcSettings, flow, { code: 'c', state: flow.state, iss });
}

function good(flow: Flow, change: Record<string, unknown> = {}): TokenAnswer {
  return scripted.answer(scripted.sign(scripted.claims(flow.nonce, change)));
}

function why(result: Awaited<ReturnType<typeof begin>> | Awaited<ReturnType<typeof finish>>): string {
  return result.ok ? 'ok' : `${result.errorCode} ${result.reason}`;
}

async function withMetadata<T>(metadata: Record<string, unknown>, work: () => Promise<T>): Promise<T> {
  scripted.metadata = metadata;
  try {
    return await work();
  } finally {
    scripted.metadata = {};
  }
}

describe('an unusable discovery document prevents the redirect', () => {
  const json = { 'content-type': 'application/json' };
  const answers: [string, TokenAnswer][] = [
    ['404', { status: 404, body: 'no' }],
    ['500', { status: 500, body: {} }],
    ['a redirect', { status: 301, headers: { location: 'https://evil.example.org/' }, body: '' }],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<p>' }],
    ['broken JSON', { headers: json, body: '{"issuer":' }],
    ['a list', { headers: json, body: '[]' }],
    ['more than a mebibyte', { headers: json, body: `{"x":"${'x'.repeat(1_100_000)}"}` }],
    ['nothing, for ever', 'hang'],
    ['one byte at a time', 'drip'],
    ['a reset', 'reset'],
    ['half of it', 'half'],
  ];
  it.each(answers)('%s', async (_name, answer) => {
    scripted.discovery = answer;
    const short = answer === 'hang' || answer === 'drip' ? { oidc_timeout: 1 } : {};
    expect(why(await begin(short))).toMatch(/^PROVIDER_UNAVAILABLE \w/);
  });

  const documents: [string, Record<string, unknown>][] = [
    ['of another issuer', { issuer: 'https://evil.example.org' }],
    ['without an issuer', { issuer: undefined }],
    ['without a place to sign in', { authorization_endpoint: undefined }],
    ['that would run a script', { authorization_endpoint: 'javascript:alert(1)' }],
    ['that sends people over plain HTTP', { authorization_endpoint: 'http://idp.example.org/authorize' }],
    ['without a token endpoint', { token_endpoint: undefined }],
    ['with a token endpoint over plain HTTP', { token_endpoint: 'http://idp.example.org/token' }],
    ['with a token endpoint that is a file', { token_endpoint: 'file:///etc/passwd' }],
    ['without keys', { jwks_uri: undefined }],
    ['with keys over plain HTTP', { jwks_uri: 'http://idp.example.org/jwks' }],
    ['with keys that are no address', { jwks_uri: 'keys' }],
    ['that signs with a shared key only', { id_token_signing_alg_values_supported: ['HS256'] }],
    ['that does not sign', { id_token_signing_alg_values_supported: ['none'] }],
    ['that names no algorithm', { id_token_signing_alg_values_supported: [] }],
    ['whose algorithms are a text', { id_token_signing_alg_values_supported: 'RS256' }],
  ];
  it.each(documents)('one %s', async (_name, metadata) => {
    expect(why(await withMetadata(metadata, () => begin()))).toMatch(/^PROVIDER_UNAVAILABLE \w/);
  });

  it('of an issuer over plain HTTP on another machine, without a request', async () => {
    expect(why(await begin({ oidc_discovery_url: 'http://idp.example.org' }))).toBe(
      'PROVIDER_UNAVAILABLE insecure_address',
    );
  });
});

describe('a provider that is unreachable', () => {
  const listen = (server: Server): Promise<string> =>
    new Promise((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
    );

  it('is reported', async () => {
    const server = createServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(why(await begin({ oidc_discovery_url: url }))).toBe('PROVIDER_UNAVAILABLE unreachable');
  });

  it.each([
    ['takes the connection and says nothing', () => {}],
    ['closes its half at once', (end: () => void) => end()],
  ])('and %s is reported in bounded time', async (_name, act) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      act(() => socket.end());
    });
    const url = await listen(server);
    expect(why(await begin({ oidc_discovery_url: url, oidc_timeout: 1 }))).toMatch(
      /^PROVIDER_UNAVAILABLE (timeout|unreachable)$/,
    );
    server.close();
  });

  it('with its keys refuses the token', async () => {
    for (const jwks of ['hang', 'reset', { status: 500, body: {} }, { body: { keys: 'x' } }] as const) {
      scripted.jwks = jwks;
      expect(why(await finish(good, jwks === 'hang' ? { oidc_timeout: 2 } : {}))).not.toBe('ok');
    }
    scripted.jwks = undefined;
    expect(why(await finish(good))).toBe('ok');
  });
});

describe('the discovery document', () => {
  const count = (name: string) => scripted.asked.filter((path) => path.endsWith(name)).length;

  it('is fetched once in 15 minutes for all sign-ins', async () => {
    let now = Date.now();
    const provider = createProvider(() => now);
    const before = count('openid-configuration');
    await Promise.all([begin({}, provider), begin({}, provider), begin({}, provider)]);
    now += 14 * 60_000;
    await begin({}, provider);
    expect(count('openid-configuration')).toBe(before + 1);
    now += 2 * 60_000;
    await begin({}, provider);
    expect(count('openid-configuration')).toBe(before + 2);
  });

  it('is fetched again when a setting changes', async () => {
    const provider = createProvider();
    const before = count('openid-configuration');
    await begin({}, provider);
    await begin({ oidc_scopes: 'openid' }, provider);
    expect(count('openid-configuration')).toBe(before + 2);
  });

  it('is fetched again soon after a failure, but not by all requests concurrently', async () => {
    let now = Date.now();
    const provider = createProvider(() => now);
    const before = count('openid-configuration');
    scripted.discovery = { status: 503, body: {} };
    for (let i = 0; i < 5; i++) expect(why(await begin({}, provider))).not.toBe('ok');
    expect(count('openid-configuration')).toBe(before + 1);
    scripted.discovery = undefined;
    now += 2_001;
    expect(why(await begin({}, provider))).toBe('ok');
  });

  it('does not fetch the keys repeatedly for an unknown key', async () => {
    const provider = createProvider();
    expect(why(await finish(good, {}, provider))).toBe('ok');
    const before = count('jwks');
    const unknown = (flow: Flow) => scripted.answer(scripted.sign(scripted.claims(flow.nonce), { kid: 'unknown' }));
    for (let i = 0; i < 20; i++) expect(why(await finish(unknown, {}, provider))).toBe('INVALID_TOKEN key');
    expect(count('jwks')).toBe(before);
  });
});

describe('keys that the provider has changed', () => {
  it('are fetched once, a minute after the last time, and the sign-in succeeds', async () => {
    const provider = createProvider(() => Date.now());
    expect(why(await finish(good, {}, provider))).toBe('ok');
    const { keys } = scripted;
    cleanUpAfterTest(() => (scripted.keys = keys));
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    scripted.keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-2', alg: 'RS256' }];
    const rotated = (flow: Flow) =>
      scripted.answer(scripted.sign(scripted.claims(flow.nonce), { kid: 'key-2' }, privateKey));
    expect(why(await finish(rotated, {}, provider))).toBe('INVALID_TOKEN key');
    const real = Date.now;
    const later = jest.spyOn(Date, 'now').mockImplementation(() => real() + 61_000);
    cleanUpAfterTest(() => later.mockRestore());
    const before = scripted.asked.filter((path) => path === '/jwks').length;
    expect(why(await finish(rotated, {}, provider))).toBe('ok');
    expect(why(await finish(rotated, {}, provider))).toBe('ok');
    expect(scripted.asked.filter((path) => path === '/jwks')).toHaveLength(before + 1);
  });
});

describe('the response of another provider', () => {
  const issuerAlwaysSent = { authorization_response_iss_parameter_supported: true };
  it('is refused by its iss parameter', async () => {
    expect(why(await finish(good, {}, createProvider(), 'https://evil.example.org'))).toBe('INVALID_STATE iss');
  });
  it('is refused without iss parameter when this provider always sends it', async () => {
    expect(why(await withMetadata(issuerAlwaysSent, () => finish(good)))).toBe('INVALID_STATE iss');
    expect(why(await withMetadata(issuerAlwaysSent, () => finish(good, {}, createProvider(), scripted.issuer)))).toBe(
      'ok',
    );
  });
});

describe('the issuer', () => {
  it('is spelled as in the discovery document, not as in the setting', async () => {
    const issuer = `${scripted.issuer}/`;
    const result = await withMetadata({ issuer }, () => finish((flow) => good(flow, { iss: issuer })));
    expect(result.ok && result.claims.iss).toBe(issuer);
  });
});

describe('settings', () => {
  it('audience: a token for it is accepted, one for the client id is not', async () => {
    const change = { oidc_audience: 'api://overtone' };
    expect(why(await finish((flow) => good(flow, { aud: 'api://overtone' }), change))).toBe('ok');
    expect(scripted.lastToken().authorization).toBe(`Basic ${Buffer.from('overtone:secret').toString('base64')}`);
    expect(why(await finish(good, change))).toBe('INVALID_TOKEN aud');
  });

  it('client secret: sent with the method of the provider, and not by a public client', async () => {
    const post = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    expect(why(await withMetadata(post, () => finish(good)))).toBe('ok');
    expect(Object.fromEntries(scripted.lastToken().form)).toMatchObject({
      client_id: 'overtone',
      client_secret: 'secret',
    });
    expect(why(await finish(good, { oidc_client_secret: '' }))).toBe('ok');
    expect(scripted.lastToken()).toMatchObject({ authorization: undefined });
    expect(Object.fromEntries(scripted.lastToken().form)).toMatchObject({ client_id: 'overtone' });
  });

  it('callback address: sent unchanged, without URL normalisation', async () => {
    const oidc_callback_url = 'HTTP://LocalHost:8080/login?from=idp';
    expect(why(await finish(good, { oidc_callback_url }))).toBe('ok');
    expect(scripted.lastToken().form.get('redirect_uri')).toBe(oidc_callback_url);
    const begun = await begin({ oidc_callback_url });
    expect(begun.ok && new URL(begun.url).searchParams.get('redirect_uri')).toBe(oidc_callback_url);
  });

  it('scopes: requested as configured, always with openid', async () => {
    const begun = await begin({ oidc_scopes: 'email groups' });
    expect(begun.ok && new URL(begun.url).searchParams.get('scope')).toBe('openid email groups');
  });

  it('server and realm: make the issuer', async () => {
    const issuer = `${scripted.issuer}/realms/main`;
    const change = { oidc_discovery_url: '', oidc_server_url: scripted.issuer, oidc_realm: 'main' };
    expect(why(await withMetadata({ issuer }, () => begin(change)))).toBe('ok');
    expect(scripted.asked.at(-1)).toBe('/realms/main/.well-known/openid-configuration');
  });
});

describe('claims that the ID token does not contain', () => {
  const without = (flow: Flow) => good(flow, { groups: undefined, email: undefined });
  const claimsOf = async (answer: (flow: Flow) => TokenAnswer = without, change: Partial<OidcSettings> = {}) => {
    const result = await finish(answer, change);
    if (!result.ok) throw new Error(why(result));
    return result.claims;
  };
  const info = { sub: 'subject-1', email: 'una@example.org', email_verified: true, groups: ['staff'] };

  it('are taken from the user info of the same subject', async () => {
    scripted.userInfo = { body: info };
    expect(await claimsOf()).toMatchObject(info);
  });

  it.each<[string, TokenAnswer]>([
    ['of another subject', { body: { ...info, sub: 'another-value' } }],
    ['without a subject', { body: { groups: ['admins'] } }],
    ['that fails', { status: 500, body: {} }],
    ['that is no JSON', { headers: { 'content-type': 'application/json' }, body: 'x' }],
    ['that never comes', 'hang'],
  ])('stay unknown with a user info %s', async (_name, userInfo) => {
    scripted.userInfo = userInfo;
    const claims = await claimsOf(without, userInfo === 'hang' ? { oidc_timeout: 3 } : {});
    expect(claims['groups']).toBeUndefined();
    expect(claims['email']).toBeUndefined();
  });

  it('do not verify the address of the ID token by the user info of another address', async () => {
    scripted.userInfo = { body: { ...info, email: 'real@example.org' } };
    const claims = await claimsOf((flow) => good(flow, { groups: undefined, email: 'root@example.org' }));
    expect(claims['email']).toBe('root@example.org');
    expect(claims['email_verified']).toBeUndefined();
  });

  it('cannot replace claims of the ID token', async () => {
    scripted.userInfo = { body: { ...info, groups: ['admins'], realm_access: { roles: ['admin'] }, nonce: 'x' } };
    const claims = await claimsOf((flow) => good(flow, { email: undefined }));
    expect(claims).toMatchObject({ groups: ['staff'], realm_access: { roles: ['user'] } });
  });
});
