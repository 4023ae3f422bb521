import { sign, verify } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ensureSecrets, inventPassword } from './secrets.ts';

describe('secrets', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overtone-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are readable by their owner only', () => {
    ensureSecrets(folder, ['redis']);
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('are kept at the next start', () => {
    const before = ensureSecrets(folder, ['redis']);
    const kept = ['redis', 'jwt_secret_key', 'encryption_key', 'assertion_private_key'].map((name) =>
      before.read(name),
    );
    const after = ensureSecrets(folder, ['redis', 'db_media']);
    expect(
      ['redis', 'jwt_secret_key', 'encryption_key', 'assertion_private_key'].map((name) => after.read(name)),
    ).toEqual(kept);
  });

  it('contain a matching key pair', () => {
    const secrets = ensureSecrets(folder, []);
    const signature = sign('sha256', Buffer.from('claim'), secrets.read('assertion_private_key'));
    expect(verify('sha256', Buffer.from('claim'), secrets.read('assertion_public_key'), signature)).toBe(true);
  });

  it('complete an interrupted key pair', () => {
    ensureSecrets(folder, []);
    rmSync(join(folder, 'assertion_private_key'));
    const secrets = ensureSecrets(folder, []);
    const signature = sign('sha256', Buffer.from('claim'), secrets.read('assertion_private_key'));
    expect(verify('sha256', Buffer.from('claim'), secrets.read('assertion_public_key'), signature)).toBe(true);
  });
});

describe('inventPassword', () => {
  it('contains every kind of character that password rules require', () => {
    const password = inventPassword();
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/, /^.{12,}$/]) expect(password).toMatch(kind);
  });

  it('is different each time', () => {
    expect(new Set(Array.from({ length: 100 }, inventPassword)).size).toBe(100);
  });
});
