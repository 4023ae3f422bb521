import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents, startIdentity } from '../../test/running-identity.ts';
import type { Answer } from '../../test/running-identity.ts';

const { backends, identity: open } = await setUpIdentity({ ALLOW_REGISTRATION: 'true' });
const created = collectEvents(backends.bus, 'evt.identity.user.created.v1');

const password = 'Some-Battery-2026';

function fresh() {
  return `self-${randomUUID().slice(0, 8)}@example.org`;
}

function register(json: unknown, at = open): Promise<Answer> {
  return at.ask('/api/auth/register', { json });
}

async function find(email: string) {
  return (
    await backends.sql.query<Record<string, unknown>>('select * from "user" where lower(email) = lower($1)', [email])
  ).rows[0];
}

function shownTo({ status, body, headers }: Answer) {
  return {
    status,
    body,
    headers: [...headers.keys()].filter((name) => !['date', 'x-request-id'].includes(name)),
  };
}

describe('registration', () => {
  it('creates an ordinary local account that signs in, counts it and publishes an event', async () => {
    const email = fresh();
    expect((await register({ email, password, full_name: 'Sam Self' })).status).toBe(202);
    const user = await find(email);
    expect(user).toMatchObject({
      role: 'user',
      auth_type: 'local',
      full_name: 'Sam Self',
      approval_status: 'approved',
    });
    expect((await open.signIn(email, password)).status).toBe(200);
    await waitFor(() => created.some((event) => event['userId'] === user?.['uuid'] && event['method'] === 'local'));
    const metrics = await (await fetch(`${open.internal}/metrics`)).text();
    expect(metrics).toMatch(/user_signups_total\{method="local"\} [1-9]/);
  });

  it('has the same response whether the address has an account, and does not change that account', async () => {
    const taken = await addUser(backends.sql);
    const before = await find(taken.email);
    const [free, used] = [
      await register({ email: fresh(), password }),
      await register({ email: taken.email.toUpperCase(), password, full_name: 'Mallory' }),
    ];
    expect(shownTo(used)).toEqual(shownTo(free));
    expect(await find(taken.email)).toEqual(before);
    expect((await open.signIn(taken.email, password)).status).toBe(401);
    const { rows } = await backends.sql.query(
      `select outcome, error_code from audit_log where event_type = 'auth.register' and lower(username) = lower($1)`,
      [taken.email],
    );
    expect(rows).toEqual([{ outcome: 'failure', error_code: 'EMAIL_TAKEN' }]);
  });

  it('creates one account for concurrent requests with one address', async () => {
    const email = fresh();
    const all = await Promise.all(Array.from({ length: 8 }, () => register({ email, password })));
    expect(all.every((answer) => answer.status === 202)).toBe(true);
    const { rows } = await backends.sql.query('select 1 from "user" where email = $1', [email]);
    expect(rows).toHaveLength(1);
  });

  it('refuses a weak password alike for an address that is taken and one that is free', async () => {
    const { email } = await addUser(backends.sql);
    const answers = await Promise.all([email, fresh()].map((event) => register({ email: event, password: 'weak' })));
    for (const { status, body } of answers) expect([status, body['code']]).toEqual([400, 'password_rejected']);
  });

  it.each([
    [{ email: 'no address', password }],
    [{ email: 'a@example.org' }],
    [{ email: 'a\0@example.org', password }],
    [{ email: `${'a'.repeat(400)}@example.org`, password }],
    [[]],
  ])('refuses the body %j with 422', async (body) => {
    expect((await register(body)).status).toBe(422);
  });

  it('ignores role and state in the request', async () => {
    const email = fresh();
    await register({ email, password, role: 'super_admin', approval_status: 'approved', is_active: true });
    expect(await find(email)).toMatchObject({ role: 'user' });
  });

  it('is closed unless the settings open it', async () => {
    for (const settings of [{}, { ALLOW_REGISTRATION: 'true', LOCAL_ENABLED: 'false' }]) {
      const closed = await startIdentity(backends, settings);
      const email = fresh();
      const { status, body } = await register({ email, password }, closed);
      expect([status, body['code']]).toEqual([403, 'registration_closed']);
      expect(await find(email)).toBeUndefined();
      await closed.stop();
    }
  });

  it('creates pending accounts where new accounts need approval', async () => {
    const careful = await startIdentity(backends, { ALLOW_REGISTRATION: 'true', REQUIRE_ACCOUNT_APPROVAL: 'true' });
    const email = fresh();
    await register({ email, password }, careful);
    expect(await find(email)).toMatchObject({ approval_status: 'pending' });
    await careful.stop();
  });
});

describe('the password policy', () => {
  it('is public and shows the effective setting', async () => {
    const own = await startIdentity(backends, {
      PASSWORD_MIN_LENGTH: '16',
      PASSWORD_REQUIRE_SPECIAL: 'false',
      PASSWORD_HISTORY_COUNT: '3',
      PASSWORD_MAX_AGE_DAYS: '60',
    });
    const { body } = await own.ask('/api/auth/password-policy');
    expect(body).toEqual({
      enabled: true,
      min_length: 16,
      require_uppercase: true,
      require_lowercase: true,
      require_digit: true,
      require_special: false,
      history_count: 3,
      max_age_days: 60,
    });
    await own.stop();
  });

  it('requires only a length when it is switched off', async () => {
    const own = await startIdentity(backends, { PASSWORD_POLICY_ENABLED: 'false', ALLOW_REGISTRATION: 'true' });
    const { body } = await own.ask('/api/auth/password-policy');
    expect(body).toMatchObject({
      enabled: false,
      min_length: 8,
      require_digit: false,
      history_count: 0,
      max_age_days: 0,
    });
    expect((await register({ email: fresh(), password: 'abcdefgh' }, own)).status).toBe(202);
    expect((await register({ email: fresh(), password: 'abcdefg' }, own)).status).toBe(400);
    await own.stop();
  });

  it('accepts an earlier password after the configured number of others, and not before', async () => {
    const own = await startIdentity(backends, { PASSWORD_HISTORY_COUNT: '2' });
    const user = await addUser(backends.sql);
    const { caller } = await own.session(user.email, user.password);
    let current = user.password;
    const change = async (to: string) => {
      const json = { password: to, current_password: current };
      const { status } = await own.ask('/api/users/me', { caller, method: 'PUT', json });
      if (status === 200) current = to;
      return status;
    };
    expect(await change('First-Battery-2026')).toBe(200);
    expect(await change(user.password)).toBe(400);
    expect(await change('Second-Battery-2026')).toBe(200);
    expect(await change('First-Battery-2026')).toBe(400);
    expect(await change(user.password)).toBe(200);
    await own.stop();
  });

  it('requires a new password after the maximum age, and shows it in the own account', async () => {
    const own = await startIdentity(backends, { PASSWORD_MAX_AGE_DAYS: '60' });
    const user = await addUser(backends.sql, { password_changed_at: new Date(Date.now() - 61 * 86_400_000) });
    const { accessToken, caller } = await own.session(user.email, user.password);
    expect(await own.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
    expect((await own.ask('/api/users/me', { caller })).body).toMatchObject({ must_change_password: true });
    const json = { password, current_password: user.password };
    const changed = await own.ask('/api/users/me', { caller, method: 'PUT', json });
    expect(changed.body).toMatchObject({ must_change_password: false });
    expect(await own.resolve(accessToken)).toMatchObject({ refusal: null });
    await own.stop();
  });
});
