import { describe, expect, it } from '@jest/globals';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom } from '@overtone/testkit/seed';
import { aborted, changesOf, expectNoUnexpectedChange, runOnce, runTrial } from '../../test/faulty-runs.ts';
import { worldOf } from '../../test/random-world.ts';
import { bindFaultKinds, startScriptedDirectory, type ScriptedDirectory } from '../../test/scripted-directory.ts';

/** The nightly tier makes hundreds of other ones. */
const runs = 40;
const firstSeed = 1;

/** Number of trials that run concurrently, each with its own directory. */
const lanes = 4;
const directories = await Promise.all(Array.from({ length: lanes }, () => stopAfterFile(startScriptedDirectory())));

/** After these faults the request is retried after a delay. */
const retriedFaults = ['result 51', 'result 52', 'notice of disconnection'];

/** Seeds whose fault omits or hides an existing group. */
const omittedGroupSeeds = [
  1170, 1_002_343, 1_003_228, 1_003_829, 1_005_458, 1_006_410, 1_007_764, 1_008_125, 1_008_357,
];

describe('sync run over random data with a fault at a random step', () => {
  it('makes no change that the sync run without the fault does not make', () =>
    expectNoUnexpectedChange(directories, firstSeed, runs));

  it.each(omittedGroupSeeds)('aborts when the directory omits an existing group: seed %d', async (seed) => {
    expect(await runTrial(directories[0] as ScriptedDirectory, seed)).toEqual(aborted);
  });

  it.each(bindFaultKinds)('disables no account when a connection begins with: %s', async (kind) => {
    const [directory] = directories as [ScriptedDirectory, ...ScriptedDirectory[]];
    let checked = 0;
    for (let seed = firstSeed; checked < 5; seed++) {
      const world = worldOf(randomFrom(seed));
      const truth = await runOnce(directory, world, null);
      if (!truth || truth.disabled.length === 0) continue;
      checked += 1;
      // One connection for the snapshot, one for the rechecks.
      expect(truth.binds).toBe(2);
      for (const at of [1, 2]) {
        const result = await runOnce(directory, world, null, { at, kind });
        expect(result && { disabled: result.disabled, changes: changesOf(result.plan) }).toEqual(
          result && { disabled: truth.disabled, changes: changesOf(truth.plan) },
        );
        if (!retriedFaults.includes(kind)) expect([seed, at, result]).toEqual([seed, at, null]);
      }
    }
  });
});
