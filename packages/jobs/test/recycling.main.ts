import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineJob, queueLimits } from '@overtone/contracts';
import { busEnv, createService, createServiceBase, readEnv, runService, serviceEnv } from '@overtone/service-kit';
import { z } from 'zod';
import { createRecycling, worker } from '../src/index.ts';

// A service that does tasks in its own process and is replaced after five; notes in LIST which process did which.
const env = readEnv({ ...serviceEnv, ...busEnv, LIST: z.string() });
const recycling = createRecycling({ limits: { ...queueLimits, cpu: { recycleAfter: 5 } }, minimumAgeMs: 0 });
const catalogue = {
  note: defineJob('job.cpu.media.note', {
    input: z.object({ until: z.string().nullable() }),
    output: z.object({}),
    attempts: 3,
    fencedBy: 'handler',
  }),
};
const note = worker(
  catalogue,
  {
    note: async ({ until }, { taskId }) => {
      while (until !== null && !existsSync(until)) await sleep(20);
      appendFileSync(env.LIST, `${taskId} ${process.pid}\n`);
      return {};
    },
  },
  { workerId: `media-${process.pid}`, concurrency: { cpu: 2 }, recycling },
);
await runService(createService({ ...createServiceBase('media', env), slices: [{ jobs: [note] }], recycling }));
