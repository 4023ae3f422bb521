import { beforeEach, describe, expect, it } from '@jest/globals';
import { startMappingWorld } from '../../test/mapping-world.ts';

const world = await startMappingWorld();
beforeEach(async () => {
  await world.pool.query('delete from group_mapping');
  await world.pool.query('delete from group_mapping_version');
});

const staff = 'CN=Staff,OU=Groups,DC=corp';
const unknown = { known: false, reason: 'group search failed' } as const;

describe('group membership (states and transitions)', () => {
  it('absent, and a claim resolves to a mapped group: present, source = directory', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map(staff, { group });
    expect(await world.signIn(user, ['cn=STAFF, ou=groups,dc=corp'])).toMatchObject({ added: [group], removed: [] });
    expect(await world.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it.each(['oidc', 'proxy'] as const)('carries the name of its source: %s', async (source) => {
    const [user, group] = [await world.user({ auth_type: source }), await world.group()];
    await world.map('Staff', { group, source });
    await world.signIn(user, ['Staff'], { source });
    expect(await world.groupsOf(user)).toEqual({ [group]: source });
  });

  it('directory-sourced, and the group is no longer in the resolved set: removed', async () => {
    const [user, answer, other] = [await world.user(), await world.group(), await world.group()];
    await world.map('a', { group: answer });
    await world.map('b', { group: other });
    await world.signIn(user, ['a', 'b']);
    expect(await world.signIn(user, ['b'])).toMatchObject({ added: [], removed: [answer] });
    expect(await world.groupsOf(user)).toEqual({ [other]: 'ldap' });
  });

  it('directory-sourced, and its mapping was deleted: removed, also when it was the last one', async () => {
    const [user, answer, other] = [await world.user(), await world.group(), await world.group()];
    const [toA, toB] = [await world.map('a', { group: answer }), await world.map('b', { group: other })];
    await world.signIn(user, ['a', 'b']);
    await world.unmap(toA);
    expect(await world.groupsOf(user)).toEqual({ [answer]: 'ldap', [other]: 'ldap' });
    await world.signIn(user, ['a', 'b']);
    expect(await world.groupsOf(user)).toEqual({ [other]: 'ldap' });
    await world.unmap(toB);
    await world.signIn(user, ['a', 'b']);
    expect(await world.groupsOf(user)).toEqual({});
  });

  it('manual: never removed or converted', async () => {
    const [user, mapped, other] = [await world.user(), await world.group(), await world.group()];
    await world.map('a', { group: mapped });
    await world.join(mapped, user, 'manual', 'manager');
    await world.join(other, user, 'manual');
    for (const claims of [['a'], [], ['a']]) await world.signIn(user, claims);
    expect(await world.groupsOf(user)).toEqual({ [mapped]: 'manual', [other]: 'manual' });
    const { rows } = await world.pool.query('select role from user_group_member where user_id = $1 and group_id = $2', [
      user,
      mapped,
    ]);
    expect(rows).toEqual([{ role: 'manager' }]);
    expect(await world.versionOf(user)).toBe(0);
  });

  it('of another source: unchanged, and its mappings do not count', async () => {
    const [user, ours, theirs] = [await world.user(), await world.group(), await world.group()];
    await world.map('a', { group: ours });
    await world.map('a', { group: theirs, source: 'oidc' });
    await world.map('admins', { role: 'admin', source: 'oidc' });
    await world.join(theirs, user, 'oidc');
    expect(await world.signIn(user, ['a', 'admins'])).toMatchObject({ role: 'user', added: [ours], removed: [] });
    await world.signIn(user, []);
    expect(await world.groupsOf(user)).toEqual({ [theirs]: 'oidc' });
  });

  it('writes no row, event or version when nothing changes', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group });
    await world.signIn(user, ['a']);
    const rows = () =>
      world.pool
        .query('select xmin::text, * from user_group_member where user_id = $1', [user])
        .then((result) => result.rows);
    const before = await rows();
    expect(await world.signIn(user, ['a'])).toEqual({ role: 'user', roleChanged: false, added: [], removed: [] });
    expect(await rows()).toEqual(before);
    expect(await world.versionOf(user)).toBe(1);
    expect(await world.publishedEvents(user)).toHaveLength(1);
  });
});

describe('how mappings apply', () => {
  it('with no mappings configured the pass is a no-op for groups', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.join(group, user, 'ldap');
    await world.map('a', { group: await world.group(), source: 'oidc' });
    expect(await world.signIn(user, ['a'])).toMatchObject({ added: [], removed: [] });
    expect(await world.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it('with no mappings configured only the legacy signal decides admin', async () => {
    const user = await world.user();
    expect(await world.signIn(user, [], { legacyAdmin: 'yes' })).toMatchObject({ role: 'admin', roleChanged: true });
    expect(await world.signIn(user, [], { legacyAdmin: 'unknown' })).toMatchObject({
      role: 'admin',
      roleChanged: false,
    });
    expect(await world.signIn(user, [], { legacyAdmin: 'no' })).toMatchObject({ role: 'user', roleChanged: true });
  });

  it('claims that are unknown change nothing', async () => {
    const [user, group] = [await world.user({ role: 'admin' }), await world.group()];
    await world.map('a', { group, role: 'admin' });
    await world.signIn(user, ['a']);
    expect(await world.pass(user, { claims: unknown })).toMatchObject({
      role: 'admin',
      roleChanged: false,
      removed: [],
    });
    expect(await world.groupsOf(user)).toEqual({ [group]: 'ldap' });
  });

  it('claims that are known to be empty reconcile to empty', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group, role: 'admin' });
    expect(await world.signIn(user, ['a'])).toMatchObject({ role: 'admin' });
    expect(await world.signIn(user, [])).toMatchObject({ role: 'user', removed: [group] });
    expect(await world.groupsOf(user)).toEqual({});
  });

  it('a proxy sign-in with an absent groups header skips reconciliation, an empty header reconciles to empty', async () => {
    const [user, group] = [await world.user({ auth_type: 'proxy' }), await world.group()];
    await world.map('a', { group, role: 'admin', source: 'proxy' });
    const proxy = { source: 'proxy' } as const;
    await world.signIn(user, ['a'], proxy);
    await world.pass(user, { ...proxy, claims: { known: false, reason: 'header absent' } });
    expect([await world.groupsOf(user), await world.roleOf(user)]).toEqual([{ [group]: 'proxy' }, 'admin']);
    await world.signIn(user, [], proxy);
    expect([await world.groupsOf(user), await world.roleOf(user)]).toEqual([{}, 'user']);
  });

  it('the directory sync uses mappings of the directory and acts as directory_sync', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group, role: 'admin' });
    await world.signIn(user, ['a'], { actor: 'directory_sync' });
    expect(await world.groupsOf(user)).toEqual({ [group]: 'ldap' });
    expect(await world.audit(user)).toMatchObject([{ actor: 'directory_sync' }]);
  });

  it('a mapping change counts on every replica from its commit on', async () => {
    const [user, answer, other] = [await world.user(), await world.group(), await world.group()];
    const mapping = await world.map('x', { group: answer });
    for (const replica of [0, 1] as const) await world.pass(user, { claims: { known: true, values: ['x'] } }, replica);
    await world.pool.query('update group_mapping set group_id = $1 where uuid = $2', [other, mapping]);
    for (const replica of [1, 0] as const) {
      await world.pass(user, { claims: { known: true, values: ['x'] } }, replica);
      expect(await world.groupsOf(user)).toEqual({ [other]: 'ldap' });
    }
    await world.unmap(mapping);
    await world.pass(user, { claims: { known: true, values: ['x'] } }, 1);
    expect(await world.groupsOf(user)).toEqual({});
  });
});

describe('directory account (states and transitions)', () => {
  it('admin, and no matched mapping and no legacy admin signal: user, sessions revoked, audit ADMIN_ROLE_CHANGE', async () => {
    const user = await world.user({ role: 'admin' });
    await world.map('a', { role: 'admin' });
    await world.openSession(user);
    expect(await world.signIn(user, ['b'])).toMatchObject({ role: 'user', roleChanged: true });
    expect([await world.roleOf(user), await world.liveSessions(user)]).toEqual(['user', 0]);
    expect(await world.audit(user)).toMatchObject([
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
    const user = await world.user();
    await world.map('a', { role: 'admin' });
    await world.openSession(user);
    expect(await world.signIn(user, [...claims], { legacyAdmin })).toMatchObject({ role: 'admin', roleChanged: true });
    expect([await world.roleOf(user), await world.liveSessions(user)]).toEqual(['admin', 0]);
    expect(await world.audit(user)).toMatchObject([
      { eventType: 'ADMIN_ROLE_CHANGE', details: { from: 'user', to: 'admin' } },
    ]);
  });

  it('publishes a role change once: role changed, user updated, sessions revoked', async () => {
    const user = await world.user();
    await world.openSession(user);
    await world.signIn(user, [], { legacyAdmin: 'yes' });
    await world.signIn(user, [], { legacyAdmin: 'yes' });
    expect(await world.publishedEvents(user)).toEqual([
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
    expect(await world.audit(user)).toHaveLength(1);
  });

  it('publishes a membership change with all groups of the user and an increasing version', async () => {
    const [user, manual, mapped] = [await world.user(), await world.group(), await world.group()];
    await world.join(manual, user, 'manual');
    await world.map('a', { group: mapped });
    await world.signIn(user, ['a']);
    await world.signIn(user, []);
    const subject = 'evt.identity.membership.changed.v1';
    expect(await world.publishedEvents(user)).toEqual([
      { subject, data: { userId: user, groupIds: [manual, mapped].sort(), version: 1 } },
      { subject, data: { userId: user, groupIds: [manual], version: 2 } },
    ]);
  });

  it('a super_admin is never demoted by directory reconciliation', async () => {
    const user = await world.user({ role: 'super_admin' });
    await world.map('a', { role: 'user' });
    await world.openSession(user);
    for (const actor of ['idp_login', 'directory_sync'] as const) await world.signIn(user, ['a'], { actor });
    expect([await world.roleOf(user), await world.liveSessions(user)]).toEqual(['super_admin', 1]);
    expect(await world.audit(user)).toEqual([]);
  });

  it('super_admin and local accounts are never touched by the directory sync', async () => {
    const group = await world.group();
    await world.map('a', { group, role: 'admin' });
    for (const account of [{ role: 'super_admin' }, { auth_type: 'local' }, { auth_type: 'local', role: 'admin' }]) {
      const user = await world.user(account);
      const before = await world.db.user.findUniqueOrThrow({ where: { id: user } });
      await world.signIn(user, ['a'], { actor: 'directory_sync', legacyAdmin: 'yes' });
      await world.signIn(user, [], { actor: 'directory_sync' });
      expect(await world.db.user.findUniqueOrThrow({ where: { id: user } })).toEqual(before);
      expect([await world.groupsOf(user), await world.publishedEvents(user)]).toEqual([{}, []]);
    }
  });

  it('an unknown account is refused, and nothing is written', async () => {
    await expect(world.signIn(crypto.randomUUID(), ['a'])).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('leaves nothing behind when the transaction of the sign-in fails afterwards', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group, role: 'admin' });
    await expect(
      world.db.$transaction(async (tx) => {
        await world.replicas[0].mappings.reconcile(tx, {
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
    expect([
      await world.groupsOf(user),
      await world.roleOf(user),
      await world.publishedEvents(user),
      await world.audit(user),
    ]).toEqual([{}, 'user', [], []]);
  });
});
