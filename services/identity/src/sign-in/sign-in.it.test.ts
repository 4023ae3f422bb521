import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import {
  setUpIdentity,
  addUser,
  admin,
  collectEvents,
  startIdentity,
  type Answer,
} from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity({ SIGN_IN_REFUSAL_MS: '0' });

async function lockOf(id: string) {
  const { rows } = await backends.sql.query<{ minutes: number | null; lockouts: number; failed: number }>(
    `select round(extract(epoch from locked_until - now()) / 60)::int as minutes, lockouts, failed_logins as failed
     from "user" where uuid = $1`,
    [id],
  );
  return rows[0];
}

async function audited(username: string) {
  const { rows } = await backends.sql.query<{ event_type: string; outcome: string; error_code: string | null }>(
    'select event_type, outcome, error_code from audit_log where username = $1 order by time',
    [username],
  );
  return rows;
}

async function fail(username: string, times: number) {
  for (let i = 0; i < times; i++) await identity.signIn(username, 'wrong');
}

describe('the first administrator', () => {
  it('is created once by concurrent and repeated starts of replicas', async () => {
    const more = await Promise.all(
      [1, 2, 3].map(() => startIdentity(backends, { OT_ADMIN_EMAIL: 'other@example.org' })),
    );
    await Promise.all(more.map((more) => more.stop()));
    const { rows } = await backends.sql.query('select email, role from "user" where role = \'super_admin\'');
    expect(rows).toEqual([{ email: admin.email, role: 'super_admin' }]);
  });

  it('is counted as a sign-up and audited', async () => {
    const metrics = await (await fetch(`${identity.internal}/metrics`)).text();
    expect(metrics).toContain('user_signups_total{method="local"} 1');
    expect(await audited(admin.email)).toContainEqual(
      expect.objectContaining({ event_type: 'admin.user.create', outcome: 'success' }),
    );
  });
});

describe('signing in', () => {
  it('accepts every spelling of the name and returns tokens and cookies', async () => {
    for (const spelling of [admin.email, admin.email.toUpperCase(), ` ${admin.email.toLowerCase()} `]) {
      const { status, body, cookies, headers } = await identity.signIn(spelling, admin.password);
      expect(status).toBe(200);
      expect(body).toMatchObject({ token_type: 'bearer', expires_in: 900 });
      expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['access_token', 'refresh_token', 'csrf_token']);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('does not interpret wildcards in a name', async () => {
    expect((await identity.signIn('%', admin.password)).status).toBe(401);
    expect((await identity.signIn('ada_admin@example.org', admin.password)).status).toBe(401);
  });

  it('has the same response for a wrong password and an unknown name', async () => {
    const user = await addUser(backends.sql);
    const wrong = await identity.signIn(user.email, 'wrong');
    const unknown = await identity.signIn('unknown@example.org', 'wrong');
    expect(wrong.status).toBe(401);
    expect({ ...unknown.body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' });
    expect(wrong.body).toMatchObject({ code: 'invalid_credentials', detail: 'Incorrect username or password' });
    expect(wrong.cookies).toEqual([]);
  });

  // The nightly tier compares the distributions of the durations.
  it('takes at least the common duration for an unknown name, a locked account, a pending one and a wrong password', async () => {
    const commonMs = 2_000;
    const paced = await startIdentity(backends, { SIGN_IN_REFUSAL_MS: String(commonMs) });
    const user = await addUser(backends.sql);
    const locked = await addUser(backends.sql, { locked_until: '2999-01-01' });
    const pending = await addUser(backends.sql, { approval_status: 'pending' });
    const refusals = [
      { username: user.email, password: 'wrong' },
      { username: 'unknown@example.org', password: 'wrong' },
      { username: locked.email, password: locked.password },
      { username: pending.email, password: 'wrong' },
    ];
    const early = await Promise.all(
      refusals.map(async ({ username, password }) => {
        const started = performance.now();
        const { status } = await paced.signIn(username, password);
        return { username, status, early: performance.now() - started < commonMs - 100 };
      }),
    );
    expect(early).toEqual(refusals.map(({ username }) => ({ username, status: 401, early: false })));
    await paced.stop();
  });

  it('is refused over plain HTTP to another machine, with an error of its own', async () => {
    const remote = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'overtone.example.org' };
    const { status, body } = await identity.signIn(admin.email, admin.password, remote);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'insecure_origin' });
    expect(String(body['detail'])).toContain('HTTPS');
    const { status: ok, cookies } = await identity.signIn(admin.email, admin.password, {
      ...remote,
      'x-forwarded-proto': 'https',
    });
    expect(ok).toBe(200);
    expect(cookies.every((cookie) => cookie.endsWith('; Secure'))).toBe(true);
  });

  describe.each([
    ['disabled', { is_active: false }, 'account_disabled', 'INACTIVE_USER'],
    ['pending', { approval_status: 'pending' }, 'account_pending_approval', 'ACCOUNT_PENDING_APPROVAL'],
    ['rejected', { approval_status: 'rejected' }, 'account_rejected', 'ACCOUNT_REJECTED'],
    ['disabled and pending', { is_active: false, approval_status: 'pending' }, 'account_disabled', 'INACTIVE_USER'],
  ])('to an account that is %s', (_state, fields, code, errorCode) => {
    const comparable = ({ status, body: { request_id: _id, ...body }, cookies }: Answer) => ({ status, body, cookies });

    it('returns the state after the correct password, and opens no session', async () => {
      const user = await addUser(backends.sql, fields);
      const { status, body, cookies } = await identity.signIn(user.email, user.password);
      expect({ status, code: body['code'], cookies }).toEqual({ status: 403, code, cookies: [] });
      const { rows } = await backends.sql.query('select 1 from refresh_token where user_id = $1', [user.id]);
      expect(rows).toEqual([]);
      expect(await audited(user.email)).toMatchObject([{ outcome: 'failure', error_code: errorCode }]);
    });

    it('has the same response for a wrong password as for an unknown name', async () => {
      const user = await addUser(backends.sql, fields);
      const wrong = await identity.signIn(user.email, 'wrong');
      expect(comparable(wrong)).toEqual(comparable(await identity.signIn('unknown@example.org', 'wrong')));
      expect(wrong.status).toBe(401);
    });

    it('has the same response for the correct password as for an unknown name while the account is locked', async () => {
      const user = await addUser(backends.sql, { ...fields, locked_until: '2999-01-01' });
      const locked = await identity.signIn(user.email, user.password);
      expect(comparable(locked)).toEqual(comparable(await identity.signIn('unknown@example.org', 'wrong')));
      expect(await audited(user.email)).toMatchObject([{ error_code: 'ACCOUNT_LOCKED' }]);
    });
  });

  it('writes every outcome to the audit trail', async () => {
    const user = await addUser(backends.sql);
    await fail(user.email, 1);
    await identity.signIn(user.email, user.password);
    expect(await audited(user.email)).toEqual([
      { event_type: 'auth.login.failure', outcome: 'failure', error_code: 'INVALID_CREDENTIALS' },
      { event_type: 'auth.login.success', outcome: 'success', error_code: null },
    ]);
  });

  it('never writes a password into the audit trail', async () => {
    const { rows } = await backends.sql.query("select 1 from audit_log a where a::text like '%Correct-Horse%'");
    expect(rows).toEqual([]);
  });
});

describe('lockout', () => {
  it('locks after five failures, and then refuses the correct password with the same response', async () => {
    const user = await addUser(backends.sql);
    await fail(user.email, 4);
    expect(await lockOf(user.id)).toMatchObject({ failed: 4, minutes: null });
    await fail(user.email, 1);
    expect(await lockOf(user.id)).toMatchObject({ minutes: 15, lockouts: 1 });
    const { status, body } = await identity.signIn(user.email, user.password);
    expect(status).toBe(401);
    expect(body).toMatchObject({ code: 'invalid_credentials', detail: 'Incorrect username or password' });
  });

  it('counts all spellings of a name together', async () => {
    const user = await addUser(backends.sql);
    for (const name of [user.email, user.email.toUpperCase(), ` ${user.email}`, `${user.email} `, user.email])
      await identity.signIn(name, 'wrong');
    expect((await identity.signIn(user.email.toUpperCase(), user.password)).status).toBe(401);
    expect(await lockOf(user.id)).toMatchObject({ lockouts: 1 });
  });

  it('lasts 15, 30, 60 and then always 1440 minutes', async () => {
    const user = await addUser(backends.sql);
    for (const minutes of [15, 30, 60, 1440, 1440]) {
      await fail(user.email, 5);
      expect(await lockOf(user.id)).toMatchObject({ minutes });
      await backends.sql.query(`update "user" set locked_until = now() where uuid = $1`, [user.id]);
    }
  });

  it('starts over when the last lock is more than a day ago', async () => {
    const user = await addUser(backends.sql, { lockouts: 3 });
    await backends.sql.query(`update "user" set locked_until = now() - interval '25 hours' where uuid = $1`, [user.id]);
    await fail(user.email, 5);
    expect(await lockOf(user.id)).toMatchObject({ minutes: 15, lockouts: 1 });
  });

  it('accepts the correct password as the fifth attempt and resets the count', async () => {
    const user = await addUser(backends.sql);
    await fail(user.email, 4);
    expect((await identity.signIn(user.email, user.password)).status).toBe(200);
    expect(await lockOf(user.id)).toEqual({ failed: 0, minutes: null, lockouts: 0 });
  });

  it('checks at most five of forty concurrent attempts over two replicas', async () => {
    const user = await addUser(backends.sql);
    const second = await startIdentity(backends);
    await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? identity : second).signIn(user.email, 'wrong')));
    await second.stop();
    const rows = (await audited(user.email)).map((record) => record.error_code);
    expect(rows.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(5);
    expect(rows.filter((code) => code === 'ACCOUNT_LOCKED')).toHaveLength(35);
  });

  it('does not lock an account after ten concurrent sign-ins with the right password', async () => {
    const user = await addUser(backends.sql);
    const all = await Promise.all(Array.from({ length: 10 }, () => identity.signIn(user.email, user.password)));
    expect(all.map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));
  });

  it('publishes an event for a new account', async () => {
    const events = collectEvents(backends.bus, 'evt.identity.user.created.v1');
    await backends.sql.query('delete from "user" where role = \'super_admin\'');
    const again = await startIdentity(backends);
    await waitFor(() => events.length > 0);
    await again.stop();
    expect(events[0]).toMatchObject({ role: 'super_admin', method: 'local' });
  });
});
