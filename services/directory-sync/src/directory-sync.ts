import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createDatabase } from '@overtone/database';
import { createRecycling } from '@overtone/jobs';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import type { DirectorySyncEnv } from './env.ts';
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
  const { db, slice: database } = createDatabase(base, (adapter) => new PrismaClient({ adapter }));

  const workerId = `directory-sync-${hostname()}-${randomUUID().slice(0, 8)}`;
  const recycling = createRecycling();
  const jobRequests = createJobRequests({ bus });
  const runsSlice = createRunsSlice({ db, bus, jobRequests, takeSnapshot, metrics, log, workerId });
  const { runs } = runsSlice;

  return createService({
    ...base,
    recycling,
    slices: [
      database,
      createSettingsSlice({ db, runs }),
      runsSlice,
      createScheduleSlice({ db, bus, runs, jobRequests, workerId, recycling }),
    ],
  });
}
