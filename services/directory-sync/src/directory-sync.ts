import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createEventDatabase } from '@overtone/database';
import { createRecycling } from '@overtone/jobs';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import type { DirectorySyncEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createRunsSlice } from './runs/runs.slice.ts';
import { createJobRequests } from './schedule/schedule.ts';
import { createScheduleSlice } from './schedule/schedule.slice.ts';
import { createSettingsSlice } from './settings/settings.slice.ts';
import type { TakeSnapshot } from './snapshot/snapshot.ts';

/** The periodic directory sync: disables accounts that left it, and no others. */
export function createDirectorySync(env: DirectorySyncEnv, takeSnapshot: TakeSnapshot): Service {
  const base = createServiceBase('directory-sync', env);
  const { log, metrics, bus } = base;
  const database = createEventDatabase(base, (options) => new PrismaClient(options));
  const { db, outbox } = database;

  const workerId = `directory-sync-${hostname()}-${randomUUID().slice(0, 8)}`;
  const recycling = createRecycling();
  const jobRequests = createJobRequests({ bus });
  const runsSlice = createRunsSlice({ db, bus, outbox, jobRequests, takeSnapshot, metrics, log, workerId });
  const { runs } = runsSlice;

  return createService({
    ...base,
    recycling,
    slices: [
      database.slice,
      database.relay,
      createErasureSlice({ db, outbox }),
      createSettingsSlice({ db, outbox, runs }),
      runsSlice,
      createScheduleSlice({ db, bus, runs, jobRequests, workerId, recycling }),
    ],
  });
}
