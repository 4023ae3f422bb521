import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { insightsJobs } from '@overtone/contracts';
import { createEventDatabase } from '@overtone/database';
import { concurrencyOf, createRecycling, worker } from '@overtone/jobs';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import type { InsightsEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createPeople } from './ports/people.adapter.ts';
import { createPromptsSlice } from './prompts/prompts.slice.ts';

/** Insights: language models, summaries, suggestions and answers. */
export function createInsights(env: InsightsEnv): Service {
  const base = createServiceBase('insights', env);
  const { db, outbox, slice, relay } = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));
  const recycling = createRecycling();
  const people = createPeople(base);
  const prompts = createPromptsSlice({ db, outbox, people, keyRing: env.keyRing });
  const workerId = `insights-${hostname()}-${randomUUID().slice(0, 8)}`;
  return createService({
    ...base,
    recycling,
    slices: [
      slice,
      relay,
      createErasureSlice({ db, outbox, forgets: [prompts.forgets] }),
      prompts,
      {
        jobs: [worker(insightsJobs, {}, { workerId, concurrency: concurrencyOf(insightsJobs), recycling })],
      },
    ],
  });
}
