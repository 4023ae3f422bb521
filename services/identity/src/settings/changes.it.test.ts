import { afterEach, describe, expect, it } from '@jest/globals';
import { authCategories, authSettings } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity({ LDAP_SERVER: 'seed.example.org', LDAP_TIMEOUT: '7' });
const { caller } = await identity.session();
afterEach(async () => {
  await backends.sql.query('delete from auth_config');
  await backends.sql.query('delete from auth_config_audit');
});

function put(category: string, json: unknown, who: Caller | null = caller) {
  return identity.ask(`/api/admin/auth-config/${category}`, { method: 'PUT', json, caller: who });
}

async function get(path = '') {
  return (await identity.ask(`/api/admin/auth-config${path}`, { caller })).body;
}

async function rows() {
  return (await backends.sql.query<Record<string, unknown>>('select * from auth_config order by config_key')).rows;
}

async function history() {
  return (await backends.sql.query('select * from auth_config_audit')).rows;
}

describe('the settings', () => {
  it('are listed completely by category, with bounds and origin', async () => {
    const all = await get();
    expect(Object.keys(all)).toEqual([...authCategories]);
    const items = Object.values(all).flat() as Record<string, unknown>[];
    expect(items.map((i) => i['config_key'])).toEqual(Object.keys(authSettings));
    expect(items.find((i) => i['config_key'] === 'ldap_timeout')).toMatchObject({
      config_value: 7,
      origin: 'environment',
      data_type: 'integer',
      minimum: 1,
      maximum: 300,
      updated_at: null,
    });
    expect(items.find((i) => i['config_key'] === 'ldap_search_base')).toMatchObject({
      config_value: null,
      is_set: false,
      origin: 'default',
    });
  });

  it('are for a super_admin only', async () => {
    for (const role of ['user', 'admin'] as const) {
      const other = { ...caller, role };
      expect((await identity.ask('/api/admin/auth-config', { caller: other })).status).toBe(403);
      expect((await put('ldap', { ldap_timeout: 9 }, other)).status).toBe(403);
    }
    expect((await put('ldap', { ldap_timeout: 9 }, null)).status).toBe(401);
    expect(await rows()).toEqual([]);
  });

  it('of an unknown category are refused', async () => {
    expect((await put('saml', {})).status).toBe(400);
    expect((await identity.ask('/api/admin/auth-config/saml', { caller })).status).toBe(400);
  });

  it('show the enabled sign-in methods', async () => {
    expect(await get('/status')).toMatchObject({ local_enabled: true, ldap_enabled: false, unreadable: [] });
  });
});

describe('a secret', () => {
  const secret = 'Sesame-öffne-dich';
  const change = { ldap_bind_dn: 'cn=reader,dc=example,dc=org', ldap_bind_password: secret };

  it('is returned as null with is_set, sealed in the database, and in no history, log or event', async () => {
    const events = collectEvents(backends.bus, 'evt.identity.settings.changed.v1');
    expect((await put('ldap', change)).status).toBe(200);
    expect(await get('/ldap')).toMatchObject({ ldap_bind_password: null, ldap_bind_password_is_set: true });
    const items = (await get())['ldap'] as Record<string, unknown>[];
    const item = items.find((i) => i['config_key'] === 'ldap_bind_password');
    expect(item).toMatchObject({ config_value: null, default_value: null, is_sensitive: true, is_set: true });
    const [stored] = (await rows()).filter((row) => row['is_sensitive']);
    expect(stored).toMatchObject({ config_key: 'ldap_bind_password', key_id: expect.stringMatching(/^[0-9a-f]{16}$/) });
    await waitFor(() => events.length > 0);
    const { rows: everything } = await backends.sql.query<{ text: string }>(
      `select a::text as text from auth_config_audit a union all select a::text from audit_log a
       union all select c::text from auth_config c union all select o::text from identity_outbox o`,
    );
    expect(JSON.stringify([everything, events])).not.toContain('Sesame');
  });

  it('is kept when a request contains null, nothing or an empty text for it', async () => {
    await put('ldap', change);
    const before = (await rows()).find((row) => row['is_sensitive']);
    for (const kept of [null, '']) await put('ldap', { ldap_bind_password: kept, ldap_timeout: 9 });
    await put('ldap', await get('/ldap'));
    expect((await rows()).find((row) => row['is_sensitive'])).toEqual(before);
  });

  it('is removed only on explicit request', async () => {
    await put('ldap', change);
    const { body } = await put('ldap', { ldap_bind_dn: null, ldap_bind_password_clear: true });
    expect(body).toMatchObject({ updated_keys: ['ldap_bind_dn', 'ldap_bind_password'] });
    expect(await get('/ldap')).toMatchObject({ ldap_bind_password_is_set: false });
  });

  it.each([
    ['server', { ldap_server: 'other.example.org' }],
    ['port', { ldap_port: 3269 }],
    ['encryption', { ldap_use_ssl: false, ldap_use_tls: true }],
    ['bind DN', { ldap_bind_dn: 'cn=other,dc=example,dc=org' }],
  ])('must be entered again for another %s: without it nothing is saved', async (_what, other) => {
    await put('ldap', change);
    const before = await rows();
    for (const password of [undefined, null, '']) {
      const { status, body } = await put('ldap', {
        ...other,
        ...(password === undefined ? {} : { ldap_bind_password: password }),
      });
      expect([status, body['code']]).toEqual([400, 'secret_required']);
      expect(body['errors']).toMatchObject([{ path: 'ldap_bind_password' }]);
    }
    expect(await rows()).toEqual(before);
    expect((await put('ldap', { ...other, ldap_bind_password: 'given for this one' })).status).toBe(200);
  });

  it('may be cleared together with its server', async () => {
    await put('ldap', change);
    const { status } = await put('ldap', {
      ldap_server: 'other.example.org',
      ldap_bind_dn: null,
      ldap_bind_password_clear: true,
    });
    expect(status).toBe(200);
    expect(await get('/ldap')).toMatchObject({ ldap_bind_password_is_set: false });
  });

  it('of a provider must be entered again for another provider or client', async () => {
    const provider = { oidc_discovery_url: 'https://id.example.org', oidc_client_id: 'overtone' };
    await put('oidc', { ...provider, oidc_client_secret: 'known to the provider' });
    for (const other of [{ oidc_discovery_url: 'https://evil.example.org' }, { oidc_client_id: 'another' }])
      expect((await put('oidc', other)).body['code']).toBe('secret_required');
    // Another spelling of the same provider.
    const spelt = { oidc_discovery_url: 'https://id.example.org/.well-known/openid-configuration' };
    expect((await put('oidc', spelt)).status).toBe(200);
  });

  it('that was moved to another row cannot be unsealed: it is empty and reported as unreadable', async () => {
    await put('ldap', change);
    await put('proxy', { proxy_shared_secret: 'another one' });
    await backends.sql.query(`update auth_config a set config_value = b.config_value from auth_config b
      where a.config_key = 'proxy_shared_secret' and b.config_key = 'ldap_bind_password'`);
    await waitFor(async () => JSON.stringify(await get('/status')).includes('"unreadable":["proxy_shared_secret"]'));
    expect(await get('/proxy')).toMatchObject({ proxy_shared_secret_is_set: false });
    const items = (await get())['proxy'] as Record<string, unknown>[];
    expect(items.find((i) => i['config_key'] === 'proxy_shared_secret')).toMatchObject({ origin: 'unreadable' });
    expect(await get('/ldap')).toMatchObject({ ldap_bind_password_is_set: true });
  });
});

describe('a change', () => {
  it('is stored with its author, audited and published in one transaction', async () => {
    const events = collectEvents(backends.bus, 'evt.identity.settings.changed.v1');
    const { status, body } = await put('ldap', { ldap_timeout: 20, ldap_port: 389, ldap_name_attr: 'cn' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, updated_count: 2, updated_keys: ['ldap_timeout', 'ldap_port'] });
    expect(await rows()).toMatchObject([
      { config_key: 'ldap_port', config_value: 389, category: 'ldap', updated_by: caller.userId },
      { config_key: 'ldap_timeout', config_value: 20 },
    ]);
    await put('ldap', { ldap_timeout: 30 });
    await put('ldap', { ldap_timeout: null });
    const audit = await identity.ask('/api/admin/auth-config/audit/ldap?limit=3', { caller });
    expect(audit.body).toMatchObject([
      { config_key: 'ldap_timeout', change_type: 'delete', old_value: 30, new_value: null },
      { config_key: 'ldap_timeout', change_type: 'update', old_value: 20, new_value: 30 },
      { change_type: 'create', changed_by: expect.stringContaining('@') },
    ]);
    await waitFor(() => events.length === 3);
    expect(events[0]).toEqual({ category: 'ldap', keys: ['ldap_timeout', 'ldap_port'] });
    const { rows: trail } = await backends.sql.query<{ details: unknown }>(
      "select details from audit_log where event_type = 'admin.settings.change' order by time desc limit 3",
    );
    expect(trail[2]?.details).toMatchObject({ category: 'ldap', keys: 'ldap_timeout, ldap_port' });
  });

  it('to the value of the environment is not stored, and null returns to it', async () => {
    await put('ldap', { ldap_timeout: 20 });
    expect((await put('ldap', { ldap_timeout: 7 })).body).toMatchObject({ updated_keys: ['ldap_timeout'] });
    expect(await rows()).toEqual([]);
    await put('ldap', { ldap_server: 'other.example.org' });
    await put('ldap', { ldap_server: null });
    expect(await get('/ldap')).toMatchObject({ ldap_server: 'seed.example.org', ldap_timeout: 7 });
  });

  it('of nothing changes nothing', async () => {
    expect((await put('ldap', { ldap_timeout: 7 })).body).toMatchObject({ updated_count: 0, updated_keys: [] });
    expect(await history()).toEqual([]);
  });

  it.each([
    ['an unknown key', 'ldap', { ldap_timeout: 20, ldap_nonsense: 1 }, ['ldap_nonsense']],
    ['a key of another category', 'ldap', { local_enabled: true }, ['local_enabled']],
    ['the wrong type', 'ldap', { ldap_timeout: '20', ldap_enabled: 'true' }, ['ldap_timeout', 'ldap_enabled']],
    ['out of bounds', 'ldap', { ldap_timeout: 301, ldap_port: 0 }, ['ldap_timeout', 'ldap_port']],
    ['none of the choices', 'session', { concurrent_session_policy: 'maybe' }, ['concurrent_session_policy']],
    ['SSL and StartTLS', 'ldap', { ldap_timeout: 20, ldap_use_tls: true }, ['ldap_use_ssl', 'ldap_use_tls']],
    ['on without what it needs', 'oidc', { oidc_enabled: true }, ['oidc_client_id', 'oidc_callback_url']],
  ])('with %s is refused with the keys, and nothing is written', async (_, category, json, keys) => {
    const { status, body } = await put(category, json);
    expect([status, body['code']]).toEqual([400, 'settings_invalid']);
    const errors = body['errors'] as { path: string; message: string }[];
    expect(errors.map((error) => error.path)).toEqual(expect.arrayContaining(keys));
    for (const key of keys) expect(body['detail']).toContain(key);
    expect([await rows(), await history()]).toEqual([[], []]);
  });

  it.each(['a\0b', 'a\ud800'])(
    'with the ill-formed text %j is refused, naming the key, and nothing is written',
    async (text) => {
      const { status, body } = await put('ldap', { ldap_server: text });
      expect([status, body['code']]).toEqual([422, 'invalid_body']);
      expect(body['errors']).toMatchObject([{ path: 'ldap_server' }]);
      expect([await rows(), await history()]).toEqual([[], []]);
    },
  );

  it('is checked against the resulting settings: two contradicting changes, sequential or concurrent', async () => {
    expect((await put('ldap', { ldap_use_ssl: false, ldap_use_tls: true })).status).toBe(200);
    expect((await put('ldap', { ldap_use_ssl: true })).status).toBe(400);
    await put('ldap', { ldap_use_ssl: false, ldap_use_tls: false });
    const both = await Promise.all([put('ldap', { ldap_use_ssl: true }), put('ldap', { ldap_use_tls: true })]);
    expect(both.map((answer) => answer.status).sort((left, right) => left - right)).toEqual([200, 400]);
  });

  it('that would leave no super_admin with a local password is refused', async () => {
    const was = await backends.sql.query<{ password_hash: string }>(
      `select password_hash from "user" where role = 'super_admin'`,
    );
    const set = (hash: unknown) =>
      backends.sql.query(`update "user" set password_hash = $1 where role = 'super_admin'`, [hash]);
    await set(null);
    expect((await put('local', { local_enabled: false })).body).toMatchObject({ code: 'settings_invalid' });
    await set(was.rows[0]?.password_hash);
    expect((await put('local', { local_enabled: false })).status).toBe(200);
  });

  it('warns of a valid value that is probably a mistake', async () => {
    const { body } = await put('lockout', { account_lockout_enabled: false });
    expect(body['warnings']).toEqual([expect.stringContaining('guessed')]);
  });
});

describe('switching approval off', () => {
  it('approves pending accounts, publishes it, and keeps rejected ones', async () => {
    await put('local', { require_account_approval: true });
    const waiting = await addUser(backends.sql, { approval_status: 'pending' });
    const rejected = await addUser(backends.sql, { approval_status: 'rejected' });
    const events = collectEvents(backends.bus, 'evt.identity.user.updated.v1');
    await put('local', { allow_registration: true });
    const statusOf = async (id: string) =>
      (await backends.sql.query<{ s: string }>('select approval_status as s from "user" where uuid = $1', [id])).rows[0]
        ?.s;
    expect(await statusOf(waiting.id)).toBe('pending');
    await put('local', { require_account_approval: null });
    expect([await statusOf(waiting.id), await statusOf(rejected.id)]).toEqual(['approved', 'rejected']);
    await waitFor(() => events.some((event) => event['userId'] === waiting.id));
    const { rows: trail } = await backends.sql.query(
      "select 1 from audit_log where event_type = 'admin.user.approve' and user_id = $1",
      [waiting.id],
    );
    expect(trail).toHaveLength(1);
  });
});

describe('storing the settings of the environment', () => {
  it('stores each setting once, so that the environment can be cleared', async () => {
    await put('ldap', { ldap_timeout: 20 });
    const migrate = async () => (await identity.ask('/api/admin/auth-config/migrate', { method: 'POST', caller })).body;
    expect(await migrate()).toMatchObject({ success: true, migrated_count: 1 });
    expect(await rows()).toMatchObject([
      { config_key: 'ldap_server', config_value: 'seed.example.org' },
      { config_key: 'ldap_timeout', config_value: 20 },
    ]);
    expect(await migrate()).toMatchObject({ migrated_count: 0 });
    await put('ldap', { ldap_server: 'seed.example.org' });
    expect(await rows()).toHaveLength(2);
  });
});
