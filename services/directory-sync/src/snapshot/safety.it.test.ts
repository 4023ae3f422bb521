import { describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom } from '@overtone/testkit/seed';
import { idOf, worldOf, type World } from '../../test/random-world.ts';
import { rulesFor } from '../../test/rules.ts';
import {
  bindFaultKinds,
  faultKinds,
  groupDn,
  startScriptedDirectory,
  type Fault,
  type ScriptedDirectory,
} from '../../test/scripted-directory.ts';
import { recheckCandidates } from '../runs/apply.ts';
import { createPlan, type Plan } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

/** Number of sync runs over random worlds with one random fault each; larger in long runs. */
const runs = Number(process.env['OT_SWEEP_PASSES'] ?? 500);
const firstSeed = Number(process.env['OT_SWEEP_SEED'] ?? 1);

/** Number of trials that run concurrently, each with its own directory. */
const lanes = 4;
const directories = await Promise.all(Array.from({ length: lanes }, () => stopAfterFile(startScriptedDirectory())));

function rulesOf(port: number, recursiveGroups: boolean) {
  return rulesFor(
    {
      port,
      userSearchFilter: '(&(objectClass=person)(uid={username}))',
      timeoutSeconds: 5,
      recursiveGroups,
      bindDn: 'cn=service',
      userGroups: groupDn('staff'),
      adminGroups: groupDn('admins'),
    },
    {
      bindPassword,
      anyMapping: true,
      mappings: [{ claimValue: groupDn('mapped'), groupId: idOf(900), grantsRole: null }],
    },
  );
}

const keyRing = readKeyRing({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
const bindPassword = seal(keyRing, 'ldap_bind_password', 'secret');

/** Makes a sync run up to the changes for identity: snapshot, plan, recheck. @returns null when it was aborted. */
async function run(directory: ScriptedDirectory, world: World, fault: Fault | null, bindFault?: Fault) {
  directory.hold({ ...world, fault, ...(bindFault ? { bindFault } : {}) });
  const rules = rulesOf(directory.port, world.nested);
  try {
    const takeSnapshot = directorySnapshot(() => keyRing, { paceMs: 0, busyRetryDelaysMs: [1] });
    const snapshot = await takeSnapshot(rules, { signal: new AbortController().signal, onSeen: () => {} });
    const mappings = compileMappings('ldap', rules.mappings, rules.anyMapping);
    const plan = createPlan(snapshot.people, { mappings }, { maxDisables: 100, maxPercent: null, approved: null });
    plan.add(world.accounts);
    const planned = plan.finish();
    const recheckOptions = { dryRun: false, snapshot, rules: { mappings }, onProgress: () => {} };
    const rechecked = await recheckCandidates(planned, recheckOptions);
    const disabled = rechecked
      .filter(({ outcome }) => outcome === 'disabled')
      .map(({ candidate }) => candidate.account.userId);
    return { plan: planned, disabled, requests: directory.requests(), binds: directory.binds() };
  } catch (error) {
    if (isAppError(error) && error.code === 'directory_unavailable') return null;
    throw error;
  }
}

function changesOf({ changes }: Plan) {
  return changes.flatMap(({ account: { userId }, role, add, remove }) => [
    ...(role ? [`${userId} role ${role}`] : []),
    ...add.map((group) => `${userId} + ${group}`),
    ...remove.map((group) => `${userId} - ${group}`),
  ]);
}

/** Changes that are made with the fault and not without it. */
function unexpectedChanges(truth: Plan, result: NonNullable<Awaited<ReturnType<typeof run>>>): string[] {
  const candidates = new Set(truth.candidates.map(({ account }) => account.userId));
  const changes = new Set(changesOf(truth));
  return [
    ...result.disabled.filter((id) => !candidates.has(id)),
    ...changesOf(result.plan).filter((change) => !changes.has(change)),
  ];
}

type Trial = { completed: boolean; wrong: string[] };
const aborted: Trial = { completed: false, wrong: [] };

/** Makes a sync run over the world of a seed with and without a fault, and compares the changes. */
async function runTrial(directory: ScriptedDirectory, seed: number): Promise<Trial> {
  const random = randomFrom(seed);
  const world = worldOf(random);
  const truth = await run(directory, world, null);
  // A world without any of the known accounts is ambiguous without a fault.
  if (!truth || truth.plan.status !== 'ok') return aborted;
  const fault = { at: 1 + random(truth.requests), kind: faultKinds[random(faultKinds.length)] as string };
  const result = await run(directory, world, fault);
  if (!result || result.plan.status !== 'ok') return aborted;
  return {
    completed: true,
    wrong: unexpectedChanges(truth.plan, result).map((change) => `seed ${seed}, ${JSON.stringify(fault)}: ${change}`),
  };
}

/** After these faults the request is retried after a delay. */
const retriedFaults = ['result 51', 'result 52', 'notice of disconnection'];

/** Seeds whose fault omits or hides an existing group. */
const omittedGroupSeeds = [
  1170, 1_002_343, 1_003_228, 1_003_829, 1_005_458, 1_006_410, 1_007_764, 1_008_125, 1_008_357,
];

describe('sync run over random data with a fault at a random step', () => {
  it(
    'makes no change that the sync run without the fault does not make',
    async () => {
      const wrong: string[] = [];
      const tally = { aborted: 0, unharmed: 0 };
      let seed = firstSeed;
      const runLane = async (directory: ScriptedDirectory): Promise<void> => {
        while (seed < firstSeed + runs) {
          const ended = await runTrial(directory, seed++);
          tally[ended.completed ? 'unharmed' : 'aborted'] += 1;
          wrong.push(...ended.wrong);
        }
      };
      await Promise.all(directories.map(runLane));
      expect(wrong).toEqual([]);
      // Both outcomes must occur, or the test proves nothing.
      expect(tally.unharmed).toBeGreaterThan(runs / 50);
      expect(tally.aborted).toBeGreaterThan(runs / 50);
    },
    120_000 + runs * 240,
  );

  it.each(omittedGroupSeeds)('aborts when the directory omits an existing group: seed %d', async (seed) => {
    expect(await runTrial(directories[0] as ScriptedDirectory, seed)).toEqual(aborted);
  });

  it.each(bindFaultKinds)('disables no account when a connection begins with: %s', async (kind) => {
    const [directory] = directories as [ScriptedDirectory, ...ScriptedDirectory[]];
    let checked = 0;
    for (let seed = firstSeed; checked < 5; seed++) {
      const world = worldOf(randomFrom(seed));
      const truth = await run(directory, world, null);
      if (!truth || truth.disabled.length === 0) continue;
      checked += 1;
      // One connection for the snapshot, one for the rechecks.
      expect(truth.binds).toBe(2);
      for (const at of [1, 2]) {
        const result = await run(directory, world, null, { at, kind });
        expect(result && { disabled: result.disabled, changes: changesOf(result.plan) }).toEqual(
          result && { disabled: truth.disabled, changes: changesOf(truth.plan) },
        );
        if (!retriedFaults.includes(kind)) expect([seed, at, result]).toEqual([seed, at, null]);
      }
    }
  });
});
