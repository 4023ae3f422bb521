import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startMappingWorld, type MappingWorld } from '../../test/mapping-world.ts';

let w: MappingWorld;
beforeAll(async () => {
  w = await startMappingWorld();
});
afterAll(() => w.stop());
beforeEach(async () => {
  await w.pool.query('delete from group_mapping');
  await w.pool.query('delete from group_mapping_version');
});

const staff = 'CN=Staff,OU=Groups,DC=corp';
const unknown = { known: false, reason: 'group search failed' } as const;

describe('group membership (states and transitions)', () => {
  it('absent, and a claim resolves to a mapped group: present, source = directory', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map(staff, { group });
    expect(await w.signIn(user, ['cn=STAFF, ou=groups,dc=corp'])).toMatchObject({ added: [group], removed: [] });
    expect(await w.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it.each(['oidc', 'proxy'] as const)('carries the name of its source: %s', async (source) => {
    const [user, group] = [await w.user({ auth_type: source }), await w.group()];
    await w.map('Staff', { group, source });
    await w.signIn(user, ['Staff'], { source });
    expect(await w.groupsOf(user)).toEqual({ [group]: source });
  });

  it('directory-sourced, and the group is no longer in the resolved set: removed', async () => {
    const [user, a, b] = [await w.user(), await w.group(), await w.group()];
    await w.map('a', { group: a });
    await w.map('b', { group: b });
    await w.signIn(user, ['a', 'b']);
    expect(await w.signIn(user, ['b'])).toMatchObject({ added: [], removed: [a] });
    expect(await w.groupsOf(user)).toEqual({ [b]: 'ldap' });
  });

  it('directory-sourced, and its mapping was deleted: removed, also when it was the last one', async () => {
    const [user, a, b] = [await w.user(), await w.group(), await w.group()];
    const [toA, toB] = [await w.map('a', { group: a }), await w.map('b', { group: b })];
    await w.signIn(user, ['a', 'b']);
    await w.unmap(toA);
    expect(await w.groupsOf(user)).toEqual({ [a]: 'ldap', [b]: 'ldap' });
    await w.signIn(user, ['a', 'b']);
    expect(await w.groupsOf(user)).toEqual({ [b]: 'ldap' });
    await w.unmap(toB);
    await w.signIn(user, ['a', 'b']);
    expect(await w.groupsOf(user)).toEqual({});
  });

  it('manual: never removed or converted', async () => {
    const [user, mapped, other] = [await w.user(), await w.group(), await w.group()];
    await w.map('a', { group: mapped });
    await w.join(mapped, user, 'manual', 'manager');
    await w.join(other, user, 'manual');
    for (const claims of [['a'], [], ['a']]) await w.signIn(user, claims);
    expect(await w.groupsOf(user)).toEqual({ [mapped]: 'manual', [other]: 'manual' });
    const { rows } = await w.pool.query('select role from user_group_member where user_id = $1 and group_id = $2', [
      user,
      mapped,
    ]);
    expect(rows).toEqual([{ role: 'manager' }]);
    expect(await w.versionOf(user)).toBe(0);
  });

  it('of another source: unchanged, and its mappings do not count', async () => {
    const [user, ours, theirs] = [await w.user(), await w.group(), await w.group()];
    await w.map('a', { group: ours });
    await w.map('a', { group: theirs, source: 'oidc' });
    await w.map('admins', { role: 'admin', source: 'oidc' });
    await w.join(theirs, user, 'oidc');
    expect(await w.signIn(user, ['a', 'admins'])).toMatchObject({ role: 'user', added: [ours], removed: [] });
    await w.signIn(user, []);
    expect(await w.groupsOf(user)).toEqual({ [theirs]: 'oidc' });
  });

  it('writes no row, event or version when nothing changes', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group });
    await w.signIn(user, ['a']);
    const rows = () =>
      w.pool.query('select xmin::text, * from user_group_member where user_id = $1', [user]).then((r) => r.rows);
    const before = await rows();
    expect(await w.signIn(user, ['a'])).toEqual({ role: 'user', roleChanged: false, added: [], removed: [] });
    expect(await rows()).toEqual(before);
    expect(await w.versionOf(user)).toBe(1);
    expect(await w.publishedEvents(user)).toHaveLength(1);
  });
});

describe('how mappings apply', () => {
  it('with no mappings configured the pass is a no-op for groups', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.join(group, user, 'ldap');
    await w.map('a', { group: await w.group(), source: 'oidc' });
    expect(await w.signIn(user, ['a'])).toMatchObject({ added: [], removed: [] });
    expect(await w.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it('with no mappings configured only the legacy signal decides admin', async () => {
    const user = await w.user();
    expect(await w.signIn(user, [], { legacyAdmin: 'yes' })).toMatchObject({ role: 'admin', roleChanged: true });
    expect(await w.signIn(user, [], { legacyAdmin: 'unknown' })).toMatchObject({ role: 'admin', roleChanged: false });
    expect(await w.signIn(user, [], { legacyAdmin: 'no' })).toMatchObject({ role: 'user', roleChanged: true });
  });

  it('claims that are unknown change nothing', async () => {
    const [user, group] = [await w.user({ role: 'admin' }), await w.group()];
    await w.map('a', { group, role: 'admin' });
    await w.signIn(user, ['a']);
    expect(await w.pass(user, { claims: unknown })).toMatchObject({ role: 'admin', roleChanged: false, removed: [] });
    expect(await w.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it('claims that are known to be empty reconcile to empty', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group, role: 'admin' });
    expect(await w.signIn(user, ['a'])).toMatchObject({ role: 'admin' });
    expect(await w.signIn(user, [])).toMatchObject({ role: 'user', removed: [group] });
    expect(await w.groupsOf(user)).toEqual({});
  });

  it('a proxy sign-in with an absent groups header skips reconciliation, an empty header reconciles to empty', async () => {
    const [user, group] = [await w.user({ auth_type: 'proxy' }), await w.group()];
    await w.map('a', { group, role: 'admin', source: 'proxy' });
    const proxy = { source: 'proxy' } as const;
    await w.signIn(user, ['a'], proxy);
    await w.pass(user, { ...proxy, claims: { known: false, reason: 'header absent' } });
    expect([await w.groupsOf(user), await w.roleOf(user)]).toEqual([{ [group]: 'proxy' }, 'admin']);
    await w.signIn(user, [], proxy);
    expect([await w.groupsOf(user), await w.roleOf(user)]).toEqual([{}, 'user']);
  });

  it('the sweep uses mappings of the directory and acts as directory_sync', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group, role: 'admin' });
    await w.signIn(user, ['a'], { actor: 'directory_sync' });
    expect(await w.groupsOf(user)).toEqual({ [group]: 'ldap' });
    expect(await w.audit(user)).toMatchObject([{ actor: 'directory_sync' }]);
  });

  it('a mapping change counts on every replica from its commit on', async () => {
    const [user, a, b] = [await w.user(), await w.group(), await w.group()];
    const mapping = await w.map('x', { group: a });
    for (const replica of [0, 1] as const) await w.pass(user, { claims: { known: true, values: ['x'] } }, replica);
    await w.pool.query('update group_mapping set group_id = $1 where uuid = $2', [b, mapping]);
    for (const replica of [1, 0] as const) {
      await w.pass(user, { claims: { known: true, values: ['x'] } }, replica);
      expect(await w.groupsOf(user)).toEqual({ [b]: 'ldap' });
    }
    await w.unmap(mapping);
    await w.pass(user, { claims: { known: true, values: ['x'] } }, 1);
    expect(await w.groupsOf(user)).toEqual({});
  });
});

describe('directory account (states and transitions)', () => {
  it('admin, and no matched mapping and no legacy admin signal: user, sessions revoked, audit ADMIN_ROLE_CHANGE', async () => {
    const user = await w.user({ role: 'admin' });
    await w.map('a', { role: 'admin' });
    await w.openSession(user);
    expect(await w.signIn(user, ['b'])).toMatchObject({ role: 'user', roleChanged: true });
    expect([await w.roleOf(user), await w.liveSessions(user)]).toEqual(['user', 0]);
    expect(await w.audit(user)).toMatchObject([
      {
        eventType: 'ADMIN_ROLE_CHANGE',
        outcome: 'success',
        actor: 'idp_login',
        errorCode: null,
        details: { event: 'ADMIN_ROLE_CHANGE', from: 'admin', to: 'user', source: 'ldap', sessions_revoked: 1 },
      },
    ]);
  });

  it.each([
    ['a matched mapping grants admin', ['a'], 'no'],
    ['the legacy admin signal fires', [], 'yes'],
    ['both', ['a'], 'yes'],
  ] as const)('user, and %s: admin, sessions revoked, audit ADMIN_ROLE_CHANGE', async (_what, claims, legacyAdmin) => {
    const user = await w.user();
    await w.map('a', { role: 'admin' });
    await w.openSession(user);
    expect(await w.signIn(user, [...claims], { legacyAdmin })).toMatchObject({ role: 'admin', roleChanged: true });
    expect([await w.roleOf(user), await w.liveSessions(user)]).toEqual(['admin', 0]);
    expect(await w.audit(user)).toMatchObject([
      { eventType: 'ADMIN_ROLE_CHANGE', details: { from: 'user', to: 'admin' } },
    ]);
  });

  it('publishes a role change once: role changed, user updated, sessions revoked', async () => {
    const user = await w.user();
    await w.openSession(user);
    await w.signIn(user, [], { legacyAdmin: 'yes' });
    await w.signIn(user, [], { legacyAdmin: 'yes' });
    expect(await w.publishedEvents(user)).toEqual([
      {
        subject: 'evt.identity.session.revoked.v1',
        data: { userId: user, sessionId: null, reason: 'role_changed' },
      },
      {
        subject: 'evt.identity.role.changed.v1',
        data: { userId: user, from: 'user', to: 'admin', actor: 'idp_login' },
      },
      { subject: 'evt.identity.user.updated.v1', data: { userId: user, role: 'admin', active: true } },
    ]);
    expect(await w.audit(user)).toHaveLength(1);
  });

  it('publishes a membership change with all groups of the user and an increasing version', async () => {
    const [user, manual, mapped] = [await w.user(), await w.group(), await w.group()];
    await w.join(manual, user, 'manual');
    await w.map('a', { group: mapped });
    await w.signIn(user, ['a']);
    await w.signIn(user, []);
    const subject = 'evt.identity.membership.changed.v1';
    expect(await w.publishedEvents(user)).toEqual([
      { subject, data: { userId: user, groupIds: [manual, mapped].sort(), version: 1 } },
      { subject, data: { userId: user, groupIds: [manual], version: 2 } },
    ]);
  });

  it('a super_admin is never demoted by directory reconciliation', async () => {
    const user = await w.user({ role: 'super_admin' });
    await w.map('a', { role: 'user' });
    await w.openSession(user);
    for (const actor of ['idp_login', 'directory_sync'] as const) await w.signIn(user, ['a'], { actor });
    expect([await w.roleOf(user), await w.liveSessions(user)]).toEqual(['super_admin', 1]);
    expect(await w.audit(user)).toEqual([]);
  });

  it('super_admin and local accounts are never touched by the sweep', async () => {
    const group = await w.group();
    await w.map('a', { group, role: 'admin' });
    for (const account of [{ role: 'super_admin' }, { auth_type: 'local' }, { auth_type: 'local', role: 'admin' }]) {
      const user = await w.user(account);
      const before = await w.db.user.findUniqueOrThrow({ where: { id: user } });
      await w.signIn(user, ['a'], { actor: 'directory_sync', legacyAdmin: 'yes' });
      await w.signIn(user, [], { actor: 'directory_sync' });
      expect(await w.db.user.findUniqueOrThrow({ where: { id: user } })).toEqual(before);
      expect([await w.groupsOf(user), await w.publishedEvents(user)]).toEqual([{}, []]);
    }
  });

  it('an unknown account is refused, and nothing is written', async () => {
    await expect(w.signIn(crypto.randomUUID(), ['a'])).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('leaves nothing behind when the transaction of the sign-in fails afterwards', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group, role: 'admin' });
    await expect(
      w.db.$transaction(async (tx) => {
        await w.replicas[0].mappings.reconcile(tx, {
          userId: user,
          source: 'ldap',
          claims: { known: true, values: ['a'] },
          legacyAdmin: 'no',
          actor: 'idp_login',
          client: { ip: null, userAgent: null, requestId: null },
        });
        throw new Error('not admitted');
      }),
    ).rejects.toThrow('not admitted');
    expect([await w.groupsOf(user), await w.roleOf(user), await w.publishedEvents(user), await w.audit(user)]).toEqual([
      {},
      'user',
      [],
      [],
    ]);
  });
});
