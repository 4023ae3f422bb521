import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type ReplyOf, type RequestOf, type RpcDef, directorySyncRpc, type DirectoryChange } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();

async function ask<R extends RpcDef>(def: R, request: RequestOf<R>): Promise<ReplyOf<R>> {
  const msg = await backends.bus.request(def.subject, JSON.stringify(request), { timeout: 30_000 });
  return msg.json<{ ok: ReplyOf<R> }>().ok;
}

async function directoryUser(fields: Record<string, unknown> = {}) {
  const id = randomUUID();
  const user = await addUser(backends.sql);
  const session = await identity.session(user.email, user.password);
  for (const [column, value] of Object.entries({
    auth_type: 'ldap',
    password_hash: null,
    ldap_uid: `uid-${id}`,
    directory_id: `entryUUID:${id}`,
    ...fields,
  }))
    await backends.sql.query(`update "user" set ${column} = $1 where uuid = $2`, [value, user.id]);
  return { ...user, ...session, directoryId: (fields['directory_id'] ?? `entryUUID:${id}`) as string | null };
}

type DirectoryUser = Awaited<ReturnType<typeof directoryUser>>;

async function row(id: string) {
  return (
    await backends.sql.query<{ is_active: boolean; role: string; disabled_by: string | null; directory_id: string }>(
      'select is_active, role, disabled_by, directory_id from "user" where uuid = $1',
      [id],
    )
  ).rows[0];
}

async function audits(id: string) {
  return (
    await backends.sql.query<{ event_type: string; actor: string; details: Record<string, unknown> }>(
      `select event_type, actor, details from audit_log where user_id = $1 and actor = 'directory_sync' order by time`,
      [id],
    )
  ).rows;
}

function change(user: DirectoryUser, more: Partial<DirectoryChange>): DirectoryChange {
  return {
    userId: user.id,
    expected: { role: 'user', directoryId: user.directoryId },
    disable: null,
    role: null,
    add: [],
    remove: [],
    adopt: null,
    ...more,
  };
}

const gone = { disable: { reason: 'absent_from_directory' as const, evidence: { asked: 'by id' } } };

function apply(passId: string, ...changes: DirectoryChange[]) {
  return ask(directorySyncRpc.apply, { passId, changes });
}

async function newGroup() {
  return (
    await backends.sql.query<{ uuid: string }>('insert into user_group (name) values ($1) returning uuid', [
      `Group ${randomUUID()}`,
    ])
  ).rows[0]?.uuid as string;
}

describe('applying changes of a sync run', () => {
  it('disables a deprovisioned account, deletes nothing, ends every session and writes one audit record in one transaction', async () => {
    const user = await directoryUser();
    const events = collectEvents(backends.bus, 'evt.identity.user.disabled.v1');
    const { results } = await apply(randomUUID(), change(user, gone));
    expect(results).toEqual([{ userId: user.id, outcome: 'applied', sessionsRevoked: 1 }]);
    expect(await row(user.id)).toMatchObject({ is_active: false, disabled_by: 'directory' });
    expect(await identity.resolve(user.accessToken)).toBeNull();
    expect((await identity.refresh(user.refreshToken)).status).toBe(401);
    expect(await audits(user.id)).toMatchObject([{ event_type: 'auth.account.disabled' }]);
    await waitFor(() => events.some((event) => event['userId'] === user.id && event['by'] === 'directory'));
  });

  it('is idempotent', async () => {
    const [user, passId] = [await directoryUser(), randomUUID()];
    await apply(passId, change(user, gone));
    const { results } = await apply(passId, change(user, gone));
    expect(results).toMatchObject([{ outcome: 'applied' }]);
    expect(await audits(user.id)).toHaveLength(1);
  });

  it.each([
    ['a super_admin', { role: 'super_admin' }, { role: 'super_admin' as const }],
    ['a local account', { auth_type: 'local' }, {}],
    ['an account whose role changed since the plan', { role: 'admin' }, { role: 'user' as const }],
    ['an account whose immutable id changed since the plan', {}, { directoryId: 'entryUUID:other' }],
    ['an account that is disabled already', { is_active: false, disabled_by: 'administrator' }, {}],
  ])('never touches %s', async (_who, fields, expected) => {
    const user = await directoryUser(fields);
    const before = await row(user.id);
    const wanted = change(user, gone);
    const { results } = await apply(randomUUID(), { ...wanted, expected: { ...wanted.expected, ...expected } });
    expect(results).toMatchObject([{ outcome: 'changed_meanwhile' }]);
    expect(await row(user.id)).toEqual(before);
    expect(await audits(user.id)).toEqual([]);
  });

  it('changes a role with one ADMIN_ROLE_CHANGE whose actor is directory_sync, and ends the sessions', async () => {
    const user = await directoryUser();
    const events = collectEvents(backends.bus, 'evt.identity.role.changed.v1');
    await apply(randomUUID(), change(user, { role: 'admin' }));
    expect(await row(user.id)).toMatchObject({ role: 'admin', is_active: true });
    expect(await audits(user.id)).toMatchObject([
      {
        event_type: 'ADMIN_ROLE_CHANGE',
        actor: 'directory_sync',
        details: { from: 'user', to: 'admin', source: 'ldap', sessions_revoked: 1 },
      },
    ]);
    expect(await identity.resolve(user.accessToken)).toBeNull();
    await waitFor(() => events.some((event) => event['userId'] === user.id && event['to'] === 'admin'));
  });

  it('adds and removes memberships of the directory, keeps manual ones, and keeps the sessions', async () => {
    const user = await directoryUser();
    const [old, hand, fresh] = [await newGroup(), await newGroup(), await newGroup()];
    await backends.sql.query(
      `insert into user_group_member (group_id, user_id, source) values ($1, $3, 'ldap'), ($2, $3, 'manual')`,
      [old, hand, user.id],
    );
    const events = collectEvents(backends.bus, 'evt.identity.membership.changed.v1');
    await apply(randomUUID(), change(user, { add: [fresh, randomUUID()], remove: [old, hand] }));
    const { rows } = await backends.sql.query('select group_id, source from user_group_member where user_id = $1', [
      user.id,
    ]);
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        { group_id: fresh, source: 'ldap' },
        { group_id: hand, source: 'manual' },
      ]),
    );
    expect(await identity.resolve(user.accessToken)).not.toBeNull();
    await waitFor(() => events.some((event) => event['userId'] === user.id));
    const published = events.find((event) => event['userId'] === user.id);
    expect([...((published?.['groupIds'] ?? []) as string[])].sort()).toEqual([fresh, hand].sort());
  });

  it('publishes exactly the applied changes', async () => {
    const [passId, since] = [randomUUID(), new Date(Date.now() - 60_000).toISOString()];
    const [left, promoted, other] = [await directoryUser(), await directoryUser(), await directoryUser()];
    const group = await newGroup();
    await apply(passId, change(left, gone), change(promoted, { role: 'admin', add: [group] }));
    await apply(randomUUID(), change(other, gone));
    const ask1 = async (after: string | null) =>
      (await ask(directorySyncRpc.done, { passId, since, after, limit: 1 })).done as Record<string, unknown>[];
    const first = await ask1(null);
    const second = await ask1(String(first[0]?.['userId']));
    expect(await ask1(String(second[0]?.['userId']))).toEqual([]);
    const all = [...first, ...second];
    expect(all.find((dependencies) => dependencies['userId'] === left.id)).toMatchObject({
      disabled: { ...gone.disable, sessionsRevoked: 1 },
      role: null,
      added: [],
    });
    expect(all.find((dependencies) => dependencies['userId'] === promoted.id)).toMatchObject({
      disabled: null,
      role: { from: 'user', to: 'admin' },
      added: [group],
      removed: [],
    });
  });

  it('stores an immutable id unless another account has it', async () => {
    const [one, two] = [await directoryUser({ directory_id: null }), await directoryUser({ directory_id: null })];
    const id = `entryUUID:${randomUUID()}`;
    const without = { expected: { role: 'user' as const, directoryId: null } };
    await apply(randomUUID(), change(one, { ...without, adopt: id }));
    await apply(randomUUID(), change(two, { ...without, adopt: id }));
    expect((await row(one.id))?.directory_id).toBe(id);
    expect((await row(two.id))?.directory_id).toBeNull();
  });

  it('ends in one of the two serial outcomes with a concurrent sign-out', async () => {
    for (let i = 0; i < 5; i++) {
      const user = await directoryUser();
      await Promise.all([
        apply(randomUUID(), change(user, gone)),
        identity.ask('/api/auth/logout/all', { method: 'POST', caller: user.caller }),
      ]);
      expect(await row(user.id)).toMatchObject({ is_active: false });
      expect(await identity.resolve(user.accessToken)).toBeNull();
    }
  });
});

describe('undoing a sync run', () => {
  it('enables the accounts that it disabled, and publishes events', async () => {
    const [user, passId] = [await directoryUser(), randomUUID()];
    await apply(passId, change(user, gone));
    const { results } = await ask(directorySyncRpc.undo, { passId, userIds: [user.id], by: randomUUID() });
    expect(results).toMatchObject([{ restored: true }]);
    expect(await row(user.id)).toMatchObject({ is_active: true, disabled_by: null });
    expect((await audits(user.id)).at(-1)).toMatchObject({ event_type: 'auth.account.enabled' });
  });

  it.each([
    ['another sync run', async () => {}],
    [
      'an account that an administrator has disabled since',
      async ({ id }: DirectoryUser) =>
        void (await backends.sql.query(`update "user" set disabled_by = 'administrator' where uuid = $1`, [id])),
    ],
    [
      'an account that a later sync run has disabled again',
      async (user: DirectoryUser) => {
        await backends.sql.query(`update "user" set is_active = true, disabled_by = null where uuid = $1`, [user.id]);
        await apply(randomUUID(), change(user, gone));
      },
    ],
  ])('leaves %s', async (what, since) => {
    const [user, passId] = [await directoryUser(), randomUUID()];
    await apply(passId, change(user, gone));
    await since(user);
    const asked = what === 'another sync run' ? randomUUID() : passId;
    const { results } = await ask(directorySyncRpc.undo, { passId: asked, userIds: [user.id], by: randomUUID() });
    expect(results).toMatchObject([{ restored: false }]);
    expect(await row(user.id)).toMatchObject({ is_active: false });
  });
});

describe('the accounts of the directory', () => {
  it('are returned once each, in pages by id, with their memberships by source', async () => {
    const users = [await directoryUser(), await directoryUser(), await directoryUser()];
    const group = await newGroup();
    await backends.sql.query(`insert into user_group_member (group_id, user_id, source) values ($1, $2, 'ldap')`, [
      group,
      users[0]?.id,
    ]);
    const ids: string[] = [];
    const inside = new Map<string, { fromDirectory: string[]; byHand: string[] }>();
    for (let after: string | null = null; ;) {
      const page: ReplyOf<typeof directorySyncRpc.accounts> = await ask(directorySyncRpc.accounts, { after, limit: 2 });
      ids.push(...page.userId);
      for (const [i, id] of page.userId.entries())
        inside.set(id, { fromDirectory: page.fromDirectory[i] ?? [], byHand: page.byHand[i] ?? [] });
      if (page.userId.length < 2) break;
      after = page.userId.at(-1) ?? null;
    }
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const user of users) expect(ids).toContain(user.id);
    expect(inside.get(users[0]?.id ?? '')).toEqual({ fromDirectory: [group], byHand: [] });
  });
});
