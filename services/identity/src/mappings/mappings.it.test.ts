import { setTimeout as sleep } from 'node:timers/promises';
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

  it('stays as it is when nothing changes: no row is written, no event, no version', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group });
    await w.signIn(user, ['a']);
    const rows = () =>
      w.pool.query('select xmin::text, * from user_group_member where user_id = $1', [user]).then((r) => r.rows);
    const before = await rows();
    expect(await w.signIn(user, ['a'])).toEqual({ role: 'user', roleChanged: false, added: [], removed: [] });
    expect(await rows()).toEqual(before);
    expect(await w.versionOf(user)).toBe(1);
    expect(await w.told(user)).toHaveLength(1);
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

  it('a role change is told once: role changed, user updated, sessions revoked', async () => {
    const user = await w.user();
    await w.openSession(user);
    await w.signIn(user, [], { legacyAdmin: 'yes' });
    await w.signIn(user, [], { legacyAdmin: 'yes' });
    expect(await w.told(user)).toEqual([
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

  it('a membership change is told with all groups of the user and a version that grows', async () => {
    const [user, manual, mapped] = [await w.user(), await w.group(), await w.group()];
    await w.join(manual, user, 'manual');
    await w.map('a', { group: mapped });
    await w.signIn(user, ['a']);
    await w.signIn(user, []);
    const subject = 'evt.identity.membership.changed.v1';
    expect(await w.told(user)).toEqual([
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
      expect([await w.groupsOf(user), await w.told(user)]).toEqual([{}, []]);
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
    expect([await w.groupsOf(user), await w.roleOf(user), await w.told(user), await w.audit(user)]).toEqual([
      {},
      'user',
      [],
      [],
    ]);
  });
});

describe('at the same time', () => {
  it('sign-ins of one person and a sweep over two replicas go one after another: each change is told once', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group, role: 'admin' });
    const claims = { known: true, values: ['a'] } as const;
    const passes = Array.from({ length: 16 }, (_, i) =>
      w.pass(user, { claims, actor: i % 3 ? 'idp_login' : 'directory_sync' }, i % 2 ? 1 : 0),
    );
    const results = await Promise.all(passes);
    expect(results.filter((r) => r.roleChanged)).toHaveLength(1);
    expect(results.filter((r) => r.added.length > 0)).toHaveLength(1);
    expect(await w.versionOf(user)).toBe(1);
    expect(await w.audit(user)).toHaveLength(1);
    expect(await w.told(user)).toHaveLength(3);
  });

  it('opposite passes end in the state of the one that came last, with an unbroken line of changes', async () => {
    const [user, a, b] = [await w.user(), await w.group(), await w.group()];
    await w.map('a', { group: a, role: 'admin' });
    await w.map('b', { group: b });
    await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        w.pass(user, { claims: { known: true, values: [i % 2 ? 'a' : 'b'] } }, i % 4 < 2 ? 0 : 1),
      ),
    );
    const told = await w.told(user);
    const members = told.filter((t) => t.subject.includes('membership')).map((t) => t.data);
    expect(members.map((m) => m['version'])).toEqual(members.map((_m, i) => i + 1));
    expect(members.at(-1)?.['groupIds']).toEqual(Object.keys(await w.groupsOf(user)));
    const roles = told.filter((t) => t.subject.includes('role.changed')).map((t) => t.data);
    roles.slice(1).forEach((change, i) => expect(change['from']).toBe(roles[i]?.['to']));
    expect(roles.at(-1)?.['to'] ?? 'user').toBe(await w.roleOf(user));
    expect(await w.roleOf(user)).toBe((await w.groupsOf(user))[a] ? 'admin' : 'user');
  });

  it('a sign-in waits for another of the same person, and then sees what that one did', async () => {
    const [user, group] = [await w.user(), await w.group()];
    await w.map('a', { group });
    const holder = await w.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from "user" where uuid = $1 for update', [user]);
    let done = false;
    const waiting = w.signIn(user, ['a']).finally(() => (done = true));
    await sleep(100);
    expect(done).toBe(false);
    await holder.query(`insert into user_group_member (group_id, user_id, source) values ($1, $2, 'manual')`, [
      group,
      user,
    ]);
    await holder.query('commit');
    holder.release();
    expect(await waiting).toMatchObject({ added: [] });
    expect(await w.groupsOf(user)).toEqual({ [group]: 'manual' });
  });

  it('a group that is deleted meanwhile is left out, and the sign-in goes on', async () => {
    const [user, group, kept] = [await w.user(), await w.group(), await w.group()];
    const mapping = await w.map('a', { group });
    await w.map('b', { group: kept });
    await w.signIn(user, []);
    const deleter = await w.pool.connect();
    await deleter.query('begin');
    await deleter.query('delete from group_mapping where uuid = $1', [mapping]);
    await deleter.query('delete from user_group where uuid = $1', [group]);
    const waiting = w.signIn(user, ['a', 'b']);
    await sleep(100);
    await deleter.query('commit');
    deleter.release();
    expect(await waiting).toMatchObject({ added: [kept] });
    expect(await w.groupsOf(user)).toEqual({ [kept]: 'ldap' });
  });
});

describe('whatever the order of events', () => {
  // A small generator, so that a failing walk can be walked again.
  const numbers = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;

  it.each([1, 2, 3, 4, 5])('agrees with a model of the rules after every step of walk %i', async (seed) => {
    const random = numbers(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const user = await w.user();
    const groups = [await w.group(), await w.group(), await w.group()];
    const model = {
      role: 'user',
      ever: new Set<string>(),
      mappings: new Map<string, { source: 'ldap' | 'oidc'; claim: string; group: string | null; admin: boolean }>(),
      members: new Map<string, string>(),
    };
    for (let step = 0; step < 40; step += 1) {
      const source = pick(['ldap', 'oidc'] as const);
      const claim = pick(['a', 'b', 'c']);
      const has = [...model.mappings.values()].some((m) => m.source === source && m.claim === claim);
      const act = pick(['map', 'unmap', 'join', 'pass', 'pass', 'pass']);
      if (act === 'map' && !has) {
        const m = { source, claim, group: pick([...groups, null]), admin: random() < 0.4 };
        if (m.group === null) m.admin = true;
        const to = { source, ...(m.group ? { group: m.group } : {}), ...(m.admin ? { role: 'admin' as const } : {}) };
        model.mappings.set(await w.map(claim, to), m);
        model.ever.add(source);
      } else if (act === 'unmap' && model.mappings.size > 0) {
        const id = pick([...model.mappings.keys()]);
        await w.unmap(id);
        model.mappings.delete(id);
      } else if (act === 'join') {
        const group = pick(groups);
        if (!model.members.has(group)) await w.join(group, user, 'manual');
        if (!model.members.has(group)) model.members.set(group, 'manual');
      } else if (act === 'pass') {
        const values = ['a', 'b', 'c'].filter(() => random() < 0.5);
        const known = random() < 0.8;
        const legacyAdmin = pick(['yes', 'no', 'unknown'] as const);
        await w.pass(user, { source, legacyAdmin, claims: known ? { known, values } : unknown });
        const mine = [...model.mappings.values()].filter((m) => m.source === source);
        const hits = known ? mine.filter((m) => values.includes(m.claim)) : [];
        if (known && model.ever.has(source)) {
          const wanted = new Set(hits.flatMap((m) => m.group ?? []));
          for (const [g, from] of model.members) if (from === source && !wanted.has(g)) model.members.delete(g);
          for (const g of wanted) if (!model.members.has(g)) model.members.set(g, source);
        }
        if (legacyAdmin === 'yes' || hits.some((m) => m.admin)) model.role = 'admin';
        else if (legacyAdmin === 'no' && (known || mine.length === 0)) model.role = 'user';
      }
      expect({ step, act, role: await w.roleOf(user), groups: await w.groupsOf(user) }).toEqual({
        step,
        act,
        role: model.role,
        groups: Object.fromEntries(model.members),
      });
    }
  });
});
