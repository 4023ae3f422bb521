import { randomUUID } from 'node:crypto';
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

describe('the list of accounts', () => {
  const list = async (query: string, by = root) => {
    const { body } = await world.ask(`/api/admin/users?${query}`, by);
    return { total: body['total'] as number, items: body['items'] as Record<string, unknown>[] };
  };

  it('is searched by name, address and directory login, each taken literally', async () => {
    const { id } = await addUser(world.backends.sql, {
      full_name: '100% Übermut_x',
      ldap_uid: 'ueber',
      auth_type: 'ldap',
    });
    for (const query of ['100%25 über', 'MUT_X', 'ueber'])
      expect((await list(`q=${query}`)).items[0]?.['uuid']).toBe(id);
    expect((await list('q=1%25mut')).total).toBe(0);
    expect((await list('q=mutxx')).total).toBe(0);
  });

  it.each([
    ['role=super_admin', { role: 'super_admin' }],
    ['auth_type=oidc', { auth_type: 'oidc' }],
    ['is_active=false', { is_active: false }],
    ['approval_status=pending', { approval_status: 'pending' }],
  ])('is filtered by %s', async (query, fields) => {
    await addUser(world.backends.sql, fields);
    const { items, total } = await list(query);
    expect(total).toBe(items.length);
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item).toMatchObject(fields);
    await world.backends.sql.query(`delete from "user" where role = 'super_admin' and lower(email) <> lower($1)`, [
      world.rootEmail,
    ]);
  });

  it('shows which accounts are locked, and until when', async () => {
    const locked = await addUser(world.backends.sql, { locked_until: new Date(Date.now() + 60_000) });
    const { items } = await list('locked=true');
    expect(items.map((i) => i['uuid'])).toEqual([locked.id]);
    expect(items[0]?.['locked_until']).not.toBeNull();
    expect((await list('locked=false')).items.every((i) => i['locked_until'] === null)).toBe(true);
  });

  it('is sorted and complete over its pages', async () => {
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
      expect((await world.ask(`/api/admin/users?${query}`, root)).status).toBe(400);
    },
  );
});

describe('people to share with', () => {
  it('are found by name and address, at most twenty, without the caller and accounts that cannot sign in', async () => {
    const name = `Findable ${Date.now()}`;
    const me = await world.member({ full_name: name });
    for (let i = 0; i < 22; i++) await addUser(world.backends.sql, { full_name: name });
    await addUser(world.backends.sql, { full_name: `${name} off`, is_active: false });
    await addUser(world.backends.sql, { full_name: `${name} waits`, approval_status: 'pending' });
    const answer = await world.ask(`/api/users/search?q=${encodeURIComponent(name)}`, me.session);
    const found = answer.body as unknown as Record<string, unknown>[];
    expect(found).toHaveLength(20);
    expect(found.every((user) => user['full_name'] === name && user['uuid'] !== me.id)).toBe(true);
    expect(Object.keys(found[0] ?? {}).toSorted()).toEqual(['email', 'full_name', 'uuid']);
    for (const query of [`${name} off`, `${name} waits`, '%_%'])
      expect((await world.ask(`/api/users/search?q=${encodeURIComponent(query)}`, root)).body).toEqual([]);
  });

  it('are not listed for less than two letters', async () => {
    for (const query of ['', 'a', '%20%20%20'])
      expect((await world.ask(`/api/users/search?q=${query}`, root)).status).toBe(400);
  });
});

describe('creating an account', () => {
  const make = (json: unknown, by = root) => world.ask('/api/admin/users', by, 'POST', json);
  const fresh = () => `new-${randomUUID().slice(0, 8)}@example.org`;
  const password = 'Some-Battery-2026';

  it('gives a local account a password that must be changed, and publishes an event', async () => {
    const email = fresh();
    const { status, body } = await make({ email, password, full_name: 'Nina Neu' }, plainAdmin);
    expect(status).toBe(201);
    expect(body).toMatchObject({ email, role: 'user', auth_type: 'local', must_change_password: true });
    const { accessToken } = await world.identity.session(email, password);
    expect(await world.identity.resolve(accessToken)).toMatchObject({ refusal: 'password_change_required' });
    await waitFor(() => world.hasEvent(String(body['uuid'])));
    expect(await world.audited(String(body['uuid']), 'admin.user.create')).toMatchObject([{ actor: plainAdminId }]);
    const metrics = await (await fetch(`${world.identity.internal}/metrics`)).text();
    expect(metrics).toMatch(/user_signups_total\{method="local"\} [1-9]/);
  });

  it.each(['ldap', 'oidc', 'pki', 'proxy'])('gives an account of %s no password', async (auth_type) => {
    expect(code(await make({ email: fresh(), auth_type, password }))).toEqual([400, 'password_not_local']);
    const { body } = await make({ email: fresh(), auth_type });
    expect(await world.row(String(body['uuid']))).toMatchObject({ password_hash: null, must_change_password: false });
  });

  it('applies the effective rules to the password', async () => {
    expect(code(await make({ email: fresh() }))).toEqual([400, 'password_rejected']);
    expect(code(await make({ email: fresh(), password: 'weak' }))).toEqual([400, 'password_rejected']);
  });

  it('refuses an address that another account has, whatever its case', async () => {
    const { email } = await addUser(world.backends.sql);
    expect(code(await make({ email: email.toUpperCase(), password }))).toEqual([409, 'email_taken']);
  });

  it('gives a role above user only by a super_admin', async () => {
    for (const role of ['admin', 'super_admin'])
      expect(code(await make({ email: fresh(), password, role }, plainAdmin))).toEqual([403, 'role_required']);
    const { status, body } = await make({ email: fresh(), password, role: 'admin' });
    expect([status, body['role']]).toEqual([201, 'admin']);
  });

  it('is refused for a caller who was demoted after the request was admitted', async () => {
    await world.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [plainAdminId]);
    expect(code(await make({ email: fresh(), password }, plainAdmin))).toEqual([403, 'role_required']);
  });
});

describe('changing an account', () => {
  const change = (id: string, json: unknown, by = root) => world.ask(`/api/users/${id}`, by, 'PUT', json);

  it('changes the given fields and nothing else', async () => {
    const { id } = await addUser(world.backends.sql);
    const { body } = await change(id, { full_name: 'Renamed', account_expires_at: '2030-01-01T00:00:00Z' }, plainAdmin);
    expect(body).toMatchObject({ uuid: id, full_name: 'Renamed', account_expires_at: '2030-01-01T00:00:00.000Z' });
    expect((await change(id, { account_expires_at: null })).body).toMatchObject({
      full_name: 'Renamed',
      account_expires_at: null,
    });
    expect(await world.audited(id, 'admin.user.update')).toMatchObject([
      { details: { changed: 'full_name, account_expires_at' } },
      { details: { changed: 'account_expires_at' } },
    ]);
  });

  it.each(['role', 'auth_type', 'password', 'approval_status', 'ldap_uid'])(
    'does not know the field %s',
    async (field) => {
      const { id } = await addUser(world.backends.sql);
      expect((await change(id, { [field]: 'admin' })).status).toBe(422);
    },
  );

  it.each(['ldap', 'proxy'])('refuses allow_local_fallback for an account of %s at write time', async (auth_type) => {
    const { id } = await addUser(world.backends.sql, { auth_type, password_hash: null });
    const answer = await change(id, { allow_local_fallback: true, full_name: 'Not written' });
    expect(code(answer)).toEqual([400, 'local_fallback_refused']);
    expect(await world.row(id)).toMatchObject({ allow_local_fallback: false, full_name: 'Una User' });
  });

  it.each(['oidc', 'pki'])('allows allow_local_fallback for an account of %s', async (auth_type) => {
    const { id } = await addUser(world.backends.sql, { auth_type });
    expect((await change(id, { allow_local_fallback: true })).body).toMatchObject({ allow_local_fallback: true });
  });

  it('does not require a new password without a local one', async () => {
    const { id } = await addUser(world.backends.sql, { auth_type: 'ldap', password_hash: null });
    expect(code(await change(id, { must_change_password: true }))).toEqual([409, 'password_not_local']);
  });

  it('refuses the address of another account', async () => {
    const [first, second] = [await addUser(world.backends.sql), await addUser(world.backends.sql)];
    expect(code(await change(first.id, { email: second.email.toUpperCase() }))).toEqual([409, 'email_taken']);
  });

  it('ends every session and publishes events when it disables the account', async () => {
    const user = await world.member();
    expect((await change(user.id, { is_active: false }, plainAdmin)).body).toMatchObject({
      is_active: false,
      disabled_by: 'administrator',
    });
    expect(await world.isDead(user.session)).toBe(true);
    await waitFor(
      () => world.hasEvent(user.id, 'account_disabled') && world.hasEvent(user.id, 'disabled_by_administrator'),
    );
    expect(world.events.filter((event) => event['userId'] === user.id)).toContainEqual({
      userId: user.id,
      role: 'user',
      active: false,
    });
    expect(await world.audited(user.id, 'auth.account.disabled')).toMatchObject([
      { actor: plainAdminId, details: { sessions_revoked: 1 } },
    ]);
  });

  it('enables the account again without its former sessions', async () => {
    const user = await world.member();
    await change(user.id, { is_active: false });
    expect((await change(user.id, { is_active: true })).body).toMatchObject({ is_active: true, disabled_by: null });
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(200);
    expect(await world.isDead(user.session)).toBe(true);
  });

  it('does not disable the own account', async () => {
    expect(code(await change(plainAdminId, { is_active: false }, plainAdmin))).toEqual([409, 'own_account']);
  });

  it('is refused for accounts with a higher role', async () => {
    const id = root.caller.userId;
    expect(code(await change(id, { full_name: 'Mallory' }, plainAdmin))).toEqual([403, 'account_out_of_reach']);
    expect(await world.row(id)).toMatchObject({ full_name: 'Administrator' });
  });

  it('of an unknown user is 404', async () => {
    expect((await change('0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c', { full_name: 'x' })).status).toBe(404);
  });
});
