import { describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import * as fc from 'fast-check';
import {
  createPlan,
  decide,
  type Account,
  type Changed,
  type Limits,
  type Person,
  type Plan,
  type Population,
  type Rules,
} from './plan.ts';

/** Random worlds; more of them in long runs. */
const numRuns = Number(process.env['OT_SWEEP_WORLDS'] ?? 2_000);

const groups = ['g1', 'g2', 'g3', 'g4'];
const claimsOf = (values: string[] | null) =>
  values ? ({ known: true, values } as const) : ({ known: false, reason: 'unreadable' } as const);
const mappings = compileMappings('ldap', [
  ...groups.map((groupId) => ({ claimValue: groupId, groupId, grantsRole: null })),
  { claimValue: 'admins', groupId: null, grantsRole: 'admin' },
]);
const noMappings = compileMappings('ldap', []);
const answer = fc.constantFrom<('yes' | 'no')[]>('yes', 'no');
const role = fc.constantFrom<Account['role'][]>('user', 'admin', 'super_admin');

const personOf = (n: number): fc.Arbitrary<Person> =>
  fc.record({
    id: fc.constantFrom(`entryUUID:${n}`, null),
    login: fc.constant(`login-${n}`),
    disabled: answer,
    admitted: answer,
    admin: answer,
    claims: fc.option(fc.subarray([...groups, 'admins'])).map(claimsOf),
    evidence: fc.constant({}),
  });
const accountOf = (n: number): fc.Arbitrary<Account> =>
  fc
    .record({
      authType: fc.constantFrom('ldap', 'ldap', 'ldap', 'local', 'oidc'),
      role,
      active: fc.boolean(),
      disabledBy: fc.constantFrom(null, 'administrator' as const, 'directory' as const),
      knowsId: fc.boolean(),
      inside: fc.array(fc.constantFrom('directory', 'hand', 'none'), { minLength: 4, maxLength: 4 }),
    })
    .map(({ knowsId, inside, ...a }) => ({
      ...a,
      userId: `user-${String(n).padStart(3, '0')}`,
      email: `${n}@example.org`,
      login: `login-${n}`,
      directoryId: knowsId ? `entryUUID:${n}` : null,
      fromDirectory: groups.filter((_, i) => inside[i] === 'directory'),
      byHand: groups.filter((_, i) => inside[i] === 'hand'),
    }));
const limits = fc.record({
  maxDisables: fc.integer({ min: 1, max: 6 }),
  maxPercent: fc.option(fc.integer({ min: 1, max: 100 })),
  approved: fc.constant(null),
});
type World = { people: Person[]; accounts: Account[]; rules: Rules; limits: Limits };
const world: fc.Arbitrary<World> = fc
  .record({
    people: fc.subarray([...Array(12).keys()]).chain((ns) => fc.tuple(...ns.map(personOf))),
    accounts: fc.subarray([...Array(12).keys()]).chain((ns) => fc.tuple(...ns.map(accountOf))),
    rules: fc.record({ mappings: fc.constantFrom(mappings, mappings, noMappings) }),
    limits,
  })
  .map((w) => ({ ...w, people: [...w.people], accounts: [...w.accounts] }));

const populationOf = (people: readonly Person[]): Population => ({
  byId: (id) => people.find((p) => p.id === id),
  byLogin: (login) => people.find((p) => p.login === login),
});
const planOf = (w: World, pages = 3): Plan => {
  const plan = createPlan(populationOf(w.people), w.rules, w.limits);
  for (let i = 0; i < w.accounts.length; i += pages) plan.add(w.accounts.slice(i, i + pages));
  return plan.finish();
};
const inWorlds = (property: (w: World, plan: Plan) => void) =>
  fc.assert(
    fc.property(world, (w) => property(w, planOf(w))),
    { numRuns },
  );
const find = (w: World, a: Account) =>
  w.people.find((p) => (a.directoryId === null ? p.login === a.login : p.id === a.directoryId));
/** The account that a plan speaks of, as it was given. */
const wholeOf = (w: World, { userId }: Changed) => w.accounts.find((a) => a.userId === userId) as Account;
const sweepable = (a: Account) => a.authType === 'ldap' && a.active && a.role !== 'super_admin';

/** The account after the plan's change, as identity makes it. */
const applied = (a: Account, plan: Plan): Account => {
  if (plan.leavers.some((l) => l.outcome === 'disable' && l.account.userId === a.userId))
    return { ...a, active: false, disabledBy: 'directory' };
  const change = plan.changes.find((c) => c.account.userId === a.userId);
  if (!change) return a;
  return {
    ...a,
    role: change.role ?? a.role,
    directoryId: change.adopt ?? a.directoryId,
    fromDirectory: [...a.fromDirectory.filter((g) => !change.remove.includes(g)), ...change.add],
  };
};

describe('plan of a pass over random data', () => {
  it('never changes a super_admin, a local account, an account of another source, or a disabled account', () => {
    inWorlds((w, plan) => {
      for (const { account } of [...plan.leavers, ...plan.changes]) expect(sweepable(wholeOf(w, account))).toBe(true);
    });
  });

  it('never deprovisions an account that is present, enabled and admitted in the directory', () => {
    inWorlds((w, plan) => {
      for (const { account } of plan.leavers) {
        const person = find(w, account);
        expect(person !== undefined && person.disabled === 'no' && person.admitted === 'yes').toBe(false);
      }
    });
  });

  it('lists every account that left, with its reason', () => {
    inWorlds((w, plan) => {
      if (plan.status === 'directory_unavailable') return;
      const left = w.accounts.filter(sweepable).filter((a) => {
        const person = find(w, a);
        return !person || person.disabled === 'yes' || person.admitted === 'no';
      });
      expect(plan.leavers.map((l) => l.account.userId)).toEqual(left.map((a) => a.userId).sort());
    });
  });

  it('disables at most max_disables_per_run, the first by uuid, and defers the rest', () => {
    inWorlds((w, plan) => {
      if (plan.status !== 'ok') return;
      const outcomes = plan.leavers.map((l) => l.outcome);
      expect(outcomes.filter((o) => o === 'disable')).toHaveLength(Math.min(w.limits.maxDisables, outcomes.length));
      expect(outcomes.lastIndexOf('disable') < (outcomes.indexOf('deferred') + 1 || Infinity)).toBe(true);
    });
  });

  it('holds the whole set above the allowed share', () => {
    inWorlds((w, plan) => {
      const { maxPercent } = w.limits;
      if (plan.status === 'directory_unavailable' || maxPercent === null) return;
      const [leavers, percent] = [plan.leavers.length, plan.checked < 20 ? Math.max(50, maxPercent) : maxPercent];
      const above = leavers * 100 > plan.checked * percent && (leavers > 1 || plan.checked >= 20);
      expect(plan.status).toBe(above ? 'held' : 'ok');
      if (above) expect(plan.leavers.every((l) => l.outcome === 'held')).toBe(true);
    });
  });

  it('reconciles present accounts without limits', () => {
    inWorlds((w, plan) => {
      if (plan.status === 'directory_unavailable') return;
      const free = planOf({ ...w, limits: { maxDisables: 100, maxPercent: null, approved: null } });
      expect(plan.changes).toEqual(free.changes);
    });
  });

  it('never removes a manual membership, nor adds a second one', () => {
    inWorlds((w, plan) => {
      for (const { account, add, remove } of plan.changes)
        expect([...add, ...remove].some((g) => wholeOf(w, account).byHand.includes(g))).toBe(false);
    });
  });

  it('is a no-op for groups when no mapping is configured', () => {
    inWorlds((w, plan) => {
      if (w.rules.mappings !== noMappings) return;
      for (const { add, remove } of plan.changes) expect([...add, ...remove]).toEqual([]);
    });
  });

  it('removes no role and no group from an account with unknown groups', () => {
    inWorlds((w, plan) => {
      for (const { account, role: to, remove } of plan.changes) {
        if (find(w, wholeOf(w, account))?.claims.known) continue;
        if (w.rules.mappings === mappings) expect(to).not.toBe('user');
        expect(remove).toEqual([]);
      }
    });
  });

  it('does not depend on the page size', () => {
    inWorlds((w, plan) => expect(planOf(w, 5)).toEqual(plan));
  });

  it('contains only deferred accounts after it was applied', () => {
    inWorlds((w, plan) => {
      if (plan.status !== 'ok') return;
      const after = { ...w, accounts: w.accounts.map((a) => applied(a, plan)) };
      const next = planOf({ ...after, limits: { maxDisables: 100, maxPercent: null, approved: null } });
      if (next.status === 'directory_unavailable') return;
      expect(next.changes).toEqual([]);
      expect(next.leavers.map((l) => l.account.userId)).toEqual(
        plan.leavers.filter((l) => l.outcome === 'deferred').map((l) => l.account.userId),
      );
    });
  });

  it.each(['disabled', 'admitted'] as const)('makes no decision when `%s` of one person cannot be read', (what) => {
    inWorlds((w) => {
      const account = w.accounts.find((a) => sweepable(a) && find(w, a));
      const person = account && find(w, account);
      if (!account || !person) return;
      const hidden = { ...person, disabled: 'no' as const, [what]: 'unknown' as const };
      const plan = planOf({ ...w, people: w.people.map((p) => (p === person ? hidden : p)) });
      expect(plan).toMatchObject({ status: 'directory_unavailable', leavers: [], changes: [] });
    });
  });
});

const account: Account = {
  userId: 'user-1',
  email: 'una@example.org',
  login: 'una',
  directoryId: 'entryUUID:1',
  authType: 'ldap',
  role: 'user',
  active: true,
  disabledBy: null,
  fromDirectory: [],
  byHand: [],
};
const person: Person = {
  id: 'entryUUID:1',
  login: 'una',
  disabled: 'no',
  admitted: 'yes',
  admin: 'no',
  claims: { known: true, values: [] },
  evidence: {},
};
const rules = { mappings };
const about = (a: Partial<Account>, p: Partial<Person> | null) =>
  decide({ ...account, ...a }, populationOf(p ? [{ ...person, ...p }] : []), rules);
const one = (a: Partial<Account>, people: Person[]) => {
  const plan = createPlan(populationOf(people), rules, { maxDisables: 10, maxPercent: null, approved: null });
  plan.add([{ ...account, ...a }]);
  return plan.finish();
};

describe('retried pass', () => {
  const moved = (plan: Plan): string[] =>
    [...plan.leavers.filter((l) => l.outcome === 'disable'), ...plan.changes].map((w) => w.account.userId).sort();

  it('makes only the remaining changes after any part was applied', () => {
    fc.assert(
      fc.property(world, fc.nat(12), (w, n) => {
        const whole = planOf(w);
        const userIds = new Set(moved(whole).slice(0, n));
        const isDone = (what: { account: Changed }) => userIds.has(what.account.userId);
        const part = { ...whole, leavers: whole.leavers.filter(isDone), changes: whole.changes.filter(isDone) };
        const rest = createPlan(populationOf(w.people), w.rules, w.limits);
        rest.add(w.accounts.map((a) => applied(a, part)));
        const plan = rest.finish({ userIds, disabled: part.leavers.length });
        expect([...userIds, ...moved(plan)].sort()).toEqual(moved(whole));
        expect(plan.status).toBe(whole.status);
      }),
      { numRuns },
    );
  });
});

describe('decision about one account', () => {
  it('disables an account that is absent from the directory', () => {
    expect(about({}, null)).toMatchObject({ leaver: { reason: 'absent_from_directory' } });
  });
  it('disables an account that is disabled in the directory', () => {
    expect(about({}, { disabled: 'yes' })).toMatchObject({ leaver: { reason: 'disabled_in_directory' } });
  });
  it('disables an account that is no longer in a required group', () => {
    expect(about({}, { admitted: 'no' })).toMatchObject({ leaver: { reason: 'no_longer_in_required_groups' } });
  });
  it('keeps a present account unchanged', () => {
    expect(about({}, {})).toEqual({ kind: 'present', change: null });
  });
  it('keeps a renamed or moved account with the same immutable id unchanged', () => {
    expect(about({}, { login: 'una.new' })).toEqual({ kind: 'present', change: null });
  });
  it('treats a new entry with the old login as another person, so that the account is absent', () => {
    expect(about({}, { id: 'entryUUID:2' })).toMatchObject({
      leaver: { reason: 'absent_from_directory', evidence: { login_now_belongs_to: 'entryUUID:2' } },
    });
  });
  it('sets the immutable id of the entry on an account without one', () => {
    expect(about({ directoryId: null }, {})).toMatchObject({ change: { adopt: 'entryUUID:1' } });
  });
  it('reports a returned account that the directory had disabled, without enabling it', () => {
    expect(about({ active: false, disabledBy: 'directory' }, {})).toEqual({ kind: 'returned' });
  });
  it('keeps an account that an administrator disabled unchanged, present or not', () => {
    for (const p of [{}, null])
      expect(about({ active: false, disabledBy: 'administrator' }, p)).toEqual({ kind: 'untouched' });
  });

  it.each([
    ['admin', 'no', false, 'user'],
    ['admin', 'no', true, null],
    ['admin', 'yes', false, null],
    ['admin', 'unknown', false, null],
    ['user', 'no', true, 'admin'],
    ['user', 'yes', false, 'admin'],
    ['user', 'unknown', false, null],
    ['user', 'no', false, null],
  ] as const)('a %s with the admin signal %s and a granting mapping %s: role %s', (from, admin, grantsAdmin, to) => {
    const decision = about({ role: from }, { admin, claims: claimsOf(grantsAdmin ? ['admins'] : []) });
    expect(decision).toMatchObject({ kind: 'present', change: to === null ? null : { role: to } });
  });

  it.each([
    ['deleted, the last one of all', true, ['g1']],
    ['never there at all', false, []],
  ])('a membership of the directory whose mapping was %s: removed %s', (_what, ever, remove) => {
    const none = { mappings: compileMappings('ldap', [], ever) };
    const people = populationOf([{ ...person, claims: claimsOf(['g1']) }]);
    const decision = decide({ ...account, fromDirectory: ['g1'], byHand: ['g2'] }, people, none);
    expect(decision).toMatchObject({ kind: 'present', change: remove.length === 0 ? null : { remove, add: [] } });
  });

  it('disables no account when the snapshot contains none of the known accounts', () => {
    expect(one({}, [{ ...person, id: 'entryUUID:9', login: 'somebody.else' }])).toMatchObject({
      status: 'directory_unavailable',
      leavers: [],
    });
  });

  it.each([
    { accounts: 11, leavers: 10, status: 'held' },
    { accounts: 11, leavers: 6, status: 'held' },
    { accounts: 11, leavers: 5, status: 'ok' },
    { accounts: 3, leavers: 2, status: 'held' },
    { accounts: 2, leavers: 1, status: 'ok' },
    { accounts: 19, leavers: 9, status: 'ok' },
    { accounts: 19, leavers: 10, status: 'held' },
    { accounts: 20, leavers: 4, status: 'ok' },
    { accounts: 20, leavers: 5, status: 'held' },
    { accounts: 1_000, leavers: 200, status: 'ok' },
    { accounts: 1_000, leavers: 201, status: 'held' },
  ])('at 20 %, $leavers of $accounts accounts absent: $status', ({ accounts, leavers, status }) => {
    const numbers = Array.from({ length: accounts }, (_, i) => i);
    const present = numbers.slice(leavers).map((i) => ({ ...person, id: `entryUUID:${i}`, login: `login-${i}` }));
    const plan = createPlan(populationOf(present), rules, { maxDisables: 1_000, maxPercent: 20, approved: null });
    plan.add(
      numbers.map((i) => ({ ...account, userId: `user-${i}`, directoryId: `entryUUID:${i}`, login: `login-${i}` })),
    );
    const planned = plan.finish();
    expect(planned).toMatchObject({ status, checked: accounts });
    expect(planned.leavers.filter((l) => l.outcome === 'held')).toHaveLength(status === 'held' ? leavers : 0);
  });

  it('disables exactly the approved accounts, without limit', () => {
    const people = populationOf([{ ...person, id: 'entryUUID:0', login: 'known' }]);
    const left = [1, 2, 3].map((n) => ({
      ...account,
      userId: `user-${n}`,
      directoryId: `entryUUID:${n}`,
      login: null,
    }));
    const plan = createPlan(people, rules, { maxDisables: 1, maxPercent: 1, approved: new Set(['user-1', 'user-3']) });
    plan.add([{ ...account, userId: 'user-0', directoryId: 'entryUUID:0', login: 'known' }, ...left]);
    expect(plan.finish().leavers.map((l) => [l.account.userId, l.outcome])).toEqual([
      ['user-1', 'disable'],
      ['user-2', 'held'],
      ['user-3', 'disable'],
    ]);
  });

  it('holds the whole set until approval when an expiry date is later than the verified clock', () => {
    const people = [
      person,
      { ...person, id: 'entryUUID:2', login: 'duo', disabled: 'yes' as const, doubtful: true as const },
      { ...person, id: 'entryUUID:3', login: 'tre', admitted: 'no' as const },
    ];
    const accounts = [1, 2, 3].map((n) => ({ ...account, userId: `user-${n}`, directoryId: `entryUUID:${n}` }));
    const outcomes = (approved: ReadonlySet<string> | null) => {
      const plan = createPlan(populationOf(people), rules, { maxDisables: 10, maxPercent: null, approved });
      plan.add(accounts);
      const { status, error, leavers } = plan.finish();
      return { status, error, outcomes: leavers.map((l) => l.outcome) };
    };
    expect(outcomes(null)).toMatchObject({ status: 'held', outcomes: ['held', 'held'] });
    expect(outcomes(null).error).toMatch(/end dates of 1 .* clock/);
    expect(outcomes(new Set(['user-2', 'user-3']))).toEqual({
      status: 'ok',
      error: null,
      outcomes: ['disable', 'disable'],
    });
  });

  it('has a different digest for a different set', () => {
    const others = [{ ...person, id: 'entryUUID:8', login: 'known' }];
    const digest = (a: Partial<Account>, p: Partial<Person>) => {
      const plan = createPlan(populationOf([...others, { ...person, ...p }]), rules, {
        maxDisables: 10,
        maxPercent: null,
        approved: null,
      });
      plan.add([
        { ...account, ...a },
        { ...account, userId: 'user-8', directoryId: 'entryUUID:8', login: 'known' },
      ]);
      return plan.finish().digest;
    };
    const all = [
      digest({}, { disabled: 'yes' }),
      digest({}, { admitted: 'no' }),
      digest({ userId: 'user-2' }, { admitted: 'no' }),
    ];
    expect(new Set(all).size).toBe(3);
    expect(digest({}, {})).toBeNull();
  });
});
