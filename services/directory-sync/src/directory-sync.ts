import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createDatabase } from '@overtone/database';
import {
  createAssertionVerifier,
  createBus,
  createLog,
  createMetrics,
  createService,
  createRecycling,
  version,
  type Service,
} from '@overtone/service-kit';
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

const name = 'directory-sync';

/** The periodic sweep of the directory: disables accounts that left it, and no others. */
export function createDirectorySync(env: DirectorySyncEnv, snapshotOf: SnapshotOf): Service {
  const log = createLog(name, env);
  const metrics = createMetrics();
  const bus = createBus({ service: name, url: env.NATS_URL, user: env.NATS_USER, password: env.NATS_PASSWORD, log });
  const { db, checks, part } = createDatabase({ env, name, metrics, log }, (adapter) => new PrismaClient({ adapter }));

  const workerId = `${name}-${hostname()}-${randomUUID().slice(0, 8)}`;
  const recycling = createRecycling();
  const jobRequests = createJobRequests({ bus });
  const telemetry = createTelemetry(metrics, () => sweepSignals(db));
  const passes = createPasses({ db, bus, snapshotOf, telemetry, log, holder: workerId });
  const review = createReview({ db, bus });

  return createService({
    name,
    version,
    env,
    log,
    metrics,
    bus,
    whoIs: createAssertionVerifier(env.ASSERTION_PUBLIC_KEY, name),
    parts: [part],
    routes: [...settingsRoutes({ db, passes }), ...passesRoutes({ db, jobRequests, review })],
    workers: [sweepWorker({ db, passes, jobRequests, workerId, recycling })],
    recycling,
    periodics: [checkEverySlot(jobRequests, bus)],
    checks,
  });
}
