import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { halfHash } from '@overtone/testkit/oidc';
import type { StartedFlow } from '../../test/oidc-browser.ts';
import { startScriptedSignIn } from '../../test/scripted-sign-in.ts';

const started = Date.now();

function seconds() {
  return Math.floor(Date.now() / 1000);
}

const world = await startScriptedSignIn();

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
    ['another audience', 'aud', { aud: 'another-value' }],
    ['an audience in other letters', 'aud', { aud: 'Overtone' }],
    ['an empty list of audiences', 'aud', { aud: [] }],
    ['an audience that is an object', 'aud', { aud: { overtone: true } }],
    ['several audiences without azp', 'aud', { aud: ['overtone', 'other'] }],
    ['more audiences and another named', 'azp', { aud: ['overtone', 'other'], azp: 'other' }],
    ['one audience and another named', 'azp', { azp: 'other' }],
    ['no expiry', 'exp', { exp: undefined }],
    ['an expiry in the past', 'exp', { exp: seconds() - 120 }],
    ['an expiry that no date can hold', 'exp', { exp: 1e308 }],
    ['an expiry that is a text', 'exp', { exp: '9999999999' }],
    ['no time of issue', 'iat', { iat: undefined }],
    ['a time of issue that is a text', 'iat', { iat: String(seconds()) }],
    ['a time of issue to come', 'iat', { iat: seconds() + 3_000 }],
    ['a time of issue before this sign-in began', 'iat', { iat: seconds() - 300 }],
    ['a time it is not good before', 'nbf', { nbf: seconds() + 3_000 }],
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
    const fixed = change['iss'] === 'slash' ? { iss: `${world.provider.issuer}/` } : change;
    const answer = await world.signInWith(({ nonce }) =>
      world.provider.answer(world.provider.sign(world.provider.claims(nonce, fixed))),
    );
    await world.expectRefusal(answer, `INVALID_TOKEN ${claim}`);
  });
});

describe('a forged ID token opens no session', () => {
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmac = (begun: StartedFlow, key: string | Buffer, header: Record<string, unknown> = {}): string => {
    const input = `${b64({ alg: 'HS256', kid: world.provider.kid, ...header })}.${b64(world.provider.claims(begun.nonce))}`;
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  };
  const publicPem = (): string =>
    createPublicKey(world.provider.key).export({ type: 'spki', format: 'pem' }).toString();
  const publicDer = (): Buffer => createPublicKey(world.provider.key).export({ type: 'spki', format: 'der' });
  const jwk = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' });
  const signed = (begun: StartedFlow, header: Record<string, unknown> = {}, key?: KeyObject): string =>
    world.provider.sign(world.provider.claims(begun.nonce), header, key);
  const part = (token: string, i: number, change: (text: string) => string): string =>
    token
      .split('.')
      .map((part, at) => (at === i ? change(part) : part))
      .join('.');
  const flip = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);

  const cases: [string, string, (flow: StartedFlow) => string][] = [
    ['without a signature (none)', 'alg', (begun) => signed(begun, { alg: 'none' })],
    [
      'without a signature (None)',
      'alg',
      (begun) => `${signed(begun, { alg: 'None' }).split('.').slice(0, 2).join('.')}.`,
    ],
    ['without a signature (NONE), with one attached', 'alg', (begun) => signed(begun, { alg: 'NONE' })],
    ['with an empty algorithm', 'alg', (begun) => signed(begun, { alg: '' })],
    ['without an algorithm', 'alg', (begun) => signed(begun, { alg: undefined })],
    ['with an algorithm that is a list', 'alg', (begun) => signed(begun, { alg: ['RS256'] })],
    ['HS256 with the public key as PEM', 'alg', (begun) => hmac(begun, publicPem())],
    ['HS256 with the public key as DER', 'alg', (begun) => hmac(begun, publicDer())],
    ['HS256 with the public key as JWK', 'alg', (begun) => hmac(begun, JSON.stringify(world.provider.keys[0]))],
    [
      'HS256 with the modulus',
      'alg',
      (begun) => hmac(begun, Buffer.from(String(world.provider.keys[0]?.['n']), 'base64url')),
    ],
    ['HS256 with the client secret', 'alg', (begun) => hmac(begun, 'a client secret')],
    ['HS256 with an empty key', 'alg', (begun) => hmac(begun, '')],
    ['HS512 named, HS256 made', 'alg', (begun) => hmac(begun, publicPem(), { alg: 'HS512' })],
    ['RS512, which this provider does not announce', 'alg', (begun) => signed(begun, { alg: 'RS512' })],
    ['PS256, which this provider does not announce', 'alg', (begun) => signed(begun, { alg: 'PS256' })],
    ['ES256, for which it has no key', 'key', (begun) => signed(begun, { alg: 'ES256' }, curve)],
    ['by another key', 'signature', (begun) => signed(begun, {}, other)],
    ['by another key that it brings along (jwk)', 'signature', (begun) => signed(begun, { jwk: jwk(other) }, other)],
    [
      'by another key that it points to (jku)',
      'key',
      (begun) => signed(begun, { jku: 'http://127.0.0.1:9/keys', kid: 'evil' }, other),
    ],
    [
      'by another key that it points to (x5u)',
      'signature',
      (begun) => signed(begun, { x5u: 'http://127.0.0.1:9/x' }, other),
    ],
    ['by another key in a certificate (x5c)', 'signature', (begun) => signed(begun, { x5c: ['AAAA'] }, other)],
    ['by an unknown key', 'key', (begun) => signed(begun, { kid: 'unknown' })],
    ['with a key id that is a path', 'key', (begun) => signed(begun, { kid: '../../dev/null' })],
    ['with an extension that is critical', 'crit', (begun) => signed(begun, { crit: ['exp'] })],
    [
      'with claims changed after signing',
      'signature',
      (begun) => part(signed(begun), 1, () => b64(world.provider.claims(begun.nonce, { sub: 'root' }))),
    ],
    [
      'with a header changed after signing',
      'signature',
      (begun) => part(signed(begun), 0, () => b64({ alg: 'RS256', kid: world.provider.kid, typ: 'x' })),
    ],
    ['with a signature changed in one bit', 'signature', (begun) => part(signed(begun), 2, flip)],
    ['with an empty signature', 'signature', (begun) => part(signed(begun), 2, () => '')],
    ['with a signature cut short', 'signature', (begun) => part(signed(begun), 2, (settings) => settings.slice(0, -8))],
    [
      'with the signature of another token',
      'signature',
      (begun) => part(signed(begun), 2, () => signed({ ...begun, nonce: 'x' }).split('.')[2] ?? ''),
    ],
    ['of two parts', 'malformed', (begun) => signed(begun).split('.').slice(0, 2).join('.')],
    ['of four parts', 'malformed', (begun) => `${signed(begun)}.x`],
    ['of five parts, encrypted', 'encrypted', (begun) => `${signed(begun)}.x.y`],
    ['that is a word', 'malformed', () => 'token'],
    ['whose header is no JSON', 'malformed', (begun) => part(signed(begun), 0, () => 'e30x')],
    ['whose claims are a list', 'malformed', () => world.provider.sign(b64([]))],
    ['whose claims are no JSON', 'malformed', () => world.provider.sign('bm90')],
  ];
  it.each(cases)('%s: INVALID_TOKEN %s', async (_name, why, token) => {
    await world.expectRefusal(
      await world.signInWith((begun) => world.provider.answer(token(begun))),
      `INVALID_TOKEN ${why}`,
    );
  });

  it('is checked without a request to addresses in the token, and fetches new keys at most once a minute', () => {
    const minutes = Math.floor((Date.now() - started) / 60_000);
    const asked = (name: string) => world.provider.asked.filter((path) => path.endsWith(name)).length;
    expect(asked('/jwks')).toBeGreaterThanOrEqual(1);
    expect(asked('/jwks')).toBeLessThanOrEqual(1 + minutes);
    expect(asked('openid-configuration')).toBe(1);
  });
});
