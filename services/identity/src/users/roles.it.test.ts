import { beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { codeOf as code, startAdministration, type Session } from '../../test/administration.ts';
import { addUser } from '../../test/running-identity.ts';

let plainAdmin: Session;
let plainAdminId: string;
const world = await startAdministration();
const { root } = world;
beforeEach(async () => {
  const { id, session } = await world.member({ role: 'admin' });
  plainAdminId = id;
  plainAdmin = session;
});

describe('deleting an account', () => {
  const remove = (id: string, by = root) => world.ask(`/api/users/${id}`, by, 'DELETE');

  it('ends its sessions, deletes its rows and publishes an event', async () => {
    const user = await world.member();
    expect((await remove(user.id, plainAdmin)).status).toBe(204);
    expect(await world.row(user.id)).toBeUndefined();
    expect(await world.isDead(user.session)).toBe(true);
    await waitFor(() =>
      world.events.some((event) => Object.keys(event).join() === 'userId' && event['userId'] === user.id),
    );
    expect(await world.audited(user.id, 'admin.user.delete')).toMatchObject([
      { actor: plainAdminId, username: user.email },
    ]);
  });

  it('is refused for the own account and for higher roles', async () => {
    expect(code(await remove(plainAdminId, plainAdmin))).toEqual([409, 'own_account']);
    expect(code(await remove(root.caller.userId, plainAdmin))).toEqual([403, 'account_out_of_reach']);
  });
});

describe('changing a role', () => {
  const changeRole = (id: string, role: string, by = root) =>
    world.ask(`/api/admin/users/${id}/role?new_role=${role}`, by, 'PUT');

  it('ends the sessions of the account, publishes an event and audits the actor once', async () => {
    const user = await world.member();
    expect((await changeRole(user.id, 'admin')).body).toEqual({ success: true, old_role: 'user', new_role: 'admin' });
    expect(await world.isDead(user.session)).toBe(true);
    await waitFor(() => world.hasEvent(user.id, 'role_changed'));
    expect(world.events).toContainEqual({ userId: user.id, from: 'user', to: 'admin', actor: root.caller.userId });
    expect(await world.audited(user.id, 'admin.role.change')).toMatchObject([
      { actor: root.caller.userId, details: { from: 'user', to: 'admin', sessions_revoked: 1 } },
    ]);
  });

  it('to the same role changes nothing and ends no session', async () => {
    const user = await world.member();
    expect((await changeRole(user.id, 'user')).status).toBe(200);
    expect(await world.identity.resolve(user.session.accessToken)).not.toBeNull();
    expect(await world.audited(user.id, 'admin.role.change')).toEqual([]);
  });

  it('is for a super_admin only, and refused for the own account', async () => {
    const { id } = await addUser(world.backends.sql);
    expect((await changeRole(id, 'admin', plainAdmin)).status).toBe(403);
    expect(code(await changeRole(root.caller.userId, 'user'))).toEqual([409, 'own_account']);
    expect((await changeRole(id, 'root')).status).toBe(400);
  });

  it('never removes the last super_admin, by role, disabling, deletion or end date', async () => {
    const second = await world.member({ role: 'super_admin' });
    await world.backends.sql.query('update "user" set account_expires_at = $1 where uuid = $2', [
      new Date(Date.now() + 3_600_000),
      root.caller.userId,
    ]);
    // The other one has an end date, so it is not a permanent super_admin.
    const answers = [
      await changeRole(second.id, 'user'),
      await world.ask(`/api/users/${second.id}`, root, 'PUT', { is_active: false }),
      await world.ask(`/api/users/${second.id}`, root, 'PUT', { account_expires_at: '2030-01-01T00:00:00Z' }),
      await world.ask(`/api/users/${second.id}`, root, 'DELETE'),
    ];
    await world.backends.sql.query('update "user" set account_expires_at = null where uuid = $1', [root.caller.userId]);
    expect(answers.map(code)).toEqual(answers.map(() => [409, 'last_super_admin']));
    expect((await changeRole(second.id, 'user')).status).toBe(200);
  });

  it('succeeds for only one of two super_admins who demote each other concurrently', async () => {
    for (let round = 0; round < 6; round++) {
      const [first, second] = [
        await world.member({ role: 'super_admin' }),
        await world.member({ role: 'super_admin' }),
      ];
      const statuses = (
        await Promise.all([changeRole(first.id, 'user', second.session), changeRole(second.id, 'user', first.session)])
      ).map((record) => record.status);
      expect(statuses.toSorted((x, y) => x - y)).toEqual([200, 403]);
      await world.backends.sql.query(`delete from "user" where uuid = any($1)`, [[first.id, second.id]]);
    }
  });

  it('leaves one super_admin after many concurrent removals of every kind', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => world.member({ role: 'super_admin' })));
    await world.backends.sql.query('update "user" set account_expires_at = $1 where uuid = $2', [
      new Date(Date.now() + 3_600_000),
      root.caller.userId,
    ]);
    const ways = [
      (id: string, by: Session) => changeRole(id, 'admin', by),
      (id: string, by: Session) => world.ask(`/api/users/${id}`, by, 'DELETE'),
      (id: string, by: Session) => world.ask(`/api/users/${id}`, by, 'PUT', { is_active: false }),
    ];
    const all = made.flatMap((by, i) =>
      made.map(async (target, index) => ways[(i + index) % 3]?.(target.id, by.session)),
    );
    const answers = await Promise.all(all);
    const { rows } = await world.backends.sql.query(
      `select 1 from "user" where role = 'super_admin' and is_active and account_expires_at is null`,
    );
    await world.backends.sql.query('update "user" set account_expires_at = null where uuid = $1', [root.caller.userId]);
    await world.backends.sql.query('delete from "user" where uuid = any($1)', [made.map((member) => member.id)]);
    expect(rows).toHaveLength(1);
    expect(answers.every((answer) => (answer?.status ?? 500) < 500)).toBe(true);
  });
});
