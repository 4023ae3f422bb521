import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PassReport } from '@overtone/contracts';
import { randomFrom, type Random } from '../../test/random.ts';
import { idOf, worldOf } from '../../test/random-world.ts';
import { base, groupDn, startScriptedDirectory, type ScriptedDirectory } from '../../test/scripted-directory.ts';
import {
  beyondAccounts,
  startStoredWorlds,
  type Row,
  type Stored,
  type StoredWorlds,
} from '../../test/stored-world.ts';
import type { Account } from '../plan/plan.ts';
import { directorySnapshot } from '../snapshot/snapshot.adapter.ts';

/** Random worlds in real rows; more of them in long runs. */
const worlds = Number(process.env['OT_SWEEP_STORED_WORLDS'] ?? 50);
const firstSeed = Number(process.env['OT_SWEEP_SEED'] ?? 1);

let directory: ScriptedDirectory;
let stored: StoredWorlds;
beforeAll(async () => {
  directory = await startScriptedDirectory();
  stored = await startStoredWorlds({
    LDAP_SERVER: '127.0.0.1',
    LDAP_PORT: String(directory.port),
    LDAP_USE_SSL: 'false',
    LDAP_SEARCH_BASE: base,
    LDAP_USERNAME_ATTR: 'uid',
    LDAP_USER_SEARCH_FILTER: '(&(objectClass=person)(uid={username}))',
    LDAP_USER_GROUPS: groupDn('staff'),
    LDAP_ADMIN_GROUPS: groupDn('admins'),
  });
});
afterAll(async () => {
  await stored.stop();
  await directory.stop();
});

const ours = [
  { id: idOf(900), name: 'Readers' },
  { id: idOf(901), name: 'Writers' },
  { id: idOf(902), name: 'Friends' },
];
const some = <T>(random: Random, all: readonly T[]): T[] => all.filter(() => random(2) === 0);

/** An account with memberships of its own, and who disabled it. */
const grown = (random: Random, account: Account): Account => {
  const groups = ours.map((g) => g.id);
  const fromDirectory = account.authType === 'ldap' ? some(random, groups) : [];
  return {
    ...account,
    disabledBy: account.active ? null : random(2) === 0 ? 'directory' : 'administrator',
    fromDirectory,
    byHand: some(
      random,
      groups.filter((g) => !fromDirectory.includes(g)),
    ),
  };
};
const mappingsOf = (random: Random): Stored['mappings'] =>
  some(random, [
    { claim: groupDn('mapped'), groupId: idOf(900), role: null },
    { claim: groupDn('staff'), groupId: idOf(901), role: null },
    { claim: groupDn('admins').toUpperCase(), groupId: null, role: 'admin' as const },
    { claim: groupDn('gone'), groupId: idOf(902), role: null },
  ]);

const worldFor = (seed: number) => {
  const random = randomFrom(seed);
  const world = worldOf(random);
  const accounts = world.accounts.map((a) => grown(random, a));
  const mappings = mappingsOf(random);
  const rows: Stored = {
    accounts,
    groups: ours,
    mappings,
    mappedOnce: mappings.length > 0 || random(2) === 0,
    sessions: Object.fromEntries(accounts.map((a) => [a.userId, random(3)])),
    settings: {
      enabled: true,
      dry_run: false,
      max_disables_per_run: random(2) === 0 ? 100 : 1 + random(3),
      max_disable_percent: random(3) === 0 ? 10 * (1 + random(9)) : null,
    },
    // A clock that nothing vouches for holds back whoever has an end date.
    goodDaysAgo: random(6) === 0 ? 40_000 : null,
  };
  return { ...world, rows };
};

type World = ReturnType<typeof worldFor>;
const passesOf = ({ nested }: World) =>
  stored.passes((rules) => {
    const config = { ...rules.config, recursiveGroups: nested };
    const noKeys = () => {
      throw new Error('there is no password to open');
    };
    return directorySnapshot(noKeys, { paceMs: 0, busyRetryDelaysMs: [1] })({ ...rules, config });
  });
const run = async (world: World, dryRun: boolean): Promise<PassReport> => {
  const order = { passId: randomUUID(), trigger: 'manual', dryRun, approvedPass: null } as const;
  const report = await passesOf(world).run(order, { stop: new AbortController().signal, last: true });
  if (!report) throw new Error('the pass was done before');
  return report;
};

/** What may differ: which pass it was, and when. */
const untimed = ({ dry_run: _, pass_uuid: __, started_at: ___, ...report }: PassReport) => ({
  ...report,
  proof: report.proof.filter(({ code }) => code !== 'clock'),
  finished_at: null,
  duration_s: null,
});
/** Of a dry run, what the real one is then to report. */
const promised = (dry: PassReport) => ({
  ...untimed(dry),
  disabled: dry.would_disable,
  would_disable: 0,
  actions: dry.actions.map((a) =>
    a.outcome === 'would_disable' ? { ...a, outcome: 'disabled' as const, applied: true } : a,
  ),
  reconciled: dry.reconciliations.length,
  reconciliations: dry.reconciliations.map((r) => ({ ...r, applied: true })),
});
/** Of the real run the same, without the sessions that nobody counted before. */
const done = (real: PassReport) => ({
  ...untimed(real),
  actions: real.actions.map(({ sessions_revoked: _, ...action }) => action),
});

/** The accounts after the real run, by what the dry run told. */
const expected = (dry: PassReport, before: readonly Row[]): Omit<Row, 'directoryId' | 'audited'>[] => {
  const gone = new Set(dry.actions.filter((a) => a.outcome === 'would_disable').map((a) => a.user_uuid));
  const changes = new Map(dry.reconciliations.map((r) => [r.user_uuid, r]));
  return before.map(({ directoryId: _, audited: __, ...row }) => {
    if (gone.has(row.id)) return { ...row, active: false, disabledBy: 'directory', sessions: 0 };
    const change = changes.get(row.id);
    if (!change) return row;
    const lost = new Set(change.groups_removed.map((name) => `${name} ldap member`));
    return {
      ...row,
      role: change.role_to ?? row.role,
      sessions: change.role_to ? 0 : row.sessions,
      groups: [...row.groups.filter((g) => !lost.has(g)), ...change.groups_added.map((g) => `${g} ldap member`)].sort(),
    };
  });
};
const touchedIn = (dry: PassReport): Set<string> =>
  new Set([
    ...dry.actions.filter((a) => a.outcome === 'would_disable').map((a) => a.user_uuid),
    ...dry.reconciliations.map((r) => r.user_uuid),
  ]);

/** @returns how much the dry run said would be done. */
const trial = async (seed: number): Promise<number> => {
  const world = worldFor(seed);
  directory.hold({ ...world, fault: null });
  await stored.hold(world.rows);
  const [hashes, before] = [await stored.hashes(), await stored.accounts()];

  const dry = await run(world, true);
  expect([seed, await stored.hashes()]).toEqual([seed, hashes]);

  const real = await run(world, false);
  expect([seed, done(real)]).toEqual([seed, promised(dry)]);
  expect([seed, beyondAccounts(await stored.hashes())]).toEqual([seed, beyondAccounts(hashes)]);
  const after = await stored.accounts();
  const touched = touchedIn(dry);
  expect([seed, after.map(({ directoryId: _, audited: __, ...row }) => row)]).toEqual([seed, expected(dry, before)]);
  expect([seed, after.filter((row) => row.audited > 0).map((row) => row.id)]).toEqual([seed, [...touched].sort()]);
  for (const [i, row] of before.entries())
    if (row.directoryId !== null || !touched.has(row.id)) expect(after[i]?.directoryId).toBe(row.directoryId);
  return touched.size;
};

describe('dry run over randomly generated accounts and directories', () => {
  it(
    'changes no row but its report, and the real run then does exactly what it told',
    async () => {
      let idle = 0;
      for (let seed = firstSeed; seed < firstSeed + worlds; seed++) if ((await trial(seed)) === 0) idle += 1;
      // Worlds in which nothing is to be done prove little.
      expect(idle).toBeLessThan(worlds / 2);
    },
    300_000 + worlds * 5_000,
  );
});
