import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { startIdentity, type RunningIdentity } from '../../test/running-identity.ts';
import { startSessionWorld } from '../../test/session-world.ts';

const world = await startSessionWorld();
const { backends, identity, revoked } = world;

function newSession(fields: Record<string, unknown> = {}) {
  return world.newSession(fields);
}

function rowsOf(sessionId: string) {
  return world.rowsOf(sessionId);
}

function alive(sessionId: string) {
  return world.alive(sessionId);
}

function refreshOf(answer: { body: Record<string, unknown> }) {
  return String(answer.body['refresh_token']);
}

/** Requests that reached the edge at the same time: on a busy machine, some come from there later than the first is answered. */
function refreshTogether(
  token: string,
  count: number,
  replicas: readonly Pick<RunningIdentity, 'refresh'>[] = [identity],
) {
  const received = { 'x-overtone-received': String(Date.now()) };
  return Promise.all(
    Array.from({ length: count }, (_, i) => (replicas[i % replicas.length] ?? identity).refresh(token, received)),
  );
}

describe('refreshing', () => {
  it('spends the token and returns a new pair of the same session', async () => {
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
    await waitFor(() => revoked.some((event) => event['sessionId'] === caller.sessionId));
    expect(revoked.find((event) => event['sessionId'] === caller.sessionId)).toMatchObject({
      reason: 'refresh_token_reused',
    });
    const { rows } = await backends.sql.query('select error_code from audit_log where user_id = $1 and actor = $2', [
      caller.userId,
      'refresh_token_reuse',
    ]);
    expect(rows).toEqual([{ error_code: 'REFRESH_REUSED' }]);
  });

  it('issues one new token to sixty-four concurrent refreshes, which stays valid, repeatedly', async () => {
    const { refreshToken: first, caller } = await newSession();
    let token = first;
    for (let round = 0; round < 6; round++) {
      const all = await refreshTogether(token, 64);
      const good = all.filter((answer) => answer.status === 200);
      expect(good).toHaveLength(1);
      expect(await alive(caller.sessionId)).toBe(1);
      token = refreshOf(good[0] as { body: Record<string, unknown> });
    }
    expect((await identity.refresh(token)).status).toBe(200);
  });

  it('invalidates all tokens of a session after two uses of one token, in either order', async () => {
    for (const reused of ['parent', 'grandparent'] as const) {
      const { refreshToken: grandparent, caller } = await newSession();
      const parent = refreshOf(await identity.refresh(grandparent));
      const child = refreshOf(await identity.refresh(parent));
      expect((await identity.refresh(reused === 'parent' ? parent : grandparent)).status).toBe(401);
      expect(await alive(caller.sessionId)).toBe(0);
      for (const token of [grandparent, parent, child]) expect((await identity.refresh(token)).status).toBe(401);
    }
  });

  it('refuses sixty-four concurrent invalid tokens with 401', async () => {
    const { refreshToken, caller } = await newSession();
    const all = await refreshTogether(refreshToken, 64);
    const good = all.filter((answer) => answer.status === 200);
    expect(good).toHaveLength(1);
    expect(all.filter((answer) => answer.status === 401)).toHaveLength(63);
    expect(await alive(caller.sessionId)).toBe(1);
    expect((await identity.refresh(refreshOf(good[0] as { body: Record<string, unknown> }))).status).toBe(200);
  });

  it('issues one new token to concurrent refreshes over two replicas', async () => {
    const { refreshToken, caller } = await newSession();
    const second = await startIdentity(backends);
    const all = await refreshTogether(refreshToken, 20, [identity, second]);
    await second.stop();
    expect(all.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(await alive(caller.sessionId)).toBe(1);
  });

  it('is refused without ending the session when it reached the edge before the token was spent', async () => {
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

  const withCookies = (cookie: string, headers: Record<string, string> = {}) =>
    identity.ask('/api/auth/token/refresh', { method: 'POST', headers: { cookie, ...headers } });

  it('uses the cookie when the body has no token, with the CSRF token of the same session', async () => {
    const [mine, other] = [await newSession(), await newSession()];
    for (const csrf of ['', `; csrf_token=${other.csrfToken}`, `; csrf_token=${'ab'.repeat(32)}`]) {
      const { status, body } = await withCookies(`refresh_token=${mine.refreshToken}${csrf}`);
      expect([status, body['code']]).toEqual([403, 'csrf_failed']);
    }
    const good = await withCookies(`refresh_token=${mine.refreshToken}; csrf_token=${mine.csrfToken}`);
    expect(good.status).toBe(200);
    expect(good.cookies[2]).toContain(`csrf_token=${mine.csrfToken};`);
  });

  it('does not sign out by cookies without the CSRF token of the session', async () => {
    const { refreshToken, accessToken, csrfToken } = await newSession();
    const logout = (cookie: string) => identity.ask('/api/auth/logout', { method: 'POST', headers: { cookie } });
    expect((await logout(`refresh_token=${refreshToken}`)).status).toBe(403);
    expect(await identity.resolve(accessToken)).not.toBeNull();
    expect((await logout(`refresh_token=${refreshToken}; csrf_token=${csrfToken}`)).status).toBe(200);
    expect(await identity.resolve(accessToken)).toBeNull();
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
  it('returns the role of the account, not of the token', async () => {
    const { user, accessToken } = await newSession({ role: 'admin' });
    expect(await identity.resolve(accessToken)).toMatchObject({ userId: user.id, role: 'admin', refusal: null });
    await backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [user.id]);
    expect(await identity.resolve(accessToken)).toMatchObject({ role: 'user' });
  });

  it('returns the state of a restricted account', async () => {
    const { user, accessToken } = await newSession();
    await backends.sql.query('update "user" set must_change_password = true where uuid = $1', [user.id]);
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
  });

  it('resolves a token of a removed account to no user', async () => {
    const { user, accessToken } = await newSession();
    await backends.sql.query('delete from "user" where uuid = $1', [user.id]);
    expect(await identity.resolve(accessToken)).toBeNull();
  });
});
