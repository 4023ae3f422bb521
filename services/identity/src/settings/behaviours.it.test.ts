import { afterEach, describe, expect, it } from '@jest/globals';
import { authCategories, type AuthSettings } from '@overtone/contracts';
import { setUpIdentity, addUser } from '../../test/running-identity.ts';
import { createChanges, type Behaviour } from '../../test/setting-world.ts';
import { keysOf } from './settings.ts';

const { backends, identity } = await setUpIdentity({ SIGN_IN_REFUSAL_MS: '0' });
const changes = createChanges(identity, (await identity.session()).caller);
afterEach(() => changes.reset());

function set(values: Partial<AuthSettings>) {
  return changes.set(values);
}

function user(fields: Record<string, unknown> = {}) {
  return addUser(backends.sql, fields);
}

async function statusOf(who: { email: string; password: string }) {
  return (await identity.signIn(who.email, who.password)).status;
}

async function fail(who: { email: string }, times: number) {
  for (let i = 0; i < times; i++) await identity.signIn(who.email, 'wrong');
}

function update(table: string, column: string, ago: string, id: string) {
  return backends.sql.query(
    `update ${table} set ${column} = now() - interval '${ago}' where ${table === '"user"' ? 'uuid' : 'session_id'} = $1`,
    [id],
  );
}

async function isAlive(session: { accessToken: string }) {
  return (await identity.resolve(session.accessToken)) !== null;
}

async function register() {
  const email = `new-${crypto.randomUUID()}@example.org`;
  const { status } = await identity.ask('/api/auth/register', { json: { email, password: 'Long-Enough-For-9' } });
  const { rows } = await backends.sql.query<{ s: string }>('select approval_status as s from "user" where email = $1', [
    email,
  ]);
  return { status, approval: rows[0]?.s };
}

const local = {
  local_enabled: async () => {
    const member = await user();
    const boss = await user({ role: 'super_admin' });
    expect(await statusOf(member)).toBe(200);
    await set({ local_enabled: false });
    expect([await statusOf(member), await statusOf(boss)]).toEqual([401, 200]);
  },
  allow_registration: async () => {
    expect((await register()).approval).toBeUndefined();
    await set({ allow_registration: true });
    expect(await register()).toEqual({ status: 202, approval: 'approved' });
  },
  require_account_approval: async () => {
    await set({ allow_registration: true, require_account_approval: true });
    expect(await register()).toEqual({ status: 202, approval: 'pending' });
  },
} satisfies Record<string, Behaviour>;

function maxAge(cookies: string[], name: string) {
  return Number(/Max-Age=(\d+)/.exec(cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? '')?.[1]);
}

const session = {
  jwt_access_token_expire_minutes: async () => {
    await set({ jwt_access_token_expire_minutes: 3 });
    const who = await user();
    expect((await identity.signIn(who.email, who.password)).body).toMatchObject({ expires_in: 180 });
  },
  jwt_refresh_token_expire_days: async () => {
    await set({ jwt_refresh_token_expire_days: 2 });
    const who = await user();
    const { cookies } = await identity.signIn(who.email, who.password);
    expect(Math.round(maxAge(cookies, 'refresh_token') / 3600)).toBe(48);
  },
  session_idle_timeout_minutes: async () => {
    const who = await user();
    const mine = await identity.session(who.email, who.password);
    await update('refresh_token', 'created_at', '10 minutes', mine.caller.sessionId);
    expect(await isAlive(mine)).toBe(true);
    await set({ session_idle_timeout_minutes: 9 });
    expect(await isAlive(mine)).toBe(false);
    expect((await identity.refresh(mine.refreshToken)).status).toBe(401);
    // A session that is used four times within the idle limit stays valid.
    expect((await identity.signIn(who.email, who.password)).body).toMatchObject({ expires_in: 135 });
  },
  session_absolute_timeout_minutes: async () => {
    const who = await user();
    const mine = await identity.session(who.email, who.password);
    await update('refresh_token', 'session_started_at', '10 minutes', mine.caller.sessionId);
    expect(await isAlive(mine)).toBe(true);
    await set({ session_absolute_timeout_minutes: 9 });
    expect(await isAlive(mine)).toBe(false);
    expect((await identity.refresh(mine.refreshToken)).status).toBe(401);
  },
  max_concurrent_sessions: async () => {
    const who = await user();
    const [first, second] = [
      await identity.session(who.email, who.password),
      await identity.session(who.email, who.password),
    ];
    expect([await isAlive(first), await isAlive(second)]).toEqual([true, true]);
    await set({ max_concurrent_sessions: 2 });
    const third = await identity.session(who.email, who.password);
    expect([await isAlive(first), await isAlive(second), await isAlive(third)]).toEqual([false, true, true]);
  },
  concurrent_session_policy: async () => {
    await set({ max_concurrent_sessions: 1, concurrent_session_policy: 'reject' });
    const who = await user();
    const first = await identity.session(who.email, who.password);
    const { status, body } = await identity.signIn(who.email, who.password);
    expect([status, body['code'], await isAlive(first)]).toEqual([429, 'too_many_sessions', true]);
  },
} satisfies Record<string, Behaviour>;

async function change(who: { email: string; password: string }, password: string) {
  const { caller } = await identity.session(who.email, who.password);
  const json = { current_password: who.password, password };
  const { status } = await identity.ask('/api/users/me', { method: 'PUT', json, caller });
  return status === 200;
}

/** A new password that violates one rule only; without the rule it is accepted. */
function rule(values: Partial<AuthSettings>, password: string): Behaviour {
  return async () => {
    expect(await change(await user(), password)).toBe(false);
    await set(values);
    expect(await change(await user(), password)).toBe(true);
  };
}

const password = {
  password_policy_enabled: rule({ password_policy_enabled: false }, 'only small letters'),
  password_min_length: rule({ password_min_length: 10 }, 'Sentence-9x'),
  password_require_uppercase: rule({ password_require_uppercase: false }, 'battery-staple-9'),
  password_require_lowercase: rule({ password_require_lowercase: false }, 'BATTERY-STAPLE-9'),
  password_require_digit: rule({ password_require_digit: false }, 'Battery-Staple-x'),
  password_require_special: rule({ password_require_special: false }, 'BatteryStaple99'),
  password_history_count: async () => {
    const who = await user();
    const next = { ...who, password: 'Battery-Staple-9' };
    expect(await change(who, next.password)).toBe(true);
    expect(await change(next, who.password)).toBe(false);
    await set({ password_history_count: 0 });
    expect(await change(next, who.password)).toBe(true);
  },
  password_max_age_days: async () => {
    const who = await user();
    await update('"user"', 'password_changed_at', '40 days', who.id);
    const { accessToken } = await identity.session(who.email, who.password);
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: null });
    await set({ password_max_age_days: 39 });
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
  },
} satisfies Record<string, Behaviour>;

async function lockedMinutes(id: string) {
  const { rows } = await backends.sql.query<{ minutes: number | null }>(
    `select round(extract(epoch from locked_until - now()) / 60)::int as minutes from "user" where uuid = $1`,
    [id],
  );
  return rows[0]?.minutes;
}

async function edgeSettings() {
  return (await identity.ask('/internal/edge-settings')).body;
}

const lockout = {
  account_lockout_enabled: async () => {
    const [one, other] = [await user(), await user()];
    await fail(one, 5);
    expect(await statusOf(one)).toBe(401);
    await set({ account_lockout_enabled: false });
    await fail(other, 6);
    expect([await statusOf(one), await statusOf(other)]).toEqual([200, 200]);
  },
  account_lockout_threshold: async () => {
    const [one, other] = [await user(), await user()];
    await fail(one, 2);
    expect(await statusOf(one)).toBe(200);
    await set({ account_lockout_threshold: 2 });
    await fail(other, 2);
    expect(await statusOf(other)).toBe(401);
  },
  account_lockout_duration_minutes: async () => {
    await set({ account_lockout_duration_minutes: 7 });
    const who = await user();
    await fail(who, 5);
    expect(await lockedMinutes(who.id)).toBe(7);
  },
  account_lockout_progressive: async () => {
    const before = { lockouts: 1, locked_until: new Date() };
    const [one, other] = [await user(before), await user(before)];
    await fail(one, 5);
    await set({ account_lockout_progressive: false });
    await fail(other, 5);
    expect([await lockedMinutes(one.id), await lockedMinutes(other.id)]).toEqual([30, 15]);
  },
  account_lockout_max_duration_minutes: async () => {
    await set({ account_lockout_max_duration_minutes: 100 });
    const who = await user({ lockouts: 3, locked_until: new Date() });
    await fail(who, 5);
    expect(await lockedMinutes(who.id)).toBe(100);
  },
  // The edge applies these two; its tests cover them.
  rate_limit_enabled: async () => {
    expect(await edgeSettings()).toEqual({ signInPerMinute: 10 });
    await set({ rate_limit_enabled: false });
    expect(await edgeSettings()).toEqual({ signInPerMinute: null });
  },
  rate_limit_auth_per_minute: async () => {
    await set({ rate_limit_auth_per_minute: 4 });
    expect(await edgeSettings()).toEqual({ signInPerMinute: 4 });
  },
} satisfies Record<string, Behaviour>;

it('every category of settings has tests here or in the files for directory, provider and proxies', () => {
  const here = ['local', 'session', 'password_policy', 'lockout'];
  expect([...here, 'ldap', 'oidc', 'pki', 'proxy'].sort()).toEqual([...authCategories].sort());
});

describe.each([
  ['local', local],
  ['session', session],
  ['password_policy', password],
  ['lockout', lockout],
] as const)('every setting of %s changes what happens, at once', (category, behaviours) => {
  it('none is missing', () => {
    expect(Object.keys(behaviours).sort()).toEqual(keysOf(category).sort());
  });
  it.each(Object.entries<Behaviour>(behaviours))('%s', (_key, behaviour) => behaviour());
});
