import { describe, expect, it } from '@jest/globals';
import { authSettings, type AuthSettingKey } from '@overtone/contracts';
import { readEnv } from '@overtone/service-kit';
import { planChanges } from './change-plan.ts';
import { seedsOf, seedVariables } from './seeds.ts';
import { effective, settingKeys, valueFault, type SettingValue, type Stored } from './settings.ts';

function seeds(source: Record<string, string>) {
  return seedsOf(readEnv(seedVariables, source));
}

const nothing: Stored = new Map();

function store(values: Partial<Record<AuthSettingKey, SettingValue | undefined>>): Stored {
  return new Map(Object.entries(values)) as Stored;
}

describe('every setting', () => {
  it.each(settingKeys)('%s accepts its default and its bounds, and no other values', (key) => {
    const def = authSettings[key];
    expect(valueFault(key, def.default)).toBeNull();
    for (const wrong of [null, undefined, {}, [], Number.NaN]) expect(valueFault(key, wrong)).not.toBeNull();
    if (def.type === 'boolean') for (const wrong of [0, 'true', '']) expect(valueFault(key, wrong)).not.toBeNull();
    if (def.type === 'integer') {
      expect([def.min, def.max].map((value) => valueFault(key, value))).toEqual([null, null]);
      for (const wrong of [def.min - 1, def.max + 1, def.min + 0.5, `${def.min}`, true])
        expect(valueFault(key, wrong)).not.toBeNull();
    }
    if (def.type === 'string') {
      expect(valueFault(key, def.choices ? def.choices[0] : 'x'.repeat(def.max))).toBeNull();
      for (const wrong of ['x'.repeat(def.max + 1), 'a\0b', 'a\u001bb', '\ud800', 7, true])
        expect(valueFault(key, wrong)).not.toBeNull();
    }
  });

  it.each(settingKeys)('%s has the precedence stored, environment, default', (key) => {
    const def = authSettings[key];
    const other = def.type === 'boolean' ? !def.default : def.type === 'integer' ? def.max : (def.choices?.[1] ?? 'x');
    const seeded = seeds({ [key.toUpperCase()]: String(other) });
    const seen = (stored: Stored, environment: typeof seeded) => {
      const { values, origins } = effective(stored, environment);
      return [values[key], origins[key]];
    };
    expect(seen(nothing, {})).toEqual([def.default, 'default']);
    expect(seen(nothing, seeded)).toEqual([other, 'environment']);
    expect(seen(store({ [key]: def.default }), seeded)).toEqual([def.default, 'stored']);
  });

  it('that is stored with an invalid value falls back to the environment or default', () => {
    const { values, origins } = effective(store({ ldap_port: 'many', ldap_use_ssl: 'yes' }), { ldap_port: 389 });
    expect(values).toMatchObject({ ldap_port: 389, ldap_use_ssl: true });
    expect(origins).toMatchObject({ ldap_port: 'unreadable', ldap_use_ssl: 'unreadable' });
  });

  it('that is secret and cannot be unsealed is empty, also with a value in the environment', () => {
    const { values, origins } = effective(store({ ldap_bind_password: undefined }), { ldap_bind_password: 'seed' });
    expect([values.ldap_bind_password, origins.ldap_bind_password]).toEqual(['', 'unreadable']);
  });
});

describe('seeds from the environment', () => {
  it.each(['true', 'TRUE', '1', 'yes', 'on'])('%s is true', (text) => {
    expect(seeds({ LDAP_ENABLED: text })).toEqual({ ldap_enabled: true });
  });
  it.each(['false', '0', 'no', 'Off'])('%s is false', (text) => {
    expect(seeds({ LDAP_USE_SSL: text })).toEqual({ ldap_use_ssl: false });
  });
  it('an empty variable has no value', () => {
    expect(seeds({ LDAP_SERVER: '' })).toEqual({});
  });
  it('the older spelling of the identity provider works and wins', () => {
    expect(seeds({ KEYCLOAK_REALM: 'old', OIDC_REALM: 'new', OIDC_CLIENT_ID: 'id' })).toEqual({
      oidc_realm: 'old',
      oidc_client_id: 'id',
    });
  });
  it.each([
    ['LDAP_PORT', '0'],
    ['LDAP_PORT', 'ldap'],
    ['LDAP_ENABLED', 'maybe'],
    ['CONCURRENT_SESSION_POLICY', 'whatever'],
    ['KEYCLOAK_TIMEOUT', '301'],
  ])('%s=%s stops the start and is named', (variable, text) => {
    expect(() => seeds({ [variable]: text })).toThrow(variable);
  });
});

describe('a change', () => {
  const changed = (body: Record<string, unknown>, stored: Stored = nothing, environment = {}) =>
    planChanges('ldap', body, { stored, ...effective(stored, environment) }, environment);
  const tos = (...answer: Parameters<typeof changed>) => changed(...answer).changes.map(({ key, to }) => [key, to]);

  it('stores only what differs from the environment and the default', () => {
    expect(tos({ ldap_port: 636, ldap_timeout: 20, ldap_server: ' ds ' }, nothing, { ldap_server: 'ds' })).toEqual([
      ['ldap_timeout', 20],
    ]);
  });
  it('back to the default removes the stored value', () => {
    expect(tos({ ldap_timeout: 10 }, store({ ldap_timeout: 20 }))).toEqual([['ldap_timeout', undefined]]);
    expect(tos({ ldap_timeout: null }, store({ ldap_timeout: 20 }))).toEqual([['ldap_timeout', undefined]]);
    expect(tos({ ldap_timeout: null })).toEqual([]);
  });
  it('to the same value changes nothing', () => {
    expect(tos({ ldap_timeout: 20 }, store({ ldap_timeout: 20 }))).toEqual([]);
  });
  it.each([null, ''])('with %j for a secret keeps the stored one', (value) => {
    const { changes, faults } = changed({ ldap_bind_password: value }, store({ ldap_bind_password: 'secret' }));
    expect([changes, faults]).toEqual([[], []]);
  });
  it('with the values as they were read changes nothing', () => {
    const seen = { ldap_bind_password: null, ldap_bind_password_is_set: true, ldap_server: null };
    expect(changed(seen, store({ ldap_bind_password: 'secret' }))).toEqual({ changes: [], faults: [] });
  });
  it('keeps the spaces of a secret, and trims everything else', () => {
    expect(tos({ ldap_bind_password: ' pass ', ldap_server: ' ds ' })).toEqual([
      ['ldap_bind_password', ' pass '],
      ['ldap_server', 'ds'],
    ]);
  });
  it('removes a secret only on explicit request', () => {
    const stored = store({ ldap_bind_password: 'secret' });
    expect(tos({ ldap_bind_password_clear: true }, stored)).toEqual([['ldap_bind_password', undefined]]);
    expect(tos({ ldap_bind_password_clear: false, ldap_bind_password_is_set: false }, stored)).toEqual([]);
    expect(changed({ ldap_bind_password_clear: true, ldap_bind_password: 'new' }, stored).faults).toHaveLength(1);
    expect(changed({ ldap_bind_password_clear: 'yes' }, stored).faults).toHaveLength(1);
  });
  it.each(['nonsense', 'local_enabled', 'ldap_server_clear', 'ldap_server_is_set', '__proto__', 'constructor'])(
    'of %s is refused in the category ldap',
    (key) => {
      expect(changed(JSON.parse(`{"${key}": true}`) as Record<string, unknown>).faults).toMatchObject([{ path: key }]);
    },
  );
});
