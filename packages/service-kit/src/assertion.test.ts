import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { createAssertionSigner, createAssertionVerifier, type Caller } from './assertion.ts';

function keys() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    priv: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    pub: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

const caller: Caller = {
  userId: 'a3e1f2f4-6f0c-4d3c-9d3b-8f3f5ad1c111',
  sessionId: 'b3e1f2f4-6f0c-4d3c-9d3b-8f3f5ad1c222',
  role: 'admin',
  tokenExpiresAt: 1_800_000_000_000,
};
const { priv, pub } = keys();
const sign = createAssertionSigner(priv);
const whoIs = createAssertionVerifier(pub, 'media');

describe('identity assertion', () => {
  it('carries the caller from the edge to the service', () => {
    expect(whoIs(sign('media', caller))).toEqual(caller);
  });

  it('states that no user is signed in', () => {
    expect(whoIs(sign('media', null))).toBeNull();
  });

  it('is good for one service only', () => {
    expect(() => whoIs(sign('identity', caller))).toThrow('did not come through the gateway');
  });

  it('is refused when another key signed it', () => {
    expect(() => whoIs(createAssertionSigner(keys().priv)('media', caller))).toThrow(
      'did not come through the gateway',
    );
  });

  it('is refused with any other algorithm, the public key as a shared secret included', () => {
    const forged = jwt.sign({ sid: caller.sessionId, role: 'super_admin' }, 'secret', {
      audience: 'media',
      subject: caller.userId,
    });
    const none = jwt.sign({ role: 'super_admin' }, '', {
      algorithm: 'none',
      audience: 'media',
      subject: caller.userId,
    });
    for (const token of [forged, none]) expect(() => whoIs(token)).toThrow('did not come through the gateway');
  });

  it('that ended while the request waited means an overload, not a session that ended', () => {
    const old = jwt.sign({ iat: Math.floor(Date.now() / 1000) - 60 }, priv, {
      algorithm: 'ES256',
      audience: 'media',
      expiresIn: 30,
    });
    expect(() => whoIs(old)).toThrow(expect.objectContaining({ kind: 'unavailable', retryAfterSeconds: 15 }));
    const foreign = jwt.sign({ iat: 0, exp: 1 }, keys().priv, { algorithm: 'ES256', audience: 'media' });
    expect(() => whoIs(foreign)).toThrow('did not come through the gateway');
  });

  it('is refused when it is missing', () => {
    expect(() => whoIs(undefined)).toThrow('did not come through the gateway');
  });
});
