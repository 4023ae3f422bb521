import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { addUser } from '../../test/running-identity.ts';
import { startSessionWorld } from '../../test/session-world.ts';

const world = await startSessionWorld();
const { backends, identity } = world;

function endIn(id: string, seconds: number) {
  return backends.sql.query(
    `update "user" set account_expires_at = now() + make_interval(secs => $2) where uuid = $1`,
    [id, seconds],
  );
}

function closedFor(userId: string) {
  return world.revoked.filter((event) => event['userId'] === userId);
}

describe('an account with an end date', () => {
  it('has its connections closed at that time, and its requests refused with the reason', async () => {
    const user = await addUser(backends.sql);
    const session = await identity.session(user.email, user.password);
    await endIn(user.id, 1);
    await waitFor(() => closedFor(user.id).length > 0);
    expect(closedFor(user.id)[0]).toEqual({ userId: user.id, sessionId: null, reason: 'account_expired' });
    expect(await identity.resolve(session.accessToken)).toMatchObject({ refusal: 'account_expired' });
  });

  it('cannot refresh, and loses every session with the attempt', async () => {
    const user = await addUser(backends.sql);
    const [one, two] = [
      await identity.session(user.email, user.password),
      await identity.session(user.email, user.password),
    ];
    await endIn(user.id, 0);
    const { status, body, cookies } = await identity.refresh(one.refreshToken);
    expect({ status, code: body['code'], cookies }).toEqual({ status: 401, code: 'refresh_refused', cookies: [] });
    expect(await identity.resolve(one.accessToken)).toBeNull();
    expect(await identity.resolve(two.accessToken)).toBeNull();
    expect((await identity.refresh(two.refreshToken)).status).toBe(401);
    const { rows } = await backends.sql.query(
      `select actor, details from audit_log where user_id = $1 and event_type = 'auth.session.terminated'`,
      [user.id],
    );
    expect(rows).toEqual([{ actor: 'account_end_date', details: { reason: 'account_expired', sessions_revoked: 2 } }]);
  });

  it('has no session after the end date is postponed, until the next sign-in', async () => {
    const user = await addUser(backends.sql);
    const session = await identity.session(user.email, user.password);
    await endIn(user.id, 0);
    await Promise.all(Array.from({ length: 8 }, () => identity.refresh(session.refreshToken)));
    await endIn(user.id, 3_600);
    expect((await identity.refresh(session.refreshToken)).status).toBe(401);
    const again = await identity.session(user.email, user.password);
    expect((await identity.refresh(again.refreshToken)).status).toBe(200);
  });

  it('is published once', async () => {
    const [first, second] = [await addUser(backends.sql), await addUser(backends.sql)];
    for (const { email, password } of [first, second]) await identity.session(email, password);
    await endIn(first.id, 0);
    await waitFor(() => closedFor(first.id).length > 0);
    // Published by a later search: this one has run before.
    await endIn(second.id, 0);
    await waitFor(() => closedFor(second.id).length > 0);
    // Counted in the outbox, because a message may be delivered twice.
    const { rows } = await backends.sql.query(
      `select from identity_outbox where subject = 'evt.identity.session.revoked.v1' and data ->> 'userId' = $1`,
      [first.id],
    );
    expect(rows).toHaveLength(1);
  });

  it('in the past, set by an administrator, is effective immediately', async () => {
    const root = (await identity.session()).caller;
    const user = await addUser(backends.sql);
    await identity.session(user.email, user.password);
    const { status } = await identity.ask(`/api/users/${user.id}`, {
      method: 'PUT',
      json: { account_expires_at: '2020-01-01T00:00:00Z' },
      caller: root,
    });
    expect(status).toBe(200);
    await waitFor(() => closedFor(user.id).length > 0);
  });

  it('in the future, or without a session, is not published', async () => {
    const [later, absent, last] = [
      await addUser(backends.sql),
      await addUser(backends.sql),
      await addUser(backends.sql),
    ];
    for (const { email, password } of [later, last]) await identity.session(email, password);
    await endIn(later.id, 3_600);
    await endIn(absent.id, 0);
    await endIn(last.id, 0);
    await waitFor(() => closedFor(last.id).length > 0);
    expect([...closedFor(later.id), ...closedFor(absent.id)]).toEqual([]);
  });
});
