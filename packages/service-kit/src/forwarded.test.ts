import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createAssertionSigner, createAssertionVerifier } from './assertion.ts';
import { createForwardedSigner, createForwardedVerifier } from './forwarded.ts';

function pair() {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

const keys = pair();
const statement = { peer: '::ffff:10.0.0.1', headers: ['X-User', 'a', 'x-user', 'b', 'X-Ünicode', 'é "\\'] };
const sign = createForwardedSigner(keys.privateKey);
const verify = createForwardedVerifier(keys.publicKey);

describe("the edge's statement of what it was sent", () => {
  it('keeps names, values, order and repetitions', () => {
    expect(verify(sign(statement))).toEqual(statement);
  });

  it.each([undefined, '', 'a.b.c', `${sign(statement)}x`, createForwardedSigner(pair().privateKey)(statement)])(
    'is refused when the edge did not sign it (%#)',
    (token) => {
      expect(() => verify(token)).toThrow('did not come through the gateway');
    },
  );

  it('is no assertion of who is calling, and an assertion is no such statement', () => {
    expect(() => createAssertionVerifier(keys.publicKey, 'identity')(sign(statement))).toThrow();
    expect(() => verify(createAssertionSigner(keys.privateKey)('identity', null))).toThrow();
  });
});
