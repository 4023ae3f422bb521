import { beforeEach, describe, expect, it } from '@jest/globals';
import { codeOf as code, startAdministration, type Session } from '../../test/administration.ts';
import { addUser } from '../../test/running-identity.ts';

let plainAdmin: Session;
const world = await startAdministration();
const { root } = world;
beforeEach(async () => {
  plainAdmin = (await world.member({ role: 'admin' })).session;
});

describe('resetting a password', () => {
  const reset = (id: string, by = root, json: unknown = { new_password: 'Reset-Battery-2026' }) =>
    world.ask(`/api/admin/users/${id}/reset-password`, by, 'POST', json);

  it('sets a password that must be changed, removes a lock and ends all sessions', async () => {
    const user = await world.member();
    await world.backends.sql.query(`update "user" set locked_until = now() + interval '1 hour' where uuid = $1`, [
      user.id,
    ]);
    expect((await reset(user.id)).body).toEqual({ success: true, sessions_terminated: 1 });
    expect(await world.isDead(user.session)).toBe(true);
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(401);
    const { accessToken } = await world.identity.session(user.email, 'Reset-Battery-2026');
    expect(await world.identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
    expect(await world.audited(user.id, 'admin.password.reset')).toHaveLength(1);
  });

  it.each(['ldap', 'proxy', 'oidc', 'pki'])('does not set a hash on an account of %s', async (auth_type) => {
    const { id } = await addUser(world.backends.sql, { auth_type, password_hash: null });
    expect(code(await reset(id))).toEqual([409, 'password_not_local']);
    expect(await world.row(id)).toMatchObject({ password_hash: null });
  });

  it('applies the policy and the password history', async () => {
    const { id, password } = await addUser(world.backends.sql);
    const weak = await reset(id, root, { new_password: 'weak' });
    expect(code(weak)).toEqual([400, 'password_rejected']);
    expect(weak.body['errors']).toMatchObject([{ path: 'new_password' }, {}, {}, {}]);
    expect((await reset(id, root, { new_password: password })).body).toMatchObject({
      detail: 'It has been used before.',
    });
  });

  it('by an admin works for a user, ends the sessions and is audited', async () => {
    const user = await world.member();
    expect((await reset(user.id, plainAdmin)).body).toEqual({ success: true, sessions_terminated: 1 });
    expect(await world.isDead(user.session)).toBe(true);
    expect((await world.identity.signIn(user.email, 'Reset-Battery-2026')).status).toBe(200);
    expect(await world.audited(user.id, 'admin.password.reset')).toMatchObject([{ actor: plainAdmin.caller.userId }]);
  });

  it.each(['admin', 'super_admin'])('by an admin does not reach an account with the role %s', async (role) => {
    const target = await addUser(world.backends.sql, { role });
    const before = await world.row(target.id);
    expect(code(await reset(target.id, plainAdmin))).toEqual([403, 'account_out_of_reach']);
    // The response does not reveal whether a password was used before.
    const known = await reset(target.id, plainAdmin, { new_password: target.password });
    expect(code(known)).toEqual([403, 'account_out_of_reach']);
    expect(await world.row(target.id)).toEqual(before);
    expect(await world.audited(target.id, 'admin.password.reset')).toHaveLength(0);
  });

  it.each(['ldap', 'proxy', 'oidc', 'pki'])(
    'by an admin does not set a hash on an account of %s',
    async (auth_type) => {
      const { id } = await addUser(world.backends.sql, { auth_type, password_hash: null });
      expect(code(await reset(id, plainAdmin))).toEqual([409, 'password_not_local']);
      expect(await world.row(id)).toMatchObject({ password_hash: null });
    },
  );

  it('is not for a user, and not for the own password', async () => {
    const user = await world.member();
    expect((await reset((await addUser(world.backends.sql)).id, user.session)).status).toBe(403);
    expect(code(await reset(root.caller.userId))).toEqual([409, 'own_account']);
    expect((await reset(plainAdmin.caller.userId, plainAdmin)).status).toBe(403);
  });
});

describe('lifting a lock', () => {
  it('allows sign-ins again, and reports whether there was a lock', async () => {
    const user = await addUser(world.backends.sql);
    for (let i = 0; i < 5; i++) await world.identity.signIn(user.email, 'wrong');
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(401);
    const unlock = () => world.ask(`/api/admin/users/${user.id}/unlock`, plainAdmin, 'POST');
    expect((await unlock()).body).toEqual({ success: true, was_locked: true });
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(200);
    expect((await unlock()).body).toEqual({ success: true, was_locked: false });
    expect(await world.audited(user.id, 'auth.account.unlock')).toHaveLength(2);
  });

  it('is refused for accounts with a higher role', async () => {
    const answer = await world.ask(`/api/admin/users/${root.caller.userId}/unlock`, plainAdmin, 'POST');
    expect(code(answer)).toEqual([403, 'account_out_of_reach']);
  });
});

describe('the sessions of a user', () => {
  it('are listed and ended, one or all', async () => {
    const user = await world.member();
    const second = await world.identity.session(user.email, user.password);
    const path = `/api/admin/users/${user.id}/sessions`;
    expect((await world.ask(path, plainAdmin)).body).toMatchObject({ total: 2 });
    expect((await world.ask(`${path}/${second.caller.sessionId}`, plainAdmin, 'DELETE')).status).toBe(204);
    expect(await world.isDead(second)).toBe(true);
    expect(await world.identity.resolve(user.session.accessToken)).not.toBeNull();
    expect((await world.ask(path, plainAdmin, 'DELETE')).body).toEqual({ success: true, sessions_terminated: 1 });
    expect(await world.isDead(user.session)).toBe(true);
    expect(await world.audited(user.id, 'auth.session.terminated')).toHaveLength(2);
  });

  it('of one account are not ended through another', async () => {
    const [first, second] = [await world.member(), await world.member()];
    const path = `/api/admin/users/${first.id}/sessions/${second.session.caller.sessionId}`;
    expect((await world.ask(path, root, 'DELETE')).status).toBe(404);
    expect(await world.identity.resolve(second.session.accessToken)).not.toBeNull();
  });

  it('are not accessible for higher roles', async () => {
    const path = `/api/admin/users/${root.caller.userId}/sessions`;
    for (const [person, method] of [
      [path, 'GET'],
      [path, 'DELETE'],
      [`${path}/${root.caller.sessionId}`, 'DELETE'],
    ] as const)
      expect(code(await world.ask(person, plainAdmin, method))).toEqual([403, 'account_out_of_reach']);
    expect(await world.identity.resolve(root.accessToken)).not.toBeNull();
  });
});
