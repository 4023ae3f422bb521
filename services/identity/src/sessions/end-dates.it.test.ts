import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { addUser } from '../../test/running-identity.ts';
import { startSessionWorld, type SessionWorld } from '../../test/session-world.ts';

let w: SessionWorld;
let backends: SessionWorld['backends'];
let identity: SessionWorld['identity'];
beforeAll(async () => {
  w = await startSessionWorld();
  ({ backends, identity } = w);
});
afterAll(() => w.stop());

const patience = { timeoutMs: 60_000 };
const endIn = (id: string, seconds: number) =>
  backends.sql.query(`update "user" set account_expires_at = now() + make_interval(secs => $2) where uuid = $1`, [
    id,
    seconds,
  ]);
const closedFor = (userId: string) => w.revoked.filter((e) => e['userId'] === userId);

describe('an account with an end date', () => {
  it('has all that is open for it closed when the moment comes, and its session says why', async () => {
    const user = await addUser(backends.sql);
    const session = await identity.session(user.email, user.password);
    await endIn(user.id, 1);
    await waitFor(() => closedFor(user.id).length > 0, patience);
    expect(closedFor(user.id)[0]).toEqual({ userId: user.id, sessionId: null, reason: 'account_expired' });
    expect(await identity.resolve(session.accessToken)).toMatchObject({ refusal: 'account_expired' });
  });

  it('is told of once', async () => {
    const [first, second] = [await addUser(backends.sql), await addUser(backends.sql)];
    for (const { email, password } of [first, second]) await identity.session(email, password);
    await endIn(first.id, 0);
    await waitFor(() => closedFor(first.id).length > 0, patience);
    // Found by a later look, so that there has been one.
    await endIn(second.id, 0);
    await waitFor(() => closedFor(second.id).length > 0, patience);
    // Counted where it is written: a message may be heard twice.
    const { rows } = await backends.sql.query(
      `select from identity_outbox where subject = 'evt.identity.session.revoked.v1' and data ->> 'userId' = $1`,
      [first.id],
    );
    expect(rows).toHaveLength(1);
  });

  it('that an administrator sets into the past ends at once', async () => {
    const root = (await identity.session()).caller;
    const user = await addUser(backends.sql);
    await identity.session(user.email, user.password);
    const { status } = await identity.ask(`/api/users/${user.id}`, {
      method: 'PUT',
      json: { account_expires_at: '2020-01-01T00:00:00Z' },
      caller: root,
    });
    expect(status).toBe(200);
    await waitFor(() => closedFor(user.id).length > 0, patience);
  });

  it('that lies ahead, or without a session, is not told of', async () => {
    const [later, absent, last] = [
      await addUser(backends.sql),
      await addUser(backends.sql),
      await addUser(backends.sql),
    ];
    for (const { email, password } of [later, last]) await identity.session(email, password);
    await endIn(later.id, 3_600);
    await endIn(absent.id, 0);
    await endIn(last.id, 0);
    await waitFor(() => closedFor(last.id).length > 0, patience);
    expect([...closedFor(later.id), ...closedFor(absent.id)]).toEqual([]);
  });
});
