import { describe, expect, it } from '@jest/globals';
import {
  applyEdit,
  errorOfValue,
  failedWhenTested,
  mustReenterSecret,
  canReset,
  shownValue,
  type ConfigItem,
} from './draft.ts';

function item(config_key: string, more: Partial<ConfigItem> = {}): ConfigItem {
  return {
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
  };
}

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

describe('failedWhenTested', () => {
  const off = item('ldap_enabled', { data_type: 'boolean', config_value: false, default_value: false });
  const on = { ldap_enabled: true, ldap_server: 'other' };
  const failed = { edits: { ldap_server: 'other' }, success: false };
  it('is true when a source is switched on with the values whose test failed', () =>
    expect(failedWhenTested('ldap', [off, server], on, failed)).toBe(true));
  it.each([
    ['that stays off', { ldap_server: 'other' }, failed],
    ['without a test', on, null],
    ['whose test passed', on, { ...failed, success: true }],
    ['that was changed since its test', { ...on, ldap_server: 'third' }, failed],
  ])('is false for a source %s', (_, edits, tested) =>
    expect(failedWhenTested('ldap', [off, server], edits, tested)).toBe(false),
  );
});

describe('applyEdit', () => {
  it('removes a change when the stored value is entered again', () => {
    const changed = applyEdit(items, {}, 'ldap_server', 'other');
    expect(changed).toEqual({ ldap_server: 'other' });
    expect(applyEdit(items, changed, 'ldap_server', 'ldap.example.org')).toEqual({});
  });
  it('removes the change of a secret when its field is emptied, because an empty field keeps the stored secret', () =>
    expect(applyEdit(items, { ldap_bind_password: 'x' }, 'ldap_bind_password', '')).toEqual({}));
  it('shows the default of a setting that is reset', () =>
    expect(shownValue(server, applyEdit(items, {}, 'ldap_server', null))).toBe(''));
  it('switches to the standard port with LDAPS', () =>
    expect(applyEdit(items, {}, 'ldap_use_ssl', false)).toEqual({ ldap_use_ssl: false, ldap_port: 389 }));
  it('has no change after switching LDAPS off and on', () =>
    expect(applyEdit(items, applyEdit(items, {}, 'ldap_use_ssl', false), 'ldap_use_ssl', true)).toEqual({}));
  it('keeps a custom port when LDAPS is switched', () =>
    expect(applyEdit(items, { ldap_port: 10_636 }, 'ldap_use_ssl', false)).toEqual({
      ldap_port: 10_636,
      ldap_use_ssl: false,
    }));
});

describe('errorOfValue', () => {
  it.each([
    [0, 'Enter a number from 1 to 65535.'],
    [65_536, 'Enter a number from 1 to 65535.'],
    [1.5, 'Enter a whole number.'],
    ['', 'Enter a whole number.'],
    [389, null],
  ])('for the port %p is %p', (value, error) => expect(errorOfValue(port, { ldap_port: value })).toBe(error));
  it('is null for a text, which only the server checks', () =>
    expect(errorOfValue(server, { ldap_server: '' })).toBeNull());
});

it('can reset stored settings, except secrets', () =>
  expect([canReset(server, {}), canReset(secret, {}), canReset(port, {})]).toEqual([true, false, false]));

describe('mustReenterSecret', () => {
  it.each([
    ['nothing changes', {}, false],
    ['another setting changes', { ldap_timeout: 3 }, false],
    ['the server changes', { ldap_server: 'other.example.org' }, true],
    ['the encryption changes', { ldap_use_ssl: false }, true],
    ['the server changes and the secret is entered', { ldap_server: 'o', ldap_bind_password: 'x' }, false],
    ['the server changes and the secret is deleted', { ldap_server: 'o', ldap_bind_password_clear: true }, false],
  ])('when %s is %p', (_when, edits, expected) => {
    expect(mustReenterSecret(secret, edits)).toBe(expected);
  });
  it('is false without a stored secret', () => {
    expect(mustReenterSecret({ ...secret, is_set: false }, { ldap_server: 'o' })).toBe(false);
  });
});
