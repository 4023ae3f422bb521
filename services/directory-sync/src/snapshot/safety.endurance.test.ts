import { it } from '@jest/globals';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { expectNoUnexpectedChange } from '../../test/faulty-runs.ts';
import { startScriptedDirectory } from '../../test/scripted-directory.ts';

/** Number of sync runs over random worlds with one random fault each; larger in long runs. */
const runs = Number(process.env['OT_SWEEP_PASSES'] ?? 500);
const firstSeed = Number(process.env['OT_SWEEP_SEED'] ?? randomFrom(testSeed)(2 ** 30));

/** Number of trials that run concurrently, each with its own directory. */
const lanes = 4;

it(
  'a sync run over random data with a fault at a random step makes no change that the run without the fault does not make',
  async () => {
    const directories = await Promise.all(Array.from({ length: lanes }, () => stopAfterFile(startScriptedDirectory())));
    await expectNoUnexpectedChange(directories, firstSeed, runs);
  },
  120_000 + runs * 1_000,
);
