import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adminEmail, givenAdministrator } from './set-up.ts';

function before(adminAnnounced: boolean) {
  return { port: 8080, ports: {}, adminAnnounced, adminEmail: 'ada@example.org' };
}

describe('adminEmail', () => {
  it('is a valid address by default', () => {
    expect(adminEmail(undefined, undefined)).toMatch(/^[a-z]+@[a-z]+\.[a-z]+$/);
  });

  it('can be changed after a failed first start', () => {
    expect(adminEmail(before(false), 'bob@example.org')).toBe('bob@example.org');
  });

  it('is fixed after the password was shown', () => {
    expect(adminEmail(before(true), 'bob@example.org')).toBe('ada@example.org');
  });
});

describe('the first administrator of the environment', () => {
  it('is also read from the files that it names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'first-administrator-'));
    const file = join(folder, 'password');
    writeFileSync(file, 'Correct-Horse-9\n');
    const given = givenAdministrator({ OT_ADMIN_EMAIL: 'ada@example.org', OT_ADMIN_PASSWORD_FILE: file });
    rmSync(folder, { recursive: true });
    expect(given).toEqual({ OT_ADMIN_EMAIL: 'ada@example.org', OT_ADMIN_PASSWORD: 'Correct-Horse-9' });
    expect(givenAdministrator({ OT_ADMIN_PASSWORD: '' })).toEqual({});
  });
});
