import { describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import {
  createPlan,
  decide,
  type Account,
  type ChangedAccount,
  type Limits,
  type Person,
  type Plan,
  type Population,
  type Rules,
} from './plan.ts';

fc.configureGlobal({ seed: testSeed });

/** Number of random worlds; larger in long runs. */
const numRuns = Number(process.env['OT_SWEEP_WORLDS'] ?? 2_000);

const groups = ['g1', 'g2', 'g3', 'g4'];

function claimsOf(values: string[] | null) {
  return values ? ({ known: true, values } as const) : ({ known: false, reason: 'unreadable' } as const);
}

const mappings = compileMappings('ldap', [
  ...groups.map((groupId) => ({ claimValue: groupId, groupId, grantsRole: null })),
  { claimValue: 'admins', groupId: null, grantsRole: 'admin' },
]);
const noMappings = compileMappings('ldap', []);
const yesOrNo = fc.constantFrom<('yes' | 'no')[]>('yes', 'no');
const role = fc.constantFrom<Account['role'][]>('user', 'admin', 'super_admin');

function personOf(value: number): fc.Arbitrary<Person> {
  return fc.record({
    id: fc.constantFrom(`entryUUID:${value}`, null),
    login: fc.constant(`login-${value}`),
    disabled: yesOrNo,
    admitted: yesOrNo,
    admin: yesOrNo,
    claims: fc.option(fc.subarray([...groups, 'admins'])).map(claimsOf),
    evidence: fc.constant({}),
  });
}

function accountOf(value: number): fc.Arbitrary<Account> {
  return fc
    .record({
      authType: fc.constantFrom('ldap', 'ldap', 'ldap', 'local', 'oidc'),
      role,
      active: fc.boolean(),
      disabledBy: fc.constantFrom(null, 'administrator' as const, 'directory' as const),
      hasDirectoryId: fc.boolean(),
      membership: fc.array(fc.constantFrom('directory', 'hand', 'none'), { minLength: 4, maxLength: 4 }),
    })
    .map(({ hasDirectoryId, membership, ...fields }) => ({
      ...fields,
      userId: `user-${String(value).padStart(3, '0')}`,
      email: `${value}@example.org`,
      login: `login-${value}`,
      directoryId: hasDirectoryId ? `entryUUID:${value}` : null,
      fromDirectory: groups.filter((_, i) => membership[i] === 'directory'),
      byHand: groups.filter((_, i) => membership[i] === 'hand'),
    }));
}

const limits = fc.record({
  maxDisables: fc.integer({ min: 1, max: 6 }),
  maxPercent: fc.option(fc.integer({ min: 1, max: 100 })),
  approved: fc.constant(null),
});
type World = { people: Person[]; accounts: Account[]; rules: Rules; limits: Limits };
const worlds: fc.Arbitrary<World> = fc
  .record({
    people: fc.subarray([...Array(12).keys()]).chain((ns) => fc.tuple(...ns.map(personOf))),
    accounts: fc.subarray([...Array(12).keys()]).chain((ns) => fc.tuple(...ns.map(accountOf))),
    rules: fc.record({ mappings: fc.constantFrom(mappings, mappings, noMappings) }),
    limits,
  })
  .map((world) => ({ ...world, people: [...world.people], accounts: [...world.accounts] }));

function populationOf(people: readonly Person[]): Population {
  return {
    byId: (id) => people.find((person) => person.id === id),
    byLogin: (login) => people.find((person) => person.login === login),
  };
}

function planOf(world: World, pageSize = 3): Plan {
  const plan = createPlan(populationOf(world.people), world.rules, world.limits);
  for (let i = 0; i < world.accounts.length; i += pageSize) plan.add(world.accounts.slice(i, i + pageSize));
  return plan.finish();
}

function inWorlds(property: (world: World, plan: Plan) => void) {
  return fc.assert(
    fc.property(worlds, (world) => property(world, planOf(world))),
    { numRuns },
  );
}

function findPerson(world: World, { directoryId, login }: Account) {
  return world.people.find((person) => (directoryId === null ? person.login === login : person.id === directoryId));
}

/** The complete account of a planned change. */
function accountById(world: World, { userId }: ChangedAccount) {
  return world.accounts.find((account) => account.userId === userId) as Account;
}

function isSyncable({ authType, active, role: current }: Account) {
  return authType === 'ldap' && active && current !== 'super_admin';
}

/** The account after identity has applied the plan's change to it. */
function applyPlan(account: Account, plan: Plan): Account {
  if (
    plan.candidates.some((candidate) => candidate.outcome === 'disable' && candidate.account.userId === account.userId)
  )
    return { ...account, active: false, disabledBy: 'directory' };
  const change = plan.changes.find(({ account: { userId } }) => userId === account.userId);
  if (!change) return account;
  return {
    ...account,
    role: change.role ?? account.role,
    directoryId: change.adopt ?? account.directoryId,
    fromDirectory: [...account.fromDirectory.filter((group) => !change.remove.includes(group)), ...change.add],
  };
}

describe('plan of a sync run over random data', () => {
  it('never changes a super_admin, a local account, an account of another source, or a disabled account', () => {
    inWorlds((world, plan) => {
      for (const { account } of [...plan.candidates, ...plan.changes])
        expect(isSyncable(accountById(world, account))).toBe(true);
    });
  });

  it('never deprovisions an account that is present, enabled and admitted in the directory', () => {
    inWorlds((world, plan) => {
      for (const { account } of plan.candidates) {
        const person = findPerson(world, account);
        expect(person !== undefined && person.disabled === 'no' && person.admitted === 'yes').toBe(false);
      }
    });
  });

  it('lists every account that left, with its reason', () => {
    inWorlds((world, plan) => {
      if (plan.status === 'directory_unavailable') return;
      const left = world.accounts.filter(isSyncable).filter((account) => {
        const person = findPerson(world, account);
        return !person || person.disabled === 'yes' || person.admitted === 'no';
      });
      expect(plan.candidates.map((candidate) => candidate.account.userId)).toEqual(
        left.map((account) => account.userId).sort(),
      );
    });
  });

  it('disables at most max_disables_per_run, the first by uuid, and defers the rest', () => {
    inWorlds((world, plan) => {
      if (plan.status !== 'ok') return;
      const outcomes = plan.candidates.map((candidate) => candidate.outcome);
      expect(outcomes.filter((outcome) => outcome === 'disable')).toHaveLength(
        Math.min(world.limits.maxDisables, outcomes.length),
      );
      expect(outcomes.lastIndexOf('disable') < (outcomes.indexOf('deferred') + 1 || Infinity)).toBe(true);
    });
  });

  it('holds the whole set above the allowed share of 20 accounts or more, and no set of fewer accounts', () => {
    const others = (first: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        person: { ...person, id: `entryUUID:other-${first + i}`, login: `other-${first + i}` },
        account: { ...account, userId: `other-${first + i}`, directoryId: `entryUUID:other-${first + i}`, login: null },
      }));
    fc.assert(
      fc.property(worlds, fc.nat(24), fc.nat(24), (world, present, left) => {
        const staying = others(0, present);
        const leaving = others(present, left);
        const plan = planOf({
          ...world,
          people: [...world.people, ...staying.map((one) => one.person)],
          accounts: [...world.accounts, ...[...staying, ...leaving].map((one) => one.account)],
        });
        const { maxPercent } = world.limits;
        if (plan.status === 'directory_unavailable') return;
        const above =
          maxPercent !== null && plan.checked >= 20 && plan.candidates.length * 100 > plan.checked * maxPercent;
        expect(plan.status).toBe(above ? 'held' : 'ok');
        expect(plan.candidates.filter((candidate) => candidate.outcome === 'held')).toHaveLength(
          above ? plan.candidates.length : 0,
        );
      }),
      { numRuns },
    );
  });

  it('reconciles present accounts without limits', () => {
    inWorlds((world, plan) => {
      if (plan.status === 'directory_unavailable') return;
      const free = planOf({ ...world, limits: { maxDisables: 100, maxPercent: null, approved: null } });
      expect(plan.changes).toEqual(free.changes);
    });
  });

  it('never removes a manual membership, nor adds a second one', () => {
    inWorlds((world, plan) => {
      for (const { account, add, remove } of plan.changes)
        expect([...add, ...remove].some((group) => accountById(world, account).byHand.includes(group))).toBe(false);
    });
  });

  it('is a no-op for groups when no mapping is configured', () => {
    inWorlds((world, plan) => {
      if (world.rules.mappings !== noMappings) return;
      for (const { add, remove } of plan.changes) expect([...add, ...remove]).toEqual([]);
    });
  });

  it('removes no role and no group from an account with unknown groups', () => {
    inWorlds((world, plan) => {
      for (const { account, role: to, remove } of plan.changes) {
        if (findPerson(world, accountById(world, account))?.claims.known) continue;
        if (world.rules.mappings === mappings) expect(to).not.toBe('user');
        expect(remove).toEqual([]);
      }
    });
  });

  it('does not depend on the page size', () => {
    inWorlds((world, plan) => expect(planOf(world, 5)).toEqual(plan));
  });

  it('contains only deferred accounts after it was applied', () => {
    inWorlds((world, plan) => {
      if (plan.status !== 'ok') return;
      const after = { ...world, accounts: world.accounts.map((account) => applyPlan(account, plan)) };
      const next = planOf({ ...after, limits: { maxDisables: 100, maxPercent: null, approved: null } });
      if (next.status === 'directory_unavailable') return;
      expect(next.changes).toEqual([]);
      expect(next.candidates.map((candidate) => candidate.account.userId)).toEqual(
        plan.candidates
          .filter((candidate) => candidate.outcome === 'deferred')
          .map((candidate) => candidate.account.userId),
      );
    });
  });

  it.each(['disabled', 'admitted'] as const)('makes no decision when `%s` of one person cannot be read', (what) => {
    inWorlds((world) => {
      const account = world.accounts.find((candidate) => isSyncable(candidate) && findPerson(world, candidate));
      const person = account && findPerson(world, account);
      if (!account || !person) return;
      const hidden = { ...person, disabled: 'no' as const, [what]: 'unknown' as const };
      const plan = planOf({ ...world, people: world.people.map((other) => (other === person ? hidden : other)) });
      expect(plan).toMatchObject({ status: 'directory_unavailable', candidates: [], changes: [] });
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

function decisionFor(accountFields: Partial<Account>, personFields: Partial<Person> | null) {
  return decide(
    { ...account, ...accountFields },
    populationOf(personFields ? [{ ...person, ...personFields }] : []),
    rules,
  );
}

function planForOne(people: Person[]) {
  const plan = createPlan(populationOf(people), rules, { maxDisables: 10, maxPercent: null, approved: null });
  plan.add([account]);
  return plan.finish();
}

describe('retried sync run', () => {
  const changedIds = (plan: Plan): string[] =>
    [...plan.candidates.filter((candidate) => candidate.outcome === 'disable'), ...plan.changes]
      .map(({ account }) => account.userId)
      .sort();

  it('makes only the remaining changes after any part was applied', () => {
    fc.assert(
      fc.property(worlds, fc.nat(12), (world, count) => {
        const whole = planOf(world);
        const userIds = new Set(changedIds(whole).slice(0, count));
        const isDone = (what: { account: ChangedAccount }) => userIds.has(what.account.userId);
        const part = { ...whole, candidates: whole.candidates.filter(isDone), changes: whole.changes.filter(isDone) };
        const rest = createPlan(populationOf(world.people), world.rules, world.limits);
        rest.add(world.accounts.map((account) => applyPlan(account, part)));
        const plan = rest.finish({ userIds, disabled: part.candidates.length });
        expect([...userIds, ...changedIds(plan)].sort()).toEqual(changedIds(whole));
        expect(plan.status).toBe(whole.status);
      }),
      { numRuns },
    );
  });

  it('compares the share of disabled accounts with all accounts, those of the earlier attempt included', () => {
    const accounts = Array.from({ length: 40 }, (_, i) => ({ ...account, userId: `user-${i}`, login: `login-${i}` }));
    const people = accounts.slice(4).map(({ login }) => ({ ...person, id: null, login }));
    const limits = { maxDisables: 10, maxPercent: 10, approved: null };
    const userIds = ['user-0', 'user-1'];
    const plan = createPlan(populationOf(people), rules, limits);
    plan.add(accounts.slice(userIds.length).map((one) => ({ ...one, directoryId: null })));
    const { status, candidates, checked } = plan.finish({ userIds: new Set(userIds), disabled: userIds.length });
    expect({ status, disabled: candidates.length, checked }).toEqual({ status: 'ok', disabled: 2, checked: 40 });
  });
});

describe('decision about one account', () => {
  it('disables an account that is absent from the directory', () => {
    expect(decisionFor({}, null)).toMatchObject({ candidate: { reason: 'absent_from_directory' } });
  });
  it('disables an account that is disabled in the directory', () => {
    expect(decisionFor({}, { disabled: 'yes' })).toMatchObject({ candidate: { reason: 'disabled_in_directory' } });
  });
  it('disables an account that is no longer in a required group', () => {
    expect(decisionFor({}, { admitted: 'no' })).toMatchObject({
      candidate: { reason: 'no_longer_in_required_groups' },
    });
  });
  it('keeps a present account unchanged', () => {
    expect(decisionFor({}, {})).toEqual({ kind: 'present', change: null });
  });
  it('keeps a renamed or moved account with the same immutable id unchanged', () => {
    expect(decisionFor({}, { login: 'una.new' })).toEqual({ kind: 'present', change: null });
  });
  it('treats a new entry with the old login as another person, so that the account is absent', () => {
    expect(decisionFor({}, { id: 'entryUUID:2' })).toMatchObject({
      candidate: { reason: 'absent_from_directory', evidence: { login_now_belongs_to: 'entryUUID:2' } },
    });
  });
  it('sets the immutable id of the entry on an account without one', () => {
    expect(decisionFor({ directoryId: null }, {})).toMatchObject({ change: { adopt: 'entryUUID:1' } });
  });
  it('reports a returned account that the directory had disabled, without enabling it', () => {
    expect(decisionFor({ active: false, disabledBy: 'directory' }, {})).toEqual({ kind: 'returned' });
  });
  it('keeps an account that an administrator disabled unchanged, present or not', () => {
    for (const personFields of [{}, null])
      expect(decisionFor({ active: false, disabledBy: 'administrator' }, personFields)).toEqual({ kind: 'untouched' });
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
  ] as const)(
    'changes the role of a %s with admin signal %s and granting mapping %s to %s',
    (from, admin, grantsAdmin, to) => {
      const decision = decisionFor({ role: from }, { admin, claims: claimsOf(grantsAdmin ? ['admins'] : []) });
      expect(decision).toMatchObject({ kind: 'present', change: to === null ? null : { role: to } });
    },
  );

  it.each([
    ['removes', 'after the last mapping was deleted', true, ['g1']],
    ['keeps', 'when no mapping ever existed', false, []],
  ])('%s a directory membership without a mapping %s', (_effect, _when, ever, remove) => {
    const none = { mappings: compileMappings('ldap', [], ever) };
    const people = populationOf([{ ...person, claims: claimsOf(['g1']) }]);
    const decision = decide({ ...account, fromDirectory: ['g1'], byHand: ['g2'] }, people, none);
    expect(decision).toMatchObject({ kind: 'present', change: remove.length === 0 ? null : { remove, add: [] } });
  });

  it('disables no account when the snapshot contains none of the known accounts', () => {
    expect(planForOne([{ ...person, id: 'entryUUID:9', login: 'another.person' }])).toMatchObject({
      status: 'directory_unavailable',
      candidates: [],
    });
  });

  it.each([
    { accounts: 11, candidates: 10, status: 'ok' },
    { accounts: 3, candidates: 2, status: 'ok' },
    { accounts: 19, candidates: 18, status: 'ok' },
    { accounts: 20, candidates: 4, status: 'ok' },
    { accounts: 20, candidates: 5, status: 'held' },
    { accounts: 1_000, candidates: 200, status: 'ok' },
    { accounts: 1_000, candidates: 201, status: 'held' },
  ])(
    'returns $status at a limit of 20 % with $candidates of $accounts accounts absent',
    ({ accounts, candidates, status }) => {
      const numbers = Array.from({ length: accounts }, (_, i) => i);
      const present = numbers.slice(candidates).map((i) => ({ ...person, id: `entryUUID:${i}`, login: `login-${i}` }));
      const plan = createPlan(populationOf(present), rules, { maxDisables: 1_000, maxPercent: 20, approved: null });
      plan.add(
        numbers.map((i) => ({ ...account, userId: `user-${i}`, directoryId: `entryUUID:${i}`, login: `login-${i}` })),
      );
      const planned = plan.finish();
      expect(planned).toMatchObject({ status, checked: accounts });
      expect(planned.candidates.filter((candidate) => candidate.outcome === 'held')).toHaveLength(
        status === 'held' ? candidates : 0,
      );
    },
  );

  it('disables exactly the approved accounts, without limit', () => {
    const people = populationOf([{ ...person, id: 'entryUUID:0', login: 'known' }]);
    const left = [1, 2, 3].map((number) => ({
      ...account,
      userId: `user-${number}`,
      directoryId: `entryUUID:${number}`,
      login: null,
    }));
    const plan = createPlan(people, rules, { maxDisables: 1, maxPercent: 1, approved: new Set(['user-1', 'user-3']) });
    plan.add([{ ...account, userId: 'user-0', directoryId: 'entryUUID:0', login: 'known' }, ...left]);
    expect(plan.finish().candidates.map(({ account: { userId }, outcome }) => [userId, outcome])).toEqual([
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
    const accounts = [1, 2, 3].map((number) => ({
      ...account,
      userId: `user-${number}`,
      directoryId: `entryUUID:${number}`,
    }));
    const outcomes = (approved: ReadonlySet<string> | null) => {
      const plan = createPlan(populationOf(people), rules, { maxDisables: 10, maxPercent: null, approved });
      plan.add(accounts);
      const { status, error, candidates } = plan.finish();
      return { status, error, outcomes: candidates.map((candidate) => candidate.outcome) };
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
    const digestFor = (accountFields: Partial<Account>, personFields: Partial<Person>) => {
      const plan = createPlan(populationOf([...others, { ...person, ...personFields }]), rules, {
        maxDisables: 10,
        maxPercent: null,
        approved: null,
      });
      plan.add([
        { ...account, ...accountFields },
        { ...account, userId: 'user-8', directoryId: 'entryUUID:8', login: 'known' },
      ]);
      return plan.finish().digest;
    };
    const all = [
      digestFor({}, { disabled: 'yes' }),
      digestFor({}, { admitted: 'no' }),
      digestFor({ userId: 'user-2' }, { admitted: 'no' }),
    ];
    expect(new Set(all).size).toBe(3);
    expect(digestFor({}, {})).toBeNull();
  });
});
