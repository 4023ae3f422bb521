import { describe, expect, it } from '@jest/globals';
import { edit, faultOf, isNeededAgain, mayReset, shownOf, type ConfigItem } from './draft.ts';

const item = (config_key: string, more: Partial<ConfigItem> = {}): ConfigItem => ({
  config_key,
  config_value: null,
  is_sensitive: false,
  is_set: false,
  origin: 'default',
  category: 'ldap',
  data_type: 'string',
  default_value: '',
  description: '',
  updated_at: null,
  updated_by: null,
  ...more,
});
const ssl = item('ldap_use_ssl', { data_type: 'boolean', config_value: true, default_value: true });
const port = item('ldap_port', {
  data_type: 'integer',
  config_value: 636,
  default_value: 636,
  minimum: 1,
  maximum: 65_535,
});
const server = item('ldap_server', { config_value: 'ldap.example.org', is_set: true, origin: 'stored' });
const secret = item('ldap_bind_password', { is_sensitive: true, is_set: true, origin: 'stored' });
const items = [ssl, port, server, secret];

describe('a change', () => {
  it('is none when the value is typed back', () => {
    const changed = edit(items, {}, 'ldap_server', 'other');
    expect(changed).toEqual({ ldap_server: 'other' });
    expect(edit(items, changed, 'ldap_server', 'ldap.example.org')).toEqual({});
  });
  it('of a secret is none when the field is emptied again, because empty keeps the stored one', () =>
    expect(edit(items, { ldap_bind_password: 'x' }, 'ldap_bind_password', '')).toEqual({}));
  it('back to the default shows the default', () =>
    expect(shownOf(server, edit(items, {}, 'ldap_server', null))).toBe(''));
  it('of LDAPS takes the usual port along', () =>
    expect(edit(items, {}, 'ldap_use_ssl', false)).toEqual({ ldap_use_ssl: false, ldap_port: 389 }));
  it('of LDAPS and back leaves nothing changed', () =>
    expect(edit(items, edit(items, {}, 'ldap_use_ssl', false), 'ldap_use_ssl', true)).toEqual({}));
  it('of LDAPS leaves a port of one’s own alone', () =>
    expect(edit(items, { ldap_port: 10_636 }, 'ldap_use_ssl', false)).toEqual({
      ldap_port: 10_636,
      ldap_use_ssl: false,
    }));
});

describe('a fault', () => {
  it.each([
    [0, 'It must be from 1 to 65535.'],
    [65_536, 'It must be from 1 to 65535.'],
    [1.5, 'It must be a whole number.'],
    ['', 'It must be a whole number.'],
    [389, null],
  ])('of the port %p is %p', (value, words) => expect(faultOf(port, { ldap_port: value })).toBe(words));
  it('is none of a text: the service judges it', () => expect(faultOf(server, { ldap_server: '' })).toBeNull());
});

it('offers the default only where something is stored, and never for a secret', () =>
  expect([mayReset(server, {}), mayReset(secret, {}), mayReset(port, {})]).toEqual([true, false, false]));

describe('a stored secret', () => {
  it.each([
    ['nothing is changed', {}, false],
    ['something else is changed', { ldap_timeout: 3 }, false],
    ['the server is another', { ldap_server: 'other.example.org' }, true],
    ['the encryption is another', { ldap_use_ssl: false }, true],
    ['the server is another and it is given', { ldap_server: 'o', ldap_bind_password: 'x' }, false],
    ['the server is another and it is to be forgotten', { ldap_server: 'o', ldap_bind_password_clear: true }, false],
  ])('is needed once more or not: %s', (_when, edits, needed) => {
    expect(isNeededAgain(secret, edits)).toBe(needed);
  });
  it('that there is none is not needed', () => {
    expect(isNeededAgain({ ...secret, is_set: false }, { ldap_server: 'o' })).toBe(false);
  });
});
