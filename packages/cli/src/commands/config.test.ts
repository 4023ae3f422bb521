import { describe, expect, it } from '@jest/globals';
import { settingsOf } from './config.command.ts';

describe('settingsOf', () => {
  it('covers secrets and shows the files they are in', () => {
    const shown = settingsOf({
      JWT_SECRET_KEY: 'abc',
      JWT_SECRET_KEY_FILE: '/run/key',
      LDAP_SERVER: 'ldap.example.org',
    });
    expect(shown).toEqual([
      ['JWT_SECRET_KEY', '(set)'],
      ['JWT_SECRET_KEY_FILE', '/run/key'],
      ['LDAP_SERVER', 'ldap.example.org'],
    ]);
  });

  it('leaves out what no service reads', () => {
    expect(settingsOf({ HOME: '/root', PATH: '/bin' })).toEqual([]);
  });
});
