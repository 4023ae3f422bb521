import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createAccessTokens } from './tokens.ts';

const secret = 'a secret that is long enough for HS256';
const tokens = createAccessTokens({ secret, lifetimeSeconds: () => 900 });
const who = { userId: randomUUID(), sessionId: randomUUID(), role: 'user' } as const;
const good = { sid: who.sessionId, role: 'user', type: 'access' };
const options = { subject: who.userId, jwtid: randomUUID(), expiresIn: 60 } as const;

function b64(content: object) {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

const now = Math.floor(Date.now() / 1000);
const body = { ...good, sub: who.userId, jti: randomUUID(), iat: now, exp: now + 60 };

function handmade(header: object, key: string, algorithm = 'sha256', payload = b64(body)) {
  const text = `${b64(header)}.${payload}`;
  return `${text}.${createHmac(algorithm, key).update(text).digest('base64url')}`;
}

describe('access tokens', () => {
  it('carry subject, session, role, type, id, issue and end', () => {
    const claims = tokens.verify(tokens.sign(who));
    expect(claims).toMatchObject({ sub: who.userId, sid: who.sessionId, role: 'user', type: 'access' });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(900);
    expect(claims?.jti).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are valid when encoded by the test with the right key and algorithm (baseline of the tests below)', () => {
    expect(tokens.verify(handmade({ alg: 'HS256', typ: 'JWT' }, secret))).not.toBeNull();
  });

  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  const [head, payload, signature] = tokens.sign(who).split('.');
  const refused: Record<string, string> = {
    'an empty token': '',
    'not a token': 'a.b.c',
    'a token without signature': `${head}.${payload}.`,
    'the algorithm none': `${b64({ alg: 'none', typ: 'JWT' })}.${b64(body)}.`,
    'the algorithm None in other letters': `${b64({ alg: 'nOnE' })}.${b64(body)}.`,
    'none with a signature': handmade({ alg: 'none' }, secret),
    'another key': handmade({ alg: 'HS256' }, 'another key that is long enough too'),
    'an empty key': handmade({ alg: 'HS256' }, ''),
    'a longer hash with the right key': handmade({ alg: 'HS512' }, secret, 'sha512'),
    'a header that claims HS384 over an HS256 signature': handmade({ alg: 'HS384' }, secret),
    'an RSA signature': jwt.sign(good, privateKey, { ...options, algorithm: 'RS256' }),
    'a public key taken for a secret': handmade({ alg: 'HS256' }, String(pem)),
    'a changed payload': `${head}.${b64({ ...body, role: 'super_admin' })}.${signature}`,
    'an expired token': jwt.sign(good, secret, { ...options, expiresIn: -1 }),
    'a token of tomorrow': jwt.sign(good, secret, { ...options, notBefore: 3600 }),
    'a token without end': jwt.sign(good, secret, { subject: who.userId, jwtid: randomUUID() }),
    'a refresh token': jwt.sign({ ...good, type: 'refresh' }, secret, options),
    'a second-factor token': jwt.sign({ ...good, type: 'mfa' }, secret, options),
    'a token without type': jwt.sign({ sid: who.sessionId, role: 'user' }, secret, options),
    'a token without session': jwt.sign({ role: 'user', type: 'access' }, secret, options),
    'an unknown role': jwt.sign({ ...good, role: 'root' }, secret, options),
    'a subject that is no id': jwt.sign(good, secret, { ...options, subject: "' or 1=1" }),
    'a payload that is no object': jwt.sign('text', secret),
    'a key of its own in the header': (() => {
      const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const jwk = own.publicKey.export({ format: 'jwk' });
      return jwt.sign(good, own.privateKey, { ...options, algorithm: 'RS256', header: { alg: 'RS256', jwk } as never });
    })(),
    'the bytes of a public key (DER) taken for a secret': handmade(
      { alg: 'HS256' },
      publicKey.export({ type: 'spki', format: 'der' }).toString('latin1'),
    ),
    'a public key as JWK taken for a secret': handmade(
      { alg: 'HS256' },
      JSON.stringify(publicKey.export({ format: 'jwk' })),
    ),
    'a header without an algorithm': handmade({ typ: 'JWT' }, secret),
    'an extension that must be understood': handmade({ alg: 'HS256', crit: ['b64'], b64: true }, secret),
    'an algorithm that is a list': handmade({ alg: ['HS256'] }, secret),
    'the signature of another token': `${head}.${b64({ ...body, jti: randomUUID() })}.${signature}`,
    'a part too many': `${head}.${payload}.${signature}.${signature}`,
    'spaces around it': ` ${head}.${payload}.${signature} `,
  };
  it.each([
    '1e308',
    '1e400',
    '8640000000001',
    '1e15',
    `${now + 60}.5`,
    '"9999999999"',
    'null',
    '[9999999999]',
    '-1',
    'true',
  ])('are refused with the expiry %s and the right key', (exp) => {
    const { exp: _, ...rest } = body;
    const payload = Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"exp":${exp}}`).toString('base64url');
    expect(tokens.verify(handmade({ alg: 'HS256', typ: 'JWT' }, secret, 'sha256', payload))).toBeNull();
  });

  it.each(Object.entries(refused))('refuses %s', (_what, token) => {
    expect(tokens.verify(token)).toBeNull();
  });
});
