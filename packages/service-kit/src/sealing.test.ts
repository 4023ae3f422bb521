import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { parseKeyRing, seal, unseal } from './sealing.ts';

function encoded(): string {
  return randomBytes(32).toString('base64');
}

const ring = parseKeyRing(encoded());
const name = 'ldap_bind_password';

describe('a sealed secret', () => {
  it.each(['x', 'Pä55wörd 🔑', 'a'.repeat(4096)])('opens again: %#', (secret) => {
    expect(unseal(ring, name, seal(ring, name, secret))).toBe(secret);
  });

  it('never looks the same twice and never holds the secret', () => {
    const all = Array.from({ length: 1_000 }, () => seal(ring, name, 'open sesame').text);
    expect(new Set(all.map((text) => text.slice(0, 16))).size).toBe(1_000);
    expect(all.some((text) => Buffer.from(text, 'base64').toString('latin1').includes('sesame'))).toBe(false);
  });

  it('does not open under the name of another setting', () => {
    expect(unseal(ring, 'oidc_client_secret', seal(ring, name, 'open sesame'))).toBeNull();
  });

  it('does not open when any byte of it was altered, cut off or added', () => {
    const { keyId, text } = seal(ring, name, 'open sesame');
    const bytes = Buffer.from(text, 'base64');
    for (let i = 0; i < bytes.length; i++) {
      const altered = Buffer.from(bytes);
      altered[i] = (altered[i] as number) ^ 1;
      expect(unseal(ring, name, { keyId, text: altered.toString('base64') })).toBeNull();
      expect(unseal(ring, name, { keyId, text: bytes.subarray(0, i).toString('base64') })).toBeNull();
    }
    expect(unseal(ring, name, { keyId, text: Buffer.concat([bytes, bytes]).toString('base64') })).toBeNull();
    expect(unseal(ring, name, { keyId, text: 'not base64 at all!' })).toBeNull();
  });

  it('does not open with another key of the same name, nor with an unknown key name', () => {
    const [first, second] = [parseKeyRing(`k:${encoded()}`), parseKeyRing(`k:${encoded()}`)];
    expect(unseal(second, name, seal(first, name, 'open sesame'))).toBeNull();
    expect(unseal(parseKeyRing(`other:${encoded()}`), name, seal(first, name, 'open sesame'))).toBeNull();
  });
});

describe('keys', () => {
  it('seal with the first and open with all', () => {
    const [older, newer] = [`old:${encoded()}`, `new:${encoded()}`];
    const before = seal(parseKeyRing(older), name, 'open sesame');
    const both = parseKeyRing(`${newer}, ${older}`);
    expect(unseal(both, name, before)).toBe('open sesame');
    expect(seal(both, name, 'x').keyId).toBe('new');
  });

  it('without a name are known by their fingerprint, which is not the key', () => {
    const key = encoded();
    const { keyId } = seal(parseKeyRing(key), name, 'x');
    expect(keyId).toBe(seal(parseKeyRing(key), name, 'y').keyId);
    expect(keyId).toMatch(/^[0-9a-f]{16}$/);
    expect(Buffer.from(key, 'base64').toString('hex')).not.toContain(keyId);
  });

  it.each([
    ['', 'nothing'],
    ['secret', 'no 32 bytes'],
    [randomBytes(16).toString('base64'), '16 bytes'],
    [`${encoded()},`, 'an empty second key'],
    [`:${encoded()}`, 'an empty name'],
    [`a b:${encoded()}`, 'a name with a space'],
    [`k:${encoded()},k:${encoded()}`, 'one name twice'],
    [`${'*'.repeat(43)}=`, 'no base64'],
  ])('that are wrong are refused without being quoted: %#: %s', (text) => {
    let said = '';
    try {
      parseKeyRing(text);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(/key/);
    expect(text === '' || !said.includes(text.slice(-20))).toBe(true);
  });
});
