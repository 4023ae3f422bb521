import { beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();
const updated = collectEvents(backends.bus, 'evt.identity.user.updated.v1');
const { email, password } = await addUser(backends.sql, { role: 'admin' });
const administrator = await identity.session(email, password);
beforeEach(() => backends.sql.query(`update "user" set approval_status = 'approved'`));

const queue = '/api/admin/user-approvals';

function decide(id: string, what: 'approve' | 'reject', json?: unknown) {
  return identity.ask(`${queue}/${id}/${what}`, {
    method: 'POST',
    caller: administrator.caller,
    ...(json === undefined ? {} : { json }),
  });
}

/** A user who was admitted before approval became required. */
async function waiting() {
  const user = await addUser(backends.sql);
  const session = await identity.session(user.email, user.password);
  await backends.sql.query(`update "user" set approval_status = 'pending' where uuid = $1`, [user.id]);
  return { ...user, ...session };
}

async function audited(id: string) {
  return (
    await backends.sql.query<Record<string, unknown>>(
      `select event_type, actor, details from audit_log where user_id = $1 and event_type like 'admin.user.%'`,
      [id],
    )
  ).rows;
}

describe('the list of pending accounts', () => {
  it('lists pending accounts only, oldest first, in pages', async () => {
    const made = [await waiting(), await waiting(), await waiting()];
    await addUser(backends.sql, { approval_status: 'rejected' });
    const page = (value: number) =>
      identity.ask(`${queue}?page=${value}&page_size=2`, { caller: administrator.caller });
    const [one, two] = [await page(1), await page(2)];
    const ids = [one, two].flatMap((answer) => (answer.body['items'] as { uuid: string }[]).map((i) => i.uuid));
    expect(ids).toEqual(made.map((member) => member.id));
    expect(one.body).toMatchObject({ total: 3, page: 1, page_size: 2 });
  });

  it('is for administrators', async () => {
    const { email, password } = await addUser(backends.sql);
    const { caller } = await identity.session(email, password);
    expect((await identity.ask(queue, { caller })).status).toBe(403);
  });
});

describe('approving', () => {
  it('makes the next request with the same token succeed, and audits the actor', async () => {
    const user = await waiting();
    expect(await identity.resolve(user.accessToken)).toMatchObject({ refusal: 'account_pending_approval' });
    const { status, body } = await decide(user.id, 'approve');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      uuid: user.id,
      email: user.email,
      approval_status: 'approved',
      approved_by: administrator.caller.userId,
    });
    expect(await identity.resolve(user.accessToken)).toMatchObject({ refusal: null });
    // The edge drops its cached account on this event.
    await waitFor(() => updated.some((event) => event['userId'] === user.id));
    expect(await audited(user.id)).toEqual([
      { event_type: 'admin.user.approve', actor: administrator.caller.userId, details: {} },
    ]);
  });

  it('of an account that is not pending is a conflict', async () => {
    const approved = await addUser(backends.sql);
    const rejected = await addUser(backends.sql, { approval_status: 'rejected' });
    for (const { id } of [approved, rejected])
      for (const what of ['approve', 'reject'] as const) {
        const { status, body } = await decide(id, what);
        expect([status, body['code']]).toEqual([409, 'approval_not_pending']);
      }
  });

  it('concurrently with rejecting succeeds for one of the two', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await waiting();
      const answers = await Promise.all([decide(id, 'approve'), decide(id, 'reject')]);
      expect(answers.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([200, 409]);
      expect(await audited(id)).toHaveLength(1);
    }
  });

  it('of an unknown account is 404', async () => {
    expect((await decide('0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c', 'approve')).status).toBe(404);
  });
});

describe('rejecting', () => {
  it('ends the sessions and keeps the account, with the reason', async () => {
    const user = await waiting();
    const { body } = await decide(user.id, 'reject', { reason: 'unknown person' });
    expect(body).toMatchObject({ approval_status: 'rejected', approved_at: null, approved_by: null });
    expect(await identity.resolve(user.accessToken)).toBeNull();
    expect((await identity.refresh(user.refreshToken)).status).toBe(401);
    expect(await audited(user.id)).toMatchObject([
      { event_type: 'admin.user.reject', details: { reason: 'unknown person' } },
    ]);
    const { rows } = await backends.sql.query('select approval_reason from "user" where uuid = $1', [user.id]);
    expect(rows).toEqual([{ approval_reason: 'unknown person' }]);
  });

  it('needs no reason', async () => {
    expect((await decide((await waiting()).id, 'reject')).status).toBe(200);
  });
});

describe('switching approval off', () => {
  it('approves pending accounts immediately and keeps rejected ones', async () => {
    const root = await identity.session();
    const set = (value: boolean) =>
      identity.ask('/api/admin/auth-config/local', {
        method: 'PUT',
        caller: root.caller,
        json: { require_account_approval: value },
      });
    expect((await set(true)).status).toBe(200);
    const [user, other] = [await waiting(), await waiting()];
    await decide(other.id, 'reject');
    expect((await set(false)).status).toBe(200);
    expect(await identity.resolve(user.accessToken)).toMatchObject({ refusal: null });
    const { rows } = await backends.sql.query('select approval_status from "user" where uuid = $1', [other.id]);
    expect(rows).toEqual([{ approval_status: 'rejected' }]);
    await waitFor(() => updated.some((event) => event['userId'] === user.id));
  });
});
