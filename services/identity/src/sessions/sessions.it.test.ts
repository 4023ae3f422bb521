import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { addUser, listenTo, startBackends, startIdentity } from '../../test/running-identity.ts';
import type { Backends, RunningIdentity } from '../../test/running-identity.ts';

let backends: Backends;
let identity: RunningIdentity;
let revoked: Record<string, unknown>[];
beforeAll(async () => {
  backends = await startBackends();
  identity = await startIdentity(backends);
  revoked = listenTo(backends.bus, 'evt.identity.session.revoked.v1');
});
afterAll(async () => {
  await identity.stop();
  await backends.stop();
});

const newSession = async (fields: Record<string, unknown> = {}) => {
  const user = await addUser(backends.sql, fields);
  return { user, ...(await identity.session(user.email, user.password)) };
};
const rowsOf = async (sessionId: string) => {
  const { rows } = await backends.sql.query<{ spent: boolean; revoked: boolean }>(
    `select spent_at is not null as spent, revoked_at is not null as revoked
     from refresh_token where session_id = $1 order by created_at`,
    [sessionId],
  );
  return rows;
};
const alive = async (sessionId: string) => (await rowsOf(sessionId)).filter((r) => !r.spent && !r.revoked).length;
const refreshOf = (a: { body: Record<string, unknown> }) => String(a.body['refresh_token']);

describe('refreshing', () => {
  it('spends the token and gives a new pair of the same session', async () => {
    const { refreshToken, caller } = await newSession();
    const { status, body, cookies } = await identity.refresh(refreshToken);
    expect(status).toBe(200);
    expect(body['refresh_token']).not.toBe(refreshToken);
    expect(cookies).toHaveLength(3);
    expect(await identity.resolve(String(body['access_token']))).toMatchObject({ sessionId: caller.sessionId });
    expect(await rowsOf(caller.sessionId)).toEqual([
      { spent: true, revoked: false },
      { spent: false, revoked: false },
    ]);
  });

  it('rejects a second use of a refresh token and ends the session with all its tokens', async () => {
    const { refreshToken, caller, accessToken } = await newSession();
    const child = await identity.refresh(refreshToken);
    const again = await identity.refresh(refreshToken);
    expect(again.status).toBe(401);
    expect(again.body).toMatchObject({ code: 'refresh_refused' });
    expect((await identity.refresh(refreshOf(child))).status).toBe(401);
    expect(await identity.resolve(accessToken)).toBeNull();
    await waitFor(() => revoked.some((e) => e['sessionId'] === caller.sessionId));
    expect(revoked.find((e) => e['sessionId'] === caller.sessionId)).toMatchObject({ reason: 'refresh_token_reused' });
    const { rows } = await backends.sql.query('select error_code from audit_log where user_id = $1 and actor = $2', [
      caller.userId,
      'refresh_token_reuse',
    ]);
    expect(rows).toEqual([{ error_code: 'REFRESH_REUSED' }]);
  });

  it('gives one child to sixty-four refreshes at once, and the child lives', async () => {
    const { refreshToken, caller } = await newSession();
    const all = await Promise.all(Array.from({ length: 64 }, () => identity.refresh(refreshToken)));
    const good = all.filter((a) => a.status === 200);
    expect(good).toHaveLength(1);
    expect(all.filter((a) => a.status === 401)).toHaveLength(63);
    expect(await alive(caller.sessionId)).toBe(1);
    expect((await identity.refresh(refreshOf(good[0] as { body: Record<string, unknown> }))).status).toBe(200);
  });

  it('gives one child to refreshes at once over two replicas', async () => {
    const { refreshToken, caller } = await newSession();
    const second = await startIdentity(backends);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? identity : second).refresh(refreshToken)),
    );
    await second.stop();
    expect(all.filter((a) => a.status === 200)).toHaveLength(1);
    expect(await alive(caller.sessionId)).toBe(1);
  });

  it('is refused and no more when it reached the edge before the token was spent, however late it comes on', async () => {
    const { refreshToken, caller } = await newSession();
    const received = String(Date.now());
    expect((await identity.refresh(refreshToken)).status).toBe(200);
    const late = await identity.ask('/api/auth/token/refresh', {
      json: { refresh_token: refreshToken },
      headers: { 'x-overtone-received': received },
    });
    expect(late.status).toBe(401);
    expect(await alive(caller.sessionId)).toBe(1);
  });

  it.each(['', 'x', 'A'.repeat(43), "' or 1=1 --"])('refuses the token %j', async (token) => {
    expect((await identity.refresh(token)).status).toBe(401);
  });

  it('takes the cookie when the body has no token', async () => {
    const { refreshToken } = await newSession();
    const answer = await identity.ask('/api/auth/token/refresh', {
      method: 'POST',
      headers: { cookie: `refresh_token=${refreshToken}` },
    });
    expect(answer.status).toBe(200);
  });

  it('ends with the idle limit and with the session itself', async () => {
    const idle = await newSession();
    await backends.sql.query('update refresh_token set expires_at = now() where session_id = $1', [
      idle.caller.sessionId,
    ]);
    expect((await identity.refresh(idle.refreshToken)).status).toBe(401);
    expect(await identity.resolve(idle.accessToken)).toBeNull();

    const old = await newSession();
    await backends.sql.query(
      "update refresh_token set absolute_expires_at = now() + interval '1 minute' where session_id = $1",
      [old.caller.sessionId],
    );
    const { cookies } = await identity.refresh(old.refreshToken);
    const lifetime = Number(/refresh_token=.*Max-Age=(\d+)/.exec(cookies[1] ?? '')?.[1]);
    expect(lifetime).toBeGreaterThan(50);
    expect(lifetime).toBeLessThanOrEqual(60);
    expect(cookies[2]).toContain(`Max-Age=${lifetime}`);
  });

  it('is refused to a disabled account', async () => {
    const { user, refreshToken } = await newSession();
    await backends.sql.query('update "user" set is_active = false where uuid = $1', [user.id]);
    expect((await identity.refresh(refreshToken)).status).toBe(401);
  });
});

describe('resolving', () => {
  it("tells the account's role, not the token's", async () => {
    const { user, accessToken } = await newSession({ role: 'admin' });
    expect(await identity.resolve(accessToken)).toMatchObject({ userId: user.id, role: 'admin', refusal: null });
    await backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [user.id]);
    expect(await identity.resolve(accessToken)).toMatchObject({ role: 'user' });
  });

  it('tells the state of an account that may not do everything', async () => {
    const { user, accessToken } = await newSession();
    await backends.sql.query('update "user" set must_change_password = true where uuid = $1', [user.id]);
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
  });

  it('knows nobody behind a token of a removed account', async () => {
    const { user, accessToken } = await newSession();
    await backends.sql.query('delete from "user" where uuid = $1', [user.id]);
    expect(await identity.resolve(accessToken)).toBeNull();
  });
});

describe('ending sessions', () => {
  it('signs out this session only, clears the cookies and says so on the bus', async () => {
    const user = await addUser(backends.sql);
    const [one, two] = [
      await identity.session(user.email, user.password),
      await identity.session(user.email, user.password),
    ];
    const { status, cookies } = await identity.ask('/api/auth/logout', { method: 'POST', caller: one.caller });
    expect(status).toBe(200);
    expect(cookies.every((c) => c.includes('Max-Age=0'))).toBe(true);
    expect(await identity.resolve(one.accessToken)).toBeNull();
    expect(await identity.resolve(two.accessToken)).not.toBeNull();
    await waitFor(() => revoked.some((e) => e['sessionId'] === one.caller.sessionId));
  });

  it('signs out with nothing but the refresh token', async () => {
    const { refreshToken, accessToken } = await newSession();
    await identity.ask('/api/auth/logout', { json: { refresh_token: refreshToken } });
    expect(await identity.resolve(accessToken)).toBeNull();
  });

  it('answers a sign-out without a session like any other', async () => {
    expect((await identity.ask('/api/auth/logout', { method: 'POST' })).status).toBe(200);
  });

  it('lists the living sessions and ends one of them', async () => {
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

  it("does not end another user's session, and does not tell that it exists", async () => {
    const mine = await newSession();
    const theirs = await newSession();
    const { status } = await identity.ask(`/api/auth/sessions/${theirs.caller.sessionId}`, {
      method: 'DELETE',
      caller: mine.caller,
    });
    expect(status).toBe(404);
    expect(await identity.resolve(theirs.accessToken)).not.toBeNull();
  });

  it('ends all sessions, and tells of it once', async () => {
    const user = await addUser(backends.sql);
    const sessions = [1, 2, 3].map(() => identity.session(user.email, user.password));
    const [one] = await Promise.all(sessions);
    const { body } = await identity.ask('/api/auth/logout/all', { method: 'POST', caller: one?.caller ?? null });
    expect(body).toMatchObject({ sessions_revoked: 3 });
    for (const s of await Promise.all(sessions)) expect(await identity.resolve(s.accessToken)).toBeNull();
    await waitFor(() => revoked.some((e) => e['userId'] === user.id));
    expect(revoked.filter((e) => e['userId'] === user.id)).toEqual([
      { userId: user.id, sessionId: null, reason: 'logout_all' },
    ]);
  });

  it('leaves nothing alive when a refresh races the end of all sessions', async () => {
    for (let i = 0; i < 15; i++) {
      const { caller, refreshToken } = await newSession();
      // The refresh gathers for a moment; the end is spread over that moment.
      const end = new Promise((resolve) => setTimeout(resolve, 105 + i * 3)).then(() =>
        identity.ask('/api/auth/logout/all', { method: 'POST', caller }),
      );
      await Promise.all([identity.refresh(refreshToken), end]);
      expect(await alive(caller.sessionId)).toBe(0);
    }
  });
});
