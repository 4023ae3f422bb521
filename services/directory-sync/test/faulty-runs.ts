import { expect } from '@jest/globals';
import { compileMappings } from '@overtone/directory';
import { isAppError, readKeyRing, seal } from '@overtone/service-kit';
import { randomFrom } from '@overtone/testkit/seed';
import { recheckCandidates } from '../src/runs/apply.ts';
import { createPlan, type Plan } from '../src/plan/plan.ts';
import { directorySnapshot } from '../src/snapshot/snapshot.adapter.ts';
import { idOf, worldOf, type World } from './random-world.ts';
import { rulesFor } from './rules.ts';
import { faultKinds, groupDn, type Fault, type ScriptedDirectory } from './scripted-directory.ts';

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
export async function runOnce(directory: ScriptedDirectory, world: World, fault: Fault | null, bindFault?: Fault) {
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

export function changesOf({ changes }: Plan) {
  return changes.flatMap(({ account: { userId }, role, add, remove }) => [
    ...(role ? [`${userId} role ${role}`] : []),
    ...add.map((group) => `${userId} + ${group}`),
    ...remove.map((group) => `${userId} - ${group}`),
  ]);
}

/** Changes that are made with the fault and not without it. */
function unexpectedChanges(truth: Plan, result: NonNullable<Awaited<ReturnType<typeof runOnce>>>): string[] {
  const candidates = new Set(truth.candidates.map(({ account }) => account.userId));
  const changes = new Set(changesOf(truth));
  return [
    ...result.disabled.filter((id) => !candidates.has(id)),
    ...changesOf(result.plan).filter((change) => !changes.has(change)),
  ];
}

type Trial = { completed: boolean; wrong: string[] };
export const aborted: Trial = { completed: false, wrong: [] };

/** Makes a sync run over the world of a seed with and without a fault, and compares the changes. */
export async function runTrial(directory: ScriptedDirectory, seed: number): Promise<Trial> {
  const random = randomFrom(seed);
  const world = worldOf(random);
  const truth = await runOnce(directory, world, null);
  // A world without any of the known accounts is ambiguous without a fault.
  if (!truth || truth.plan.status !== 'ok') return aborted;
  const fault = { at: 1 + random(truth.requests), kind: faultKinds[random(faultKinds.length)] as string };
  const result = await runOnce(directory, world, fault);
  if (!result || result.plan.status !== 'ok') return aborted;
  return {
    completed: true,
    wrong: unexpectedChanges(truth.plan, result).map((change) => `seed ${seed}, ${JSON.stringify(fault)}: ${change}`),
  };
}

/**
 * Makes `runs` sync runs over random worlds with one random fault each, beginning with a seed, as many at a time as there
 * are directories; none may make a change that the run without the fault does not make.
 */
export async function expectNoUnexpectedChange(
  directories: readonly ScriptedDirectory[],
  firstSeed: number,
  runs: number,
) {
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
}
