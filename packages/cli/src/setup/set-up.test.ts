import { describe, expect, it } from '@jest/globals';
import { adminEmail } from './set-up.ts';

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
