import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOutbox } from '@overtone/database';
import { ldapClaimKey } from '@overtone/directory';
import { sessionsOver } from '../../test/real-sessions.ts';
import { effective } from '../settings/settings.ts';
import { createSweep } from '../sweep/sweep.service.ts';
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

const unknown = { known: false, reason: 'group search failed' } as const;

describe('at the same time', () => {
  it('serializes sign-ins of one person and a sweep over two replicas: each change is published once', async () => {
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
    expect(await w.publishedEvents(user)).toHaveLength(3);
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
    const published = await w.publishedEvents(user);
    const members = published.filter((t) => t.subject.includes('membership')).map((t) => t.data);
    expect(members.map((m) => m['version'])).toEqual(members.map((_m, i) => i + 1));
    expect(members.at(-1)?.['groupIds']).toEqual(Object.keys(await w.groupsOf(user)));
    const roles = published.filter((t) => t.subject.includes('role.changed')).map((t) => t.data);
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

  it('leaves out a group that is deleted in between, and the sign-in succeeds', async () => {
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

describe('the sweep', () => {
  it('leaves out a group that is deleted in between, and applies the rest of its batch', async () => {
    const [user, group, kept] = [await w.user(), await w.group(), await w.group()];
    const outbox = createOutbox('identity');
    const { values } = effective(new Map(), {});
    const sessions = sessionsOver({ db: w.db, pool: w.pool, outbox, settings: { current: () => values } });
    const sweep = createSweep({ db: w.db, outbox, sessions });
    const deleter = await w.pool.connect();
    await deleter.query('begin');
    await deleter.query('delete from user_group where uuid = $1', [group]);
    const expected = { role: 'user', directoryId: null } as const;
    const change = { userId: user, expected, disable: null, role: null, add: [group, kept], remove: [], adopt: null };
    const waiting = sweep.apply({ passId: crypto.randomUUID(), changes: [change] });
    await sleep(100);
    await deleter.query('commit');
    deleter.release();
    expect((await waiting).results).toMatchObject([{ userId: user, outcome: 'applied' }]);
    expect(await w.groupsOf(user)).toEqual({ [kept]: 'ldap' });
  });
});

describe('whatever the order of events', () => {
  // A seeded generator, so that a failed sequence can be repeated.
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

it('what the unique index calls one claim, the resolver does too, over all of Unicode', async () => {
  const { rows } = await w.pool.query<{ claim: string; lower: string }>(
    `select chr(i) as claim, lower(chr(i) collate "und-x-icu") as lower
     from generate_series(1, 1114111) as i
     where i not between 55296 and 57343 and lower(chr(i) collate "und-x-icu") <> chr(i)`,
  );
  // Letters that only one of the two Unicode versions knows have no case in the other.
  const known = rows.filter((r) => r.claim.toLowerCase() !== r.claim);
  expect(known.length).toBeGreaterThan(1_300);
  expect(known.filter((r) => r.claim.toLowerCase() !== r.lower)).toEqual([]);
  expect(known.filter((r) => ldapClaimKey(r.claim) !== ldapClaimKey(r.lower))).toEqual([]);
});
