import { resolve } from 'node:path';
import type { Bench } from './bench.ts';

/** Measured inside the service. */
export const summariesBench: Bench = {
  name: 'summaries',
  about: 'extractive summaries, names and action items against those of people; meetings by --qmsum PATH',
  run: async function* () {
    const { measureLabelled, measureSummaries } = await import('@overtone/insights/bench');
    yield* measureLabelled();
    const meetings = optionOf('--qmsum') ?? process.env['OT_BENCH_QMSUM'];
    // Lines {meeting, summary}: the shared form of QMSum has no summaries of whole meetings.
    const references = process.env['OT_BENCH_SUMMARIES'];
    if (meetings === undefined)
      yield { name: 'summaries', ours: 'not measured: give the meetings by --qmsum PATH or OT_BENCH_QMSUM' };
    else yield* measureSummaries(resolve(meetings), references === undefined ? null : resolve(references));
  },
};

function optionOf(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
