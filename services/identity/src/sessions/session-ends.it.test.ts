import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { addUser, startIdentity, type RunningIdentity } from '../../test/running-identity.ts';
import { startSessionWorld } from '../../test/session-world.ts';

const world = await startSessionWorld();
const { backends, identity, revoked } = world;

function newSession(fields: Record<string, unknown> = {}) {
  return world.newSession(fields);
}

function alive(sessionId: string) {
  return world.alive(sessionId);
}

describe('ending sessions', () => {
  it('signs out this session only, clears the cookies and publishes an event', async () => {
    const user = await addUser(backends.sql);
    const [one, two] = [
      await identity.session(user.email, user.password),
      await identity.session(user.email, user.password),
    ];
    const { status, cookies } = await identity.ask('/api/auth/logout', { method: 'POST', caller: one.caller });
    expect(status).toBe(200);
    expect(cookies.every((cookie) => cookie.includes('Max-Age=0'))).toBe(true);
    expect(await identity.resolve(one.accessToken)).toBeNull();
    expect(await identity.resolve(two.accessToken)).not.toBeNull();
    await waitFor(() => revoked.some((event) => event['sessionId'] === one.caller.sessionId));
  });

  it('signs out with the refresh token alone', async () => {
    const { refreshToken, accessToken } = await newSession();
    await identity.ask('/api/auth/logout', { json: { refresh_token: refreshToken } });
    expect(await identity.resolve(accessToken)).toBeNull();
  });

  it('has the same response for a sign-out without a session', async () => {
    expect((await identity.ask('/api/auth/logout', { method: 'POST' })).status).toBe(200);
  });

  it('lists the active sessions and ends one of them', async () => {
    const user = await addUser(backends.sql);
    const one = await identity.session(user.email, user.password);
    const two = await identity.session(user.email, user.password);
    await identity.refresh(two.refreshToken);
    const list = await identity.ask('/api/auth/sessions', { caller: one.caller });
    expect(list.body).toMatchObject({ total: 2 });
    expect(list.body['sessions']).toContainEqual(
      expect.objectContaining({ uuid: one.caller.sessionId, current: true }),
    );
    const ended = await identity.ask(`/api/auth/sessions/${two.caller.sessionId}`, {
      method: 'DELETE',
      caller: one.caller,
    });
    expect(ended.status).toBe(204);
    expect((await identity.ask('/api/auth/sessions', { caller: one.caller })).body).toMatchObject({ total: 1 });
  });

  it("does not end another user's session, and does not reveal it", async () => {
    const mine = await newSession();
    const theirs = await newSession();
    const { status } = await identity.ask(`/api/auth/sessions/${theirs.caller.sessionId}`, {
      method: 'DELETE',
      caller: mine.caller,
    });
    expect(status).toBe(404);
    expect(await identity.resolve(theirs.accessToken)).not.toBeNull();
  });

  it('ends all sessions, and publishes one event', async () => {
    const user = await addUser(backends.sql);
    const sessions = [1, 2, 3].map(() => identity.session(user.email, user.password));
    const [one] = await Promise.all(sessions);
    const { body } = await identity.ask('/api/auth/logout/all', { method: 'POST', caller: one?.caller ?? null });
    expect(body).toMatchObject({ sessions_revoked: 3 });
    for (const session of await Promise.all(sessions)) expect(await identity.resolve(session.accessToken)).toBeNull();
    await waitFor(() => revoked.some((event) => event['userId'] === user.id));
    expect(revoked.filter((event) => event['userId'] === user.id)).toEqual([
      { userId: user.id, sessionId: null, reason: 'logout_all' },
    ]);
  });

  it('leaves no valid token when a refresh is concurrent with the end of all sessions', async () => {
    for (let i = 0; i < 15; i++) {
      const { caller, refreshToken } = await newSession();
      // The refresh waits for its batch; the ends are spread over this time.
      const end = new Promise((resolve) => setTimeout(resolve, 105 + i * 3)).then(() =>
        identity.ask('/api/auth/logout/all', { method: 'POST', caller }),
      );
      await Promise.all([identity.refresh(refreshToken), end]);
      expect(await alive(caller.sessionId)).toBe(0);
    }
  });

  it('makes a refresh wait for an end that has begun, and refuses it', async () => {
    const { user, caller, refreshToken } = await newSession();
    const { sql } = backends;
    await sql.query('begin');
    await sql.query('select 1 from "user" where uuid = $1 for update', [user.id]);
    const refreshed = identity.refresh(refreshToken);
    await waitFor(async () => {
      const { rowCount } = await sql.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    // A refresh that had spent its token already would block this statement, and be blocked by it.
    await sql.query('update refresh_token set revoked_at = now() where user_id = $1', [user.id]);
    await sql.query('commit');
    expect((await refreshed).status).toBe(401);
    expect(await alive(caller.sessionId)).toBe(0);
  });
});

describe('the signing secret', () => {
  it('ends all sessions when it changes, including refresh tokens and sockets', async () => {
    const { user, refreshToken, accessToken } = await newSession();
    const again = await startIdentity(backends, { JWT_SECRET_KEY: 'another secret that is long enough for it' });
    try {
      expect(await again.resolve(accessToken)).toBeNull();
      expect((await again.refresh(refreshToken)).status).toBe(401);
      const { rows } = await backends.sql.query(
        'select 1 from refresh_token where user_id = $1 and revoked_at is null',
        [user.id],
      );
      expect(rows).toEqual([]);
      await waitFor(() =>
        revoked.some(
          (event) => event['userId'] === user.id && event['reason'] === 'signing_secret_changed' && !event['sessionId'],
        ),
      );
    } finally {
      await again.stop();
    }
  });

  it('keeps sessions when it stays the same', async () => {
    const { accessToken, refreshToken } = await newSession();
    const again = await startIdentity(backends);
    expect(await again.resolve(accessToken)).not.toBeNull();
    expect((await again.refresh(refreshToken)).status).toBe(200);
    await again.stop();
  });
});

describe('the number of sessions of one account', () => {
  const limited = async (max: number, policy: string, work: (own: RunningIdentity) => Promise<void>) => {
    const own = await startIdentity(backends, {
      MAX_CONCURRENT_SESSIONS: String(max),
      CONCURRENT_SESSION_POLICY: policy,
    });
    try {
      await work(own);
    } finally {
      await own.stop();
    }
  };

  it('is limited by ending the oldest, which is published and audited', () =>
    limited(2, 'terminate_oldest', async (own) => {
      const user = await addUser(backends.sql);
      const sessions: Awaited<ReturnType<RunningIdentity['session']>>[] = [];
      for (let i = 0; i < 3; i++) sessions.push(await own.session(user.email, user.password));
      const living = await Promise.all(
        sessions.map(async (session) => (await own.resolve(session.accessToken)) !== null),
      );
      expect(living).toEqual([false, true, true]);
      await waitFor(() => revoked.some((event) => event['sessionId'] === sessions[0]?.caller.sessionId));
      const { rows } = await backends.sql.query(
        `select details from audit_log where user_id = $1 and event_type = 'auth.session.limit_exceeded'`,
        [user.id],
      );
      expect(rows).toEqual([{ details: { limit: 2, sessions_revoked: 1 } }]);
    }));

  it('is limited by refusing another one, depending on the settings', () =>
    limited(2, 'reject', async (own) => {
      const user = await addUser(backends.sql);
      const first = await own.session(user.email, user.password);
      await own.session(user.email, user.password);
      const { status, body } = await own.signIn(user.email, user.password);
      expect([status, body['code']]).toEqual([429, 'too_many_sessions']);
      await waitFor(async () => {
        const { rows } = await backends.sql.query(
          `select details from audit_log where user_id = $1 and event_type = 'auth.session.limit_exceeded' and outcome = 'failure'`,
          [user.id],
        );
        return rows.length === 1;
      });
      await own.ask('/api/auth/logout', { method: 'POST', caller: first.caller });
      expect((await own.signIn(user.email, user.password)).status).toBe(200);
    }));

  it('is limited for concurrent sign-ins', () =>
    limited(3, 'terminate_oldest', async (own) => {
      const user = await addUser(backends.sql);
      const all = await Promise.all(Array.from({ length: 12 }, () => own.session(user.email, user.password)));
      const living = await Promise.all(all.map(async (session) => (await own.resolve(session.accessToken)) !== null));
      expect(living.filter(Boolean)).toHaveLength(3);
    }));
});
