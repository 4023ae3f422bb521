import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import { randomFrom } from '../../test/random.ts';
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
import { witness } from '../passes/witness.ts';
import { createPlan, type Plan } from '../plan/plan.ts';
import { directorySnapshot } from './snapshot.adapter.ts';

/** Passes over random worlds with one random fault each; more of them in long runs. */
const passes = Number(process.env['OT_SWEEP_PASSES'] ?? 2_000);
const firstSeed = Number(process.env['OT_SWEEP_SEED'] ?? 1);

/** Each has a directory of its own: while one waits for an answer, another goes on. */
const lanes = 4;
let directories: ScriptedDirectory[];
beforeAll(async () => {
  directories = await Promise.all(Array.from({ length: lanes }, () => startScriptedDirectory()));
});
afterAll(() => Promise.all(directories.map((d) => d.stop())));

const rulesOf = (port: number, recursiveGroups: boolean) =>
  rulesFor(
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

const keyRing = readKeyRing({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
const bindPassword = seal(keyRing, 'ldap_bind_password', 'secret');

/** A pass up to what it would do: snapshot, plan, second look; null when it says nothing about anybody. */
const pass = async (directory: ScriptedDirectory, world: World, fault: Fault | null, bindFault?: Fault) => {
  directory.hold({ ...world, fault, ...(bindFault ? { bindFault } : {}) });
  const rules = rulesOf(directory.port, world.nested);
  try {
    const take = directorySnapshot(() => keyRing, { paceMs: 0, busyRetryDelaysMs: [1] })(rules);
    const snapshot = await take(new AbortController().signal, () => {});
    const mappings = compileMappings('ldap', rules.mappings, rules.anyMapping);
    const plan = createPlan(snapshot.people, { mappings }, { maxDisables: 100, maxPercent: null, approved: null });
    plan.add(world.accounts);
    const planned = plan.finish();
    const looking = { dryRun: false, snapshot, rules: { mappings }, onNext: () => {} };
    const seenTwice = await witness(planned, looking);
    const disabled = seenTwice.filter((l) => l.outcome === 'disabled').map((l) => l.leaver.account.userId);
    return { plan: planned, disabled, asked: directory.asked(), binds: directory.binds() };
  } catch (error) {
    if (isAppError(error) && error.code === 'directory_unavailable') return null;
    throw error;
  }
};
const changesOf = ({ changes }: Plan) =>
  changes.flatMap((c) => [
    ...(c.role ? [`${c.account.userId} role ${c.role}`] : []),
    ...c.add.map((g) => `${c.account.userId} + ${g}`),
    ...c.remove.map((g) => `${c.account.userId} - ${g}`),
  ]);
/** What is neither disabled nor changed without the fault, and is with it. */
const wrong = (truth: Plan, seen: NonNullable<Awaited<ReturnType<typeof pass>>>): string[] => {
  const leavers = new Set(truth.leavers.map((l) => l.account.userId));
  const changes = new Set(changesOf(truth));
  return [...seen.disabled.filter((id) => !leavers.has(id)), ...changesOf(seen.plan).filter((c) => !changes.has(c))];
};

/** The world of a seed with its fault: whether the pass said anything, and what was wrong with it. */
const trial = async (directory: ScriptedDirectory, seed: number): Promise<{ told: boolean; wrong: string[] }> => {
  const random = randomFrom(seed);
  const world = worldOf(random);
  const truth = await pass(directory, world, null);
  // A world in which none of the known accounts is there is ambiguous by itself.
  if (!truth || truth.plan.status !== 'ok') return { told: false, wrong: [] };
  const fault = { at: 1 + random(truth.asked), kind: faultKinds[random(faultKinds.length)] as string };
  const seen = await pass(directory, world, fault);
  if (!seen || seen.plan.status !== 'ok') return { told: false, wrong: [] };
  return {
    told: true,
    wrong: wrong(truth.plan, seen).map((what) => `seed ${seed}, ${JSON.stringify(fault)}: ${what}`),
  };
};

/** After these the directory is left alone for a while and asked once more. */
const busy = ['result 51', 'result 52', 'notice of disconnection'];

/** A group left out of an answer, hidden, or once said to be gone. */
const wentWrong = [1170, 1_002_343, 1_003_228, 1_003_829, 1_005_458, 1_006_410, 1_007_764, 1_008_125, 1_008_357];

describe('pass over random data with a fault at a random step', () => {
  it(
    'never disables, demotes or removes wrongly',
    async () => {
      const faults: string[] = [];
      const tally = { aborted: 0, unharmed: 0 };
      let seed = firstSeed;
      const lane = async (directory: ScriptedDirectory): Promise<void> => {
        while (seed < firstSeed + passes) {
          const ended = await trial(directory, seed++);
          tally[ended.told ? 'unharmed' : 'aborted'] += 1;
          faults.push(...ended.wrong);
        }
      };
      await Promise.all(directories.map(lane));
      expect(faults).toEqual([]);
      // Neither answer may be the only one: a sweep that always aborts is as useless as one that never does.
      expect(tally.unharmed).toBeGreaterThan(passes / 50);
      expect(tally.aborted).toBeGreaterThan(passes / 50);
    },
    120_000 + passes * 240,
  );

  it.each(wentWrong)('aborts when the directory omits an existing group: seed %d', async (seed) => {
    expect(await trial(directories[0] as ScriptedDirectory, seed)).toEqual({ told: false, wrong: [] });
  });

  it.each(bindFaultKinds)('disables no account when a connection begins with: %s', async (kind) => {
    const [directory] = directories as [ScriptedDirectory, ...ScriptedDirectory[]];
    let struck = 0;
    for (let seed = firstSeed; struck < 5; seed++) {
      const world = worldOf(randomFrom(seed));
      const truth = await pass(directory, world, null);
      if (!truth || truth.disabled.length === 0) continue;
      struck += 1;
      // One for the snapshot, one for the second looks.
      expect(truth.binds).toBe(2);
      for (const at of [1, 2]) {
        const seen = await pass(directory, world, null, { at, kind });
        expect(seen && { disabled: seen.disabled, changes: changesOf(seen.plan) }).toEqual(
          seen && { disabled: truth.disabled, changes: changesOf(truth.plan) },
        );
        if (!busy.includes(kind)) expect([seed, at, seen]).toEqual([seed, at, null]);
      }
    }
  });
});
