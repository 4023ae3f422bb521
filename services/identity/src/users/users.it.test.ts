import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { addUser, admin, listenTo, startBackends, startIdentity } from '../../test/running-identity.ts';
import type { Backends, RunningIdentity } from '../../test/running-identity.ts';

let backends: Backends;
let identity: RunningIdentity;
let heard: Record<string, unknown>[];
type Session = Awaited<ReturnType<RunningIdentity['session']>>;
let root: Session;
let plainAdmin: Session;
let plainAdminId: string;
beforeAll(async () => {
  backends = await startBackends();
  identity = await startIdentity(backends);
  heard = listenTo(backends.bus, 'evt.identity.>');
  root = await identity.session();
});
beforeEach(async () => {
  const { id, email, password } = await addUser(backends.sql, { role: 'admin' });
  plainAdminId = id;
  plainAdmin = await identity.session(email, password);
});
afterAll(async () => {
  await identity.stop();
  await backends.stop();
});

const ask = (path: string, by: Session, method = 'GET', json?: unknown) =>
  identity.ask(path, { method, caller: by.caller, ...(json === undefined ? {} : { json }) });
const member = async (fields: Record<string, unknown> = {}) => {
  const user = await addUser(backends.sql, fields);
  return { ...user, session: await identity.session(user.email, user.password) };
};
const row = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await backends.sql.query<Record<string, unknown>>('select * from "user" where uuid = $1', [id])).rows[0];
const audited = async (id: string, event: string) =>
  (
    await backends.sql.query<Record<string, unknown>>(
      'select * from audit_log where user_id = $1 and event_type = $2 order by time',
      [id, event],
    )
  ).rows;
const told = (userId: string, reason?: string) =>
  heard.some((e) => e['userId'] === userId && (reason === undefined || e['reason'] === reason));
const isDead = async (s: Session) =>
  (await identity.resolve(s.accessToken)) === null && (await identity.refresh(s.refreshToken)).status === 401;
const code = (a: { status: number; body: Record<string, unknown> }) => [a.status, a.body['code']];

describe('the list of accounts', () => {
  const list = async (query: string, by = root) => {
    const { body } = await ask(`/api/admin/users?${query}`, by);
    return { total: body['total'] as number, items: body['items'] as Record<string, unknown>[] };
  };

  it('is searched by name, address and directory login, each as it is written', async () => {
    const { id } = await addUser(backends.sql, { full_name: '100% Übermut_x', ldap_uid: 'ueber', auth_type: 'ldap' });
    for (const q of ['100%25 über', 'MUT_X', 'ueber']) expect((await list(`q=${q}`)).items[0]?.['uuid']).toBe(id);
    expect((await list('q=1%25mut')).total).toBe(0);
    expect((await list('q=mutxx')).total).toBe(0);
  });

  it.each([
    ['role=super_admin', { role: 'super_admin' }],
    ['auth_type=oidc', { auth_type: 'oidc' }],
    ['is_active=false', { is_active: false }],
    ['approval_status=pending', { approval_status: 'pending' }],
  ])('is filtered by %s', async (query, fields) => {
    await addUser(backends.sql, fields);
    const { items, total } = await list(query);
    expect(total).toBe(items.length);
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item).toMatchObject(fields);
    await backends.sql.query(`delete from "user" where role = 'super_admin' and lower(email) <> lower($1)`, [
      admin.email,
    ]);
  });

  it('tells who is locked out, and until when', async () => {
    const locked = await addUser(backends.sql, { locked_until: new Date(Date.now() + 60_000) });
    const { items } = await list('locked=true');
    expect(items.map((i) => i['uuid'])).toEqual([locked.id]);
    expect(items[0]?.['locked_until']).not.toBeNull();
    expect((await list('locked=false')).items.every((i) => i['locked_until'] === null)).toBe(true);
  });

  it('is sorted and cut into pages that together are the whole', async () => {
    const whole = await list('sort_by=email&sort_order=desc&page_size=100');
    const emails = whole.items.map((i) => String(i['email']).toLowerCase());
    expect(emails).toEqual(emails.toSorted().toReversed());
    const pages = [];
    for (let page = 1; page <= Math.ceil(whole.total / 3); page++)
      pages.push(...(await list(`sort_by=email&sort_order=desc&page_size=3&page=${page}`)).items);
    expect(pages.map((i) => i['uuid'])).toEqual(whole.items.map((i) => i['uuid']));
    expect((await list('page=9999')).items).toEqual([]);
  });

  it('shows no hash', async () => {
    expect(JSON.stringify(await list('page_size=100'))).not.toContain('argon2');
  });

  it.each(['role=root', 'page=0', 'page_size=101', 'sort_by=password_hash', 'locked=maybe', 'q=a%00b'])(
    'refuses %s',
    async (query) => {
      expect((await ask(`/api/admin/users?${query}`, root)).status).toBe(400);
    },
  );
});

describe('people to share with', () => {
  it('are found by name and address, at most twenty, never the caller and nobody who cannot sign in', async () => {
    const name = `Findable ${Date.now()}`;
    const me = await member({ full_name: name });
    for (let i = 0; i < 22; i++) await addUser(backends.sql, { full_name: name });
    await addUser(backends.sql, { full_name: `${name} off`, is_active: false });
    await addUser(backends.sql, { full_name: `${name} waits`, approval_status: 'pending' });
    const answer = await ask(`/api/users/search?q=${encodeURIComponent(name)}`, me.session);
    const found = answer.body as unknown as Record<string, unknown>[];
    expect(found).toHaveLength(20);
    expect(found.every((u) => u['full_name'] === name && u['uuid'] !== me.id)).toBe(true);
    expect(Object.keys(found[0] ?? {}).toSorted()).toEqual(['email', 'full_name', 'uuid']);
    for (const q of [`${name} off`, `${name} waits`, '%_%'])
      expect((await ask(`/api/users/search?q=${encodeURIComponent(q)}`, root)).body).toEqual([]);
  });

  it('are not listed without two letters to look for', async () => {
    for (const q of ['', 'a', '%20%20%20']) expect((await ask(`/api/users/search?q=${q}`, root)).status).toBe(400);
  });
});

describe('making an account', () => {
  const make = (json: unknown, by = root) => ask('/api/admin/users', by, 'POST', json);
  const fresh = () => `new-${Math.random().toString(36).slice(2)}@example.org`;
  const password = 'Some-Battery-2026';

  it('gives a local one a password that has to be changed, and tells of it', async () => {
    const email = fresh();
    const { status, body } = await make({ email, password, full_name: 'Nina Neu' }, plainAdmin);
    expect(status).toBe(201);
    expect(body).toMatchObject({ email, role: 'user', auth_type: 'local', must_change_password: true });
    const { accessToken } = await identity.session(email, password);
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
    await waitFor(() => told(String(body['uuid'])));
    expect(await audited(String(body['uuid']), 'admin.user.create')).toMatchObject([{ actor: plainAdminId }]);
    const metrics = await (await fetch(`${identity.internal}/metrics`)).text();
    expect(metrics).toMatch(/user_signups_total\{method="local"\} [1-9]/);
  });

  it.each(['ldap', 'oidc', 'pki', 'proxy'])('gives one of %s no password', async (auth_type) => {
    expect(code(await make({ email: fresh(), auth_type, password }))).toEqual([400, 'password_not_local']);
    const { body } = await make({ email: fresh(), auth_type });
    expect(await row(String(body['uuid']))).toMatchObject({ password_hash: null, must_change_password: false });
  });

  it('holds the password to the rules in force', async () => {
    expect(code(await make({ email: fresh() }))).toEqual([400, 'password_rejected']);
    expect(code(await make({ email: fresh(), password: 'weak' }))).toEqual([400, 'password_rejected']);
  });

  it('refuses an address that another account has, whatever its case', async () => {
    const { email } = await addUser(backends.sql);
    expect(code(await make({ email: email.toUpperCase(), password }))).toEqual([409, 'email_taken']);
  });

  it('gives a role above user only by a super_admin', async () => {
    for (const role of ['admin', 'super_admin'])
      expect(code(await make({ email: fresh(), password, role }, plainAdmin))).toEqual([403, 'role_required']);
    const { status, body } = await make({ email: fresh(), password, role: 'admin' });
    expect([status, body['role']]).toEqual([201, 'admin']);
  });

  it('is refused to somebody who was an administrator when the request was let in, and is none now', async () => {
    await backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [plainAdminId]);
    expect(code(await make({ email: fresh(), password }, plainAdmin))).toEqual([403, 'role_required']);
  });
});

describe('changing an account', () => {
  const change = (id: string, json: unknown, by = root) => ask(`/api/users/${id}`, by, 'PUT', json);

  it('changes what is said and nothing else', async () => {
    const { id } = await addUser(backends.sql);
    const { body } = await change(id, { full_name: 'Renamed', account_expires_at: '2030-01-01T00:00:00Z' }, plainAdmin);
    expect(body).toMatchObject({ uuid: id, full_name: 'Renamed', account_expires_at: '2030-01-01T00:00:00.000Z' });
    expect((await change(id, { account_expires_at: null })).body).toMatchObject({
      full_name: 'Renamed',
      account_expires_at: null,
    });
    expect(await audited(id, 'admin.user.update')).toMatchObject([
      { details: { changed: 'full_name, account_expires_at' } },
      { details: { changed: 'account_expires_at' } },
    ]);
  });

  it.each(['role', 'auth_type', 'password', 'approval_status', 'ldap_uid'])('does not know the field %s', async (f) => {
    const { id } = await addUser(backends.sql);
    expect((await change(id, { [f]: 'admin' })).status).toBe(422);
  });

  it.each(['ldap', 'proxy'])('refuses allow_local_fallback for an account of %s at write time', async (auth_type) => {
    const { id } = await addUser(backends.sql, { auth_type, password_hash: null });
    const answer = await change(id, { allow_local_fallback: true, full_name: 'Not written' });
    expect(code(answer)).toEqual([400, 'local_fallback_refused']);
    expect(await row(id)).toMatchObject({ allow_local_fallback: false, full_name: 'Una User' });
  });

  it.each(['oidc', 'pki'])('allows allow_local_fallback for an account of %s', async (auth_type) => {
    const { id } = await addUser(backends.sql, { auth_type });
    expect((await change(id, { allow_local_fallback: true })).body).toMatchObject({ allow_local_fallback: true });
  });

  it('does not demand a new password where none is kept here', async () => {
    const { id } = await addUser(backends.sql, { auth_type: 'ldap', password_hash: null });
    expect(code(await change(id, { must_change_password: true }))).toEqual([409, 'password_not_local']);
  });

  it('refuses the address of another account', async () => {
    const [a, b] = [await addUser(backends.sql), await addUser(backends.sql)];
    expect(code(await change(a.id, { email: b.email.toUpperCase() }))).toEqual([409, 'email_taken']);
  });

  it('disables: every session ends with it, and everybody is told', async () => {
    const user = await member();
    expect((await change(user.id, { is_active: false }, plainAdmin)).body).toMatchObject({
      is_active: false,
      disabled_by: 'administrator',
    });
    expect(await isDead(user.session)).toBe(true);
    await waitFor(() => told(user.id, 'account_disabled') && told(user.id, 'disabled_by_administrator'));
    expect(heard.filter((e) => e['userId'] === user.id)).toContainEqual({
      userId: user.id,
      role: 'user',
      active: false,
    });
    expect(await audited(user.id, 'auth.account.disabled')).toMatchObject([
      { actor: plainAdminId, details: { sessions_revoked: 1 } },
    ]);
  });

  it('enables again: the person signs in, the old sessions stay dead', async () => {
    const user = await member();
    await change(user.id, { is_active: false });
    expect((await change(user.id, { is_active: true })).body).toMatchObject({ is_active: true, disabled_by: null });
    expect((await identity.signIn(user.email, user.password)).status).toBe(200);
    expect(await isDead(user.session)).toBe(true);
  });

  it('does not disable oneself', async () => {
    expect(code(await change(plainAdminId, { is_active: false }, plainAdmin))).toEqual([409, 'own_account']);
  });

  it('does not reach above the own role', async () => {
    const id = root.caller.userId;
    expect(code(await change(id, { full_name: 'Mallory' }, plainAdmin))).toEqual([403, 'account_out_of_reach']);
    expect(await row(id)).toMatchObject({ full_name: 'Administrator' });
  });

  it('of nobody is 404', async () => {
    expect((await change('0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c', { full_name: 'x' })).status).toBe(404);
  });
});

describe('deleting an account', () => {
  const remove = (id: string, by = root) => ask(`/api/users/${id}`, by, 'DELETE');

  it('ends its sessions, takes its rows and tells everybody who keeps something of it', async () => {
    const user = await member();
    expect((await remove(user.id, plainAdmin)).status).toBe(204);
    expect(await row(user.id)).toBeUndefined();
    expect(await isDead(user.session)).toBe(true);
    await waitFor(() => heard.some((e) => Object.keys(e).join() === 'userId' && e['userId'] === user.id));
    expect(await audited(user.id, 'admin.user.delete')).toMatchObject([{ actor: plainAdminId, username: user.email }]);
  });

  it('is never of oneself, and never above the own role', async () => {
    expect(code(await remove(plainAdminId, plainAdmin))).toEqual([409, 'own_account']);
    expect(code(await remove(root.caller.userId, plainAdmin))).toEqual([403, 'account_out_of_reach']);
  });
});

describe('changing a role', () => {
  const changeRole = (id: string, role: string, by = root) =>
    ask(`/api/admin/users/${id}/role?new_role=${role}`, by, 'PUT');

  it('ends the sessions of the account, tells of it and is written down once with its actor', async () => {
    const user = await member();
    expect((await changeRole(user.id, 'admin')).body).toEqual({ success: true, old_role: 'user', new_role: 'admin' });
    expect(await isDead(user.session)).toBe(true);
    await waitFor(() => told(user.id, 'role_changed'));
    expect(heard).toContainEqual({ userId: user.id, from: 'user', to: 'admin', actor: root.caller.userId });
    expect(await audited(user.id, 'admin.role.change')).toMatchObject([
      { actor: root.caller.userId, details: { from: 'user', to: 'admin', sessions_revoked: 1 } },
    ]);
  });

  it('to the role that it is changes nothing and ends nothing', async () => {
    const user = await member();
    expect((await changeRole(user.id, 'user')).status).toBe(200);
    expect(await identity.resolve(user.session.accessToken)).not.toBeNull();
    expect(await audited(user.id, 'admin.role.change')).toEqual([]);
  });

  it('is for a super_admin only, never of oneself', async () => {
    const { id } = await addUser(backends.sql);
    expect((await changeRole(id, 'admin', plainAdmin)).status).toBe(403);
    expect(code(await changeRole(root.caller.userId, 'user'))).toEqual([409, 'own_account']);
    expect((await changeRole(id, 'root')).status).toBe(400);
  });

  it('never takes the last super_admin away, by role, disabling, deleting or an end date', async () => {
    const second = await member({ role: 'super_admin' });
    await backends.sql.query('update "user" set account_expires_at = $1 where uuid = $2', [
      new Date(Date.now() + 3_600_000),
      root.caller.userId,
    ]);
    // The other one has an end date: it does not count.
    const answers = [
      await changeRole(second.id, 'user'),
      await ask(`/api/users/${second.id}`, root, 'PUT', { is_active: false }),
      await ask(`/api/users/${second.id}`, root, 'PUT', { account_expires_at: '2030-01-01T00:00:00Z' }),
      await ask(`/api/users/${second.id}`, root, 'DELETE'),
    ];
    await backends.sql.query('update "user" set account_expires_at = null where uuid = $1', [root.caller.userId]);
    expect(answers.map(code)).toEqual(answers.map(() => [409, 'last_super_admin']));
    expect((await changeRole(second.id, 'user')).status).toBe(200);
  });

  it('lets only one of two super_admins through who demote each other at once', async () => {
    for (let round = 0; round < 6; round++) {
      const [a, b] = [await member({ role: 'super_admin' }), await member({ role: 'super_admin' })];
      const statuses = (
        await Promise.all([changeRole(a.id, 'user', b.session), changeRole(b.id, 'user', a.session)])
      ).map((r) => r.status);
      expect(statuses.toSorted((x, y) => x - y)).toEqual([200, 403]);
      await backends.sql.query(`delete from "user" where uuid = any($1)`, [[a.id, b.id]]);
    }
  });

  it('leaves one super_admin when many take the others away at once, in every way', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => member({ role: 'super_admin' })));
    await backends.sql.query('update "user" set account_expires_at = $1 where uuid = $2', [
      new Date(Date.now() + 3_600_000),
      root.caller.userId,
    ]);
    const ways = [
      (id: string, by: Session) => changeRole(id, 'admin', by),
      (id: string, by: Session) => ask(`/api/users/${id}`, by, 'DELETE'),
      (id: string, by: Session) => ask(`/api/users/${id}`, by, 'PUT', { is_active: false }),
    ];
    const all = made.flatMap((by, i) => made.map(async (target, j) => ways[(i + j) % 3]?.(target.id, by.session)));
    const answers = await Promise.all(all);
    const { rows } = await backends.sql.query(
      `select 1 from "user" where role = 'super_admin' and is_active and account_expires_at is null`,
    );
    await backends.sql.query('update "user" set account_expires_at = null where uuid = $1', [root.caller.userId]);
    await backends.sql.query('delete from "user" where uuid = any($1)', [made.map((m) => m.id)]);
    expect(rows).toHaveLength(1);
    expect(answers.every((a) => (a?.status ?? 500) < 500)).toBe(true);
  });
});

describe('resetting a password', () => {
  const reset = (id: string, by = root, json: unknown = { new_password: 'Reset-Battery-2026' }) =>
    ask(`/api/admin/users/${id}/reset-password`, by, 'POST', json);

  it('sets the new one, to be changed at once, lifts a lock and ends all sessions', async () => {
    const user = await member();
    await backends.sql.query(`update "user" set locked_until = now() + interval '1 hour' where uuid = $1`, [user.id]);
    expect((await reset(user.id)).body).toEqual({ success: true, sessions_terminated: 1 });
    expect(await isDead(user.session)).toBe(true);
    expect((await identity.signIn(user.email, user.password)).status).toBe(401);
    const { accessToken } = await identity.session(user.email, 'Reset-Battery-2026');
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
    expect(await audited(user.id, 'admin.password.reset')).toHaveLength(1);
  });

  it.each(['ldap', 'proxy', 'oidc', 'pki'])('does not set a hash on an account of %s', async (auth_type) => {
    const { id } = await addUser(backends.sql, { auth_type, password_hash: null });
    expect(code(await reset(id))).toEqual([409, 'password_not_local']);
    expect(await row(id)).toMatchObject({ password_hash: null });
  });

  it('holds the new one to the rules and to the earlier ones', async () => {
    const { id, password } = await addUser(backends.sql);
    const weak = await reset(id, root, { new_password: 'weak' });
    expect(code(weak)).toEqual([400, 'password_rejected']);
    expect(weak.body['errors']).toMatchObject([{ path: 'new_password' }, {}, {}, {}]);
    expect((await reset(id, root, { new_password: password })).body).toMatchObject({
      detail: 'It has been used before.',
    });
  });

  it('is for a super_admin only, and not for the own password', async () => {
    const { id } = await addUser(backends.sql);
    expect((await reset(id, plainAdmin)).status).toBe(403);
    expect(code(await reset(root.caller.userId))).toEqual([409, 'own_account']);
  });
});

describe('lifting a lock', () => {
  it('lets the person sign in again and says whether there was one', async () => {
    const user = await addUser(backends.sql);
    for (let i = 0; i < 5; i++) await identity.signIn(user.email, 'wrong');
    expect((await identity.signIn(user.email, user.password)).status).toBe(401);
    const unlock = () => ask(`/api/admin/users/${user.id}/unlock`, plainAdmin, 'POST');
    expect((await unlock()).body).toEqual({ success: true, was_locked: true });
    expect((await identity.signIn(user.email, user.password)).status).toBe(200);
    expect((await unlock()).body).toEqual({ success: true, was_locked: false });
    expect(await audited(user.id, 'auth.account.unlock')).toHaveLength(2);
  });

  it('does not reach above the own role', async () => {
    const answer = await ask(`/api/admin/users/${root.caller.userId}/unlock`, plainAdmin, 'POST');
    expect(code(answer)).toEqual([403, 'account_out_of_reach']);
  });
});

describe("somebody's sessions", () => {
  it('are listed and ended, one or all', async () => {
    const user = await member();
    const second = await identity.session(user.email, user.password);
    const path = `/api/admin/users/${user.id}/sessions`;
    expect((await ask(path, plainAdmin)).body).toMatchObject({ total: 2 });
    expect((await ask(`${path}/${second.caller.sessionId}`, plainAdmin, 'DELETE')).status).toBe(204);
    expect(await isDead(second)).toBe(true);
    expect(await identity.resolve(user.session.accessToken)).not.toBeNull();
    expect((await ask(path, plainAdmin, 'DELETE')).body).toEqual({ success: true, sessions_terminated: 1 });
    expect(await isDead(user.session)).toBe(true);
    expect(await audited(user.id, 'auth.session.terminated')).toHaveLength(2);
  });

  it('of one account are not ended through another', async () => {
    const [a, b] = [await member(), await member()];
    const path = `/api/admin/users/${a.id}/sessions/${b.session.caller.sessionId}`;
    expect((await ask(path, root, 'DELETE')).status).toBe(404);
    expect(await identity.resolve(b.session.accessToken)).not.toBeNull();
  });

  it('are out of reach above the own role', async () => {
    const path = `/api/admin/users/${root.caller.userId}/sessions`;
    for (const [p, method] of [
      [path, 'GET'],
      [path, 'DELETE'],
      [`${path}/${root.caller.sessionId}`, 'DELETE'],
    ] as const)
      expect(code(await ask(p, plainAdmin, method))).toEqual([403, 'account_out_of_reach']);
    expect(await identity.resolve(root.accessToken)).not.toBeNull();
  });
});
