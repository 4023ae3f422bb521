import { resolve } from 'node:path';
import type { Bench } from './bench.ts';

/** Paths among the arguments: the meetings, and the summaries that people wrote. */
const [meetings = process.env['OT_BENCH_QMSUM'], references] = process.argv
  .slice(2)
  .filter((argument) => argument.includes('/'))
  .map((path) => resolve(path));

/** Measured inside the service; skips nothing: without data it fails and says what is missing. */
export const summariesBench: Bench = {
  name: 'summaries',
  about:
    'extractive summaries against those of people: ./overtone bench summaries MEETINGS.jsonl.gz [REFERENCES.jsonl]',
  run: async function* () {
    if (meetings === undefined) throw new Error('no meetings given: pass the path of QMSum, or set OT_BENCH_QMSUM');
    const { measureSummaries } = await import('@overtone/insights/bench');
    yield* measureSummaries(meetings, references ?? null);
  },
};
