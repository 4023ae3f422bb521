import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createDatabase } from '@overtone/database';
import { createService, createServiceBase, createRecycling, type Service } from '@overtone/service-kit';
import type { DirectorySyncEnv } from './env.ts';
import { PrismaClient } from './generated/client.ts';
import { passesRoutes } from './passes/passes.routes.ts';
import { createPasses, type SnapshotOf } from './passes/passes.service.ts';
import { createReview } from './passes/review.service.ts';
import { sweepSignals } from './passes/signals.read-model.ts';
import { createJobRequests } from './schedule/job-requests.ts';
import { checkEverySlot, sweepWorker } from './schedule/schedule.jobs.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { createTelemetry } from './telemetry.ts';

/** The periodic sweep of the directory: disables accounts that left it, and no others. */
export function createDirectorySync(env: DirectorySyncEnv, snapshotOf: SnapshotOf): Service {
  const base = createServiceBase('directory-sync', env);
  const { log, metrics, bus } = base;
  const { db, slice: database } = createDatabase(base, (adapter) => new PrismaClient({ adapter }));

  const workerId = `directory-sync-${hostname()}-${randomUUID().slice(0, 8)}`;
  const recycling = createRecycling();
  const jobRequests = createJobRequests({ bus });
  const telemetry = createTelemetry(metrics, () => sweepSignals(db));
  const passes = createPasses({ db, bus, snapshotOf, telemetry, log, holder: workerId });
  const review = createReview({ db, bus });

  return createService({
    ...base,
    recycling,
    slices: [
      database,
      {
        routes: [...settingsRoutes({ db, passes }), ...passesRoutes({ db, jobRequests, review })],
        jobs: [sweepWorker({ db, passes, jobRequests, workerId, recycling })],
        periodics: [checkEverySlot(jobRequests, bus)],
      },
    ],
  });
}
