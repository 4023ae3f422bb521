import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type SyncRunReport } from '@overtone/contracts';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom, type Random } from '@overtone/testkit/seed';
import { idOf, worldOf } from '../../test/random-world.ts';
import { base, groupDn, startScriptedDirectory } from '../../test/scripted-directory.ts';
import { withoutAccountTables, startStoredWorlds, type Row, type Stored } from '../../test/stored-world.ts';
import type { Account } from '../plan/plan.ts';
import { directorySnapshot } from '../snapshot/snapshot.adapter.ts';

/** Number of random worlds stored as real rows; larger in long runs. */
const worlds = Number(process.env['OT_SWEEP_STORED_WORLDS'] ?? 25);
const firstSeed = Number(process.env['OT_SWEEP_SEED'] ?? 1);

const directory = await stopAfterFile(startScriptedDirectory());
const stored = await stopAfterFile(
  startStoredWorlds({
    LDAP_SERVER: '127.0.0.1',
    LDAP_PORT: String(directory.port),
    LDAP_USE_SSL: 'false',
    LDAP_SEARCH_BASE: base,
    LDAP_USERNAME_ATTR: 'uid',
    LDAP_USER_SEARCH_FILTER: '(&(objectClass=person)(uid={username}))',
    LDAP_USER_GROUPS: groupDn('staff'),
    LDAP_ADMIN_GROUPS: groupDn('admins'),
  }),
);

const ours = [
  { id: idOf(900), name: 'Readers' },
  { id: idOf(901), name: 'Writers' },
  { id: idOf(902), name: 'Friends' },
];

function randomSubset<T>(random: Random, all: readonly T[]): T[] {
  return all.filter(() => random(2) === 0);
}

/** Adds random memberships to an account, and the party that disabled it. */
function withMemberships(random: Random, account: Account): Account {
  const groups = ours.map(({ id }) => id);
  const fromDirectory = account.authType === 'ldap' ? randomSubset(random, groups) : [];
  return {
    ...account,
    disabledBy: account.active ? null : random(2) === 0 ? 'directory' : 'administrator',
    fromDirectory,
    byHand: randomSubset(
      random,
      groups.filter((id) => !fromDirectory.includes(id)),
    ),
  };
}

function mappingsOf(random: Random): Stored['mappings'] {
  return randomSubset(random, [
    { claim: groupDn('mapped'), groupId: idOf(900), role: null },
    { claim: groupDn('staff'), groupId: idOf(901), role: null },
    { claim: groupDn('admins').toUpperCase(), groupId: null, role: 'admin' as const },
    { claim: groupDn('absent'), groupId: idOf(902), role: null },
  ]);
}

function worldFor(seed: number) {
  const random = randomFrom(seed);
  const world = worldOf(random);
  const accounts = world.accounts.map((account) => withMemberships(random, account));
  const mappings = mappingsOf(random);
  const rows: Stored = {
    accounts,
    groups: ours,
    mappings,
    mappedOnce: mappings.length > 0 || random(2) === 0,
    sessions: Object.fromEntries(accounts.map(({ userId }) => [userId, random(3)])),
    settings: {
      enabled: true,
      dry_run: false,
      max_disables_per_run: random(2) === 0 ? 100 : 1 + random(3),
      max_disable_percent: random(3) === 0 ? 10 * (1 + random(9)) : null,
    },
    // Accounts with an expiry date are held when the clock is not verified.
    goodDaysAgo: random(6) === 0 ? 40_000 : null,
  };
  return { ...world, rows };
}

type World = ReturnType<typeof worldFor>;

function runsOf({ nested }: World) {
  return stored.runs((rules, options) => {
    const config = { ...rules.config, recursiveGroups: nested };
    const noKeys = () => {
      throw new Error('no password is configured');
    };
    return directorySnapshot(noKeys, { paceMs: 0, busyRetryDelaysMs: [1] })({ ...rules, config }, options);
  });
}

async function run(world: World, dryRun: boolean): Promise<SyncRunReport> {
  const request = { passId: randomUUID(), trigger: 'manual', dryRun, approvedPass: null } as const;
  const report = await runsOf(world).run(request, { stop: new AbortController().signal, isLast: true });
  if (!report) throw new Error('the sync run was already finished');
  return report;
}

/** The report without the fields that differ between two sync runs: id and times. */
function comparable({ dry_run: _, pass_uuid: __, started_at: ___, ...report }: SyncRunReport) {
  return {
    ...report,
    proof: report.proof.filter(({ code }) => code !== 'clock'),
    finished_at: null,
    duration_s: null,
  };
}

/** The report expected from the real run after a dry run. */
function expectedReport(dry: SyncRunReport) {
  return {
    ...comparable(dry),
    disabled: dry.status === 'held' ? 0 : dry.would_disable,
    would_disable: 0,
    actions: dry.actions.map((action) =>
      action.outcome === 'would_disable' ? { ...action, outcome: 'disabled' as const, applied: true } : action,
    ),
    reconciled: dry.reconciliations.length,
    reconciliations: dry.reconciliations.map((change) => ({ ...change, applied: true })),
  };
}

/** The report of the real run, without the number of revoked sessions that a dry run does not have. */
function actualReport(real: SyncRunReport) {
  return {
    ...comparable(real),
    actions: real.actions.map(({ sessions_revoked: _, ...action }) => action),
  };
}

function disabledIn(dry: SyncRunReport): string[] {
  return dry.actions.filter(({ outcome }) => outcome === 'would_disable').map(({ user_uuid: id }) => id);
}

/** The accounts expected after the real run, from the report of the dry run. */
function expectedAccounts(dry: SyncRunReport, before: readonly Row[]): Omit<Row, 'directoryId' | 'audited'>[] {
  const disabled = new Set(disabledIn(dry));
  const changes = new Map(dry.reconciliations.map((change) => [change.user_uuid, change]));
  return before.map(({ directoryId: _, audited: __, ...row }) => {
    if (disabled.has(row.id)) return { ...row, active: false, disabledBy: 'directory', sessions: 0 };
    const change = changes.get(row.id);
    if (!change) return row;
    const removed = new Set(change.groups_removed.map((name) => `${name} ldap member`));
    return {
      ...row,
      role: change.role_to ?? row.role,
      sessions: change.role_to ? 0 : row.sessions,
      groups: [
        ...row.groups.filter((group) => !removed.has(group)),
        ...change.groups_added.map((name) => `${name} ldap member`),
      ].sort(),
    };
  });
}

function changedIn(dry: SyncRunReport): Set<string> {
  return new Set([...disabledIn(dry), ...dry.reconciliations.map(({ user_uuid: id }) => id)]);
}

/** @returns the number of accounts that the dry run reported as changed. */
async function trial(seed: number): Promise<number> {
  const world = worldFor(seed);
  directory.hold({ ...world, fault: null });
  await stored.hold(world.rows);
  const [hashes, before] = [await stored.hashes(), await stored.accounts()];

  const dry = await run(world, true);
  expect([seed, await stored.hashes()]).toEqual([seed, hashes]);

  const real = await run(world, false);
  expect([seed, actualReport(real)]).toEqual([seed, expectedReport(dry)]);
  expect([seed, withoutAccountTables(await stored.hashes())]).toEqual([seed, withoutAccountTables(hashes)]);
  const after = await stored.accounts();
  const changed = changedIn(dry);
  expect([seed, after.map(({ directoryId: _, audited: __, ...row }) => row)]).toEqual([
    seed,
    expectedAccounts(dry, before),
  ]);
  expect([seed, after.filter((row) => row.audited > 0).map((row) => row.id)]).toEqual([seed, [...changed].sort()]);
  for (const [i, row] of before.entries())
    if (row.directoryId !== null || !changed.has(row.id)) expect(after[i]?.directoryId).toBe(row.directoryId);
  return changed.size;
}

describe('dry run over randomly generated accounts and directories', () => {
  it(
    'changes no row except its report, and the real run makes exactly the reported changes',
    async () => {
      let idle = 0;
      for (let seed = firstSeed; seed < firstSeed + worlds; seed++) if ((await trial(seed)) === 0) idle += 1;
      // At least half of the worlds must contain changes.
      expect(idle).toBeLessThan(worlds / 2);
    },
    300_000 + worlds * 5_000,
  );
});
