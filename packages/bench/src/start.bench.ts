import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf, processesOf } from '@overtone/e2e/processes';
import { until } from '@overtone/e2e/until';
import { mebibytes, type Bench } from './bench.ts';

const startGoal = 10;
const memoryGoal = 900 * 1024 ** 2;

/** Duration of a warm start, and memory of the idle platform. */
export const startBench: Bench = {
  name: 'start',
  about: 'seconds of a warm ./overtone up; memory of all processes at rest',
  run: async function* ({ instance, size }) {
    const running = await instance();
    // A new installation converts its word vectors once; the idle memory is measured afterwards.
    const turning = (): boolean => processesOf(running.data).some((living) => living.command.includes('build-vectors'));
    await until('the word vectors are ready', async () => !turning(), 120_000, 1_000);
    await running.down();
    const again = await running.up();
    if (again.code !== 0) throw new Error(again.output);
    await sleep(20_000 * Math.min(1, size));
    const processes = processesOf(running.data).map((living) => ({ ...living, ...memoryOf(living.pid) }));
    for (const living of processes.toSorted((left, right) => right.pss - left.pss).slice(0, 14)) {
      console.error(
        `  ${mebibytes(living.pss).padStart(8)} PSS ${mebibytes(living.rss).padStart(8)} RSS  ${living.command.slice(0, 90)}`,
      );
    }
    const sum = (key: 'rss' | 'pss'): number => processes.reduce((all, living) => all + living[key], 0);
    const memory = (key: 'rss' | 'pss', name: string) => ({
      name: `at rest: ${name} of all processes`,
      ours: mebibytes(sum(key)),
      goal: `<= ${mebibytes(memoryGoal)}`,
      met: sum(key) <= memoryGoal,
    });
    yield* [
      {
        name: 'warm start',
        ours: `${again.seconds.toFixed(1)} s`,
        goal: `<= ${startGoal} s`,
        met: again.seconds <= startGoal,
      },
      memory('pss', 'PSS'),
      memory('rss', 'RSS'),
    ];
  },
};
