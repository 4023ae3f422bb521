import { beforeEach, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@overtone/database';
import { ldapClaimKey } from '@overtone/directory';
import { sessionsOver } from '../../test/real-sessions.ts';
import { effective } from '../settings/settings.ts';
import { startMappingWorld } from '../../test/mapping-world.ts';
import { createSyncChanges } from '../sync/sync.service.ts';

const world = await startMappingWorld();
beforeEach(async () => {
  await world.pool.query('delete from group_mapping');
  await world.pool.query('delete from group_mapping_version');
});

const unknown = { known: false, reason: 'group search failed' } as const;

describe('at the same time', () => {
  it('serializes sign-ins of one person and a sync run over two replicas: each change is published once', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group, role: 'admin' });
    const claims = { known: true, values: ['a'] } as const;
    const passes = Array.from({ length: 16 }, (_, i) =>
      world.pass(user, { claims, actor: i % 3 ? 'idp_login' : 'directory_sync' }, i % 2 ? 1 : 0),
    );
    const results = await Promise.all(passes);
    expect(results.filter((result) => result.roleChanged)).toHaveLength(1);
    expect(results.filter((result) => result.added.length > 0)).toHaveLength(1);
    expect(await world.versionOf(user)).toBe(1);
    expect(await world.audit(user)).toHaveLength(1);
    expect(await world.publishedEvents(user)).toHaveLength(3);
  });

  it('opposite passes end in the state of the one that came last, with an unbroken line of changes', async () => {
    const [user, answer, other] = [await world.user(), await world.group(), await world.group()];
    await world.map('a', { group: answer, role: 'admin' });
    await world.map('b', { group: other });
    await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        world.pass(user, { claims: { known: true, values: [i % 2 ? 'a' : 'b'] } }, i % 4 < 2 ? 0 : 1),
      ),
    );
    const published = await world.publishedEvents(user);
    const members = published.filter((token) => token.subject.includes('membership')).map((token) => token.data);
    expect(members.map((member) => member['version'])).toEqual(members.map((_m, i) => i + 1));
    expect(members.at(-1)?.['groupIds']).toEqual(Object.keys(await world.groupsOf(user)));
    const roles = published.filter((token) => token.subject.includes('role.changed')).map((token) => token.data);
    roles.slice(1).forEach((change, i) => expect(change['from']).toBe(roles[i]?.['to']));
    expect(roles.at(-1)?.['to'] ?? 'user').toBe(await world.roleOf(user));
    expect(await world.roleOf(user)).toBe((await world.groupsOf(user))[answer] ? 'admin' : 'user');
  });

  it('a sign-in waits for another of the same person, and then sees what that one did', async () => {
    const [user, group] = [await world.user(), await world.group()];
    await world.map('a', { group });
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('select 1 from "user" where uuid = $1 for update', [user]);
    let done = false;
    const waiting = world.signIn(user, ['a']).finally(() => (done = true));
    await world.waitForLock();
    expect(done).toBe(false);
    await holder.query(`insert into user_group_member (group_id, user_id, source) values ($1, $2, 'manual')`, [
      group,
      user,
    ]);
    await holder.query('commit');
    holder.release();
    expect(await waiting).toMatchObject({ added: [] });
    expect(await world.groupsOf(user)).toEqual({ [group]: 'manual' });
  });

  it('leaves out a group that is deleted in between, and the sign-in succeeds', async () => {
    const [user, group, kept] = [await world.user(), await world.group(), await world.group()];
    const mapping = await world.map('a', { group });
    await world.map('b', { group: kept });
    await world.signIn(user, []);
    const deleter = await world.pool.connect();
    await deleter.query('begin');
    await deleter.query('delete from group_mapping where uuid = $1', [mapping]);
    await deleter.query('delete from user_group where uuid = $1', [group]);
    const waiting = world.signIn(user, ['a', 'b']);
    await world.waitForLock();
    await deleter.query('commit');
    deleter.release();
    expect(await waiting).toMatchObject({ added: [kept] });
    expect(await world.groupsOf(user)).toEqual({ [kept]: 'ldap' });
  });
});

describe('the directory sync', () => {
  it('leaves out a group that is deleted in between, and applies the rest of its batch', async () => {
    const [user, group, kept] = [await world.user(), await world.group(), await world.group()];
    const outbox = createOutbox('identity');
    const { values } = effective(new Map(), {});
    const sessions = sessionsOver({ db: world.db, pool: world.pool, outbox, settings: { current: () => values } });
    const sync = createSyncChanges({ db: world.db, outbox, sessions });
    const deleter = await world.pool.connect();
    await deleter.query('begin');
    await deleter.query('delete from user_group where uuid = $1', [group]);
    const expected = { role: 'user', directoryId: null } as const;
    const change = { userId: user, expected, disable: null, role: null, add: [group, kept], remove: [], adopt: null };
    const waiting = sync.apply({ passId: crypto.randomUUID(), changes: [change] });
    await world.waitForLock();
    await deleter.query('commit');
    deleter.release();
    expect((await waiting).results).toMatchObject([{ userId: user, outcome: 'applied' }]);
    expect(await world.groupsOf(user)).toEqual({ [kept]: 'ldap' });
  });
});

describe('whatever the order of events', () => {
  // A seeded generator, so that a failed sequence can be repeated.
  const numbers = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;

  it.each([1, 2, 3, 4, 5])('agrees with a model of the rules after every step of walk %i', async (seed) => {
    const random = numbers(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const user = await world.user();
    const groups = [await world.group(), await world.group(), await world.group()];
    const model = {
      role: 'user',
      ever: new Set<string>(),
      mappings: new Map<string, { source: 'ldap' | 'oidc'; claim: string; group: string | null; admin: boolean }>(),
      members: new Map<string, string>(),
    };
    for (let step = 0; step < 40; step += 1) {
      const source = pick(['ldap', 'oidc'] as const);
      const claim = pick(['a', 'b', 'c']);
      const has = [...model.mappings.values()].some((mapping) => mapping.source === source && mapping.claim === claim);
      const act = pick(['map', 'unmap', 'join', 'pass', 'pass', 'pass']);
      if (act === 'map' && !has) {
        const member = { source, claim, group: pick([...groups, null]), admin: random() < 0.4 };
        if (member.group === null) member.admin = true;
        const to = {
          source,
          ...(member.group ? { group: member.group } : {}),
          ...(member.admin ? { role: 'admin' as const } : {}),
        };
        model.mappings.set(await world.map(claim, to), member);
        model.ever.add(source);
      } else if (act === 'unmap' && model.mappings.size > 0) {
        const id = pick([...model.mappings.keys()]);
        await world.unmap(id);
        model.mappings.delete(id);
      } else if (act === 'join') {
        const group = pick(groups);
        if (!model.members.has(group)) await world.join(group, user, 'manual');
        if (!model.members.has(group)) model.members.set(group, 'manual');
      } else if (act === 'pass') {
        const values = ['a', 'b', 'c'].filter(() => random() < 0.5);
        const known = random() < 0.8;
        const legacyAdmin = pick(['yes', 'no', 'unknown'] as const);
        await world.pass(user, { source, legacyAdmin, claims: known ? { known, values } : unknown });
        const mine = [...model.mappings.values()].filter((mapping) => mapping.source === source);
        const hits = known ? mine.filter((mapping) => values.includes(mapping.claim)) : [];
        if (known && model.ever.has(source)) {
          const wanted = new Set(hits.flatMap((hit) => hit.group ?? []));
          for (const [group, from] of model.members)
            if (from === source && !wanted.has(group)) model.members.delete(group);
          for (const group of wanted) if (!model.members.has(group)) model.members.set(group, source);
        }
        if (legacyAdmin === 'yes' || hits.some((hit) => hit.admin)) model.role = 'admin';
        else if (legacyAdmin === 'no' && (known || mine.length === 0)) model.role = 'user';
      }
      expect({ step, act, role: await world.roleOf(user), groups: await world.groupsOf(user) }).toEqual({
        step,
        act,
        role: model.role,
        groups: Object.fromEntries(model.members),
      });
    }
  });
});

it('what the unique index calls one claim, the resolver does too, over all of Unicode', async () => {
  const { rows } = await world.pool.query<{ claim: string; lower: string }>(
    `select chr(i) as claim, lower(chr(i) collate "und-x-icu") as lower
     from generate_series(1, 1114111) as i
     where i not between 55296 and 57343 and lower(chr(i) collate "und-x-icu") <> chr(i)`,
  );
  // Letters that only one of the two Unicode versions knows have no case in the other.
  const known = rows.filter((row) => row.claim.toLowerCase() !== row.claim);
  expect(known.length).toBeGreaterThan(1_300);
  expect(known.filter((record) => record.claim.toLowerCase() !== record.lower)).toEqual([]);
  expect(known.filter((record) => ldapClaimKey(record.claim) !== ldapClaimKey(record.lower))).toEqual([]);
});
