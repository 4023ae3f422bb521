import { leaseValue, transcriptionLive, workerValue } from '@overtone/contracts';
import { createDatabase, createOutbox, createOutboxRelay } from '@overtone/database';
import {
  createAssertionVerifier,
  createBus,
  createLog,
  createMetrics,
  createService,
  periodic,
  version,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { createBroker } from './broker/broker.adapter.ts';
import { gaugesOf } from './broker/gauges.ts';
import { cached } from './broker/cached.ts';
import { claimsRpc } from './claims/claims.rpc.ts';
import { createClaims } from './claims/claims.service.ts';
import type { DispatcherEnv } from './env.ts';
import { PrismaClient } from './generated/client.ts';
import { alive } from './leases/leases.ts';
import { createMirror } from './leases/mirror.adapter.ts';
import { createOrders } from './orders/orders.store.ts';
import { createProgress } from './progress/progress.service.ts';
import { canJudge } from './recovery/loss.ts';
import { createRecovery } from './recovery/recovery.service.ts';
import { createRecoveryStore } from './recovery/recovery.store.ts';
import { createRetries } from './retries/retries.service.ts';
import { cancelRun } from './runs/cancel-run.consumer.ts';
import { forgetFile } from './runs/forget-file.consumer.ts';
import { orderIndex } from './runs/order-index.consumer.ts';
import { restartRun } from './runs/restart-run.consumer.ts';
import { createRuns } from './runs/runs.service.ts';
import { startRun } from './runs/start-run.consumer.ts';
import { createTasksReadModel } from './tasks/tasks.read-model.ts';
import { tasksRoutes } from './tasks/tasks.routes.ts';
import { createTelemetry } from './telemetry.ts';
import { createTiming } from './timing/timing.store.ts';
import { createWaiting } from './waiting/waiting.service.ts';

const name = 'transcription-dispatcher';

/** The dispatcher: which job next, who holds it, what happens when it fails or its worker dies. */
export const createTranscriptionDispatcher = (env: DispatcherEnv): Service => {
  const log = createLog(name, env);
  const metrics = createMetrics();
  const bus = createBus({ service: name, url: env.NATS_URL, user: env.NATS_USER, password: env.NATS_PASSWORD, log });
  const database = createDatabase({ env, name, metrics, log }, (adapter) => new PrismaClient({ adapter }));
  const { db, pool } = database;

  const leases = createMirror(bus, 'LEASES', leaseValue);
  const fleet = createMirror(bus, 'WORKERS', workerValue);
  const leaseOf = (taskId: string) => leases.get(`task.${taskId}`);
  const outbox = createOutbox(name);
  const orders = createOrders({ outbox });
  const timing = createTiming({ db });
  const runs = createRuns({ db, outbox, orders, timing, bus });
  const claims = createClaims({ db, outbox, orders, runs, timing, leaseOf });
  const retries = createRetries({ db, orders });
  const progress = createProgress({ db, bus, rates: timing.rates, log });
  const recoveryStore = createRecoveryStore({ db });
  const broker = createBroker({ bus, onEmptied: (stream) => stream === 'JOBS' && void rebuild() });
  const recovery = createRecovery({
    db,
    outbox,
    orders,
    runs,
    broker,
    log,
    store: recoveryStore,
    leases: { of: leaseOf, since: leases.since, drop: (taskId) => leases.remove(`task.${taskId}`) },
    maxInfraRequeues: env.TRANSCRIPTION_MAX_INFRA_REQUEUES,
  });
  const rebuild = () =>
    recovery.rebuildQueue().catch((err: unknown) => log.warn({ err: err as Error }, 'queue not rebuilt yet'));
  const waiting = createWaiting({
    db,
    outbox,
    workers: () => (canJudge(fleet.since(), Date.now()) ? alive(fleet.entries().values(), Date.now()) : null),
  });
  const queueGauges = cached(1_000, async () =>
    gaugesOf(await broker.queues(), [...leases.entries().values()], Date.now()),
  );
  const telemetry = createTelemetry(metrics, queueGauges);
  const hearing: Part = {
    name: 'progress',
    start: async () => bus.hear(transcriptionLive.taskProgress, progress.heard),
    stop: async () => {},
  };

  return createService({
    name,
    version,
    env,
    log,
    metrics,
    bus,
    whoIs: createAssertionVerifier(env.ASSERTION_PUBLIC_KEY, name),
    parts: [
      database.part,
      broker.part,
      leases.part,
      fleet.part,
      createOutboxRelay({ service: name, pool, url: env.DATABASE_URL, bus, log, metrics }),
      hearing,
    ],
    routes: tasksRoutes({
      tasks: createTasksReadModel({ db, fractionOf: progress.fractionOf }),
      recovery,
      fleet: fleet.entries,
    }),
    rpcs: claimsRpc({ claims }),
    consumers: [
      startRun({ runs }),
      restartRun({ runs }),
      cancelRun({ runs }),
      forgetFile({ runs }),
      orderIndex({ runs }),
    ],
    periodics: [
      periodic('retry due tasks', 500, async () => void (await retries.republishDue())),
      periodic('look for lost workers', 2_000, async () => {
        telemetry.withoutLease.set((await recovery.withoutLease()) ?? 0);
        await recovery.takeBackLost();
        telemetry.infraRequeued.set(
          await recoveryStore.infraRequeuedFiles(env.TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD),
        );
      }),
      periodic('look for lost messages', 10_000, async () => {
        await broker.provision();
        await recovery.replaceLostMessages();
        await recovery.remindUnheard();
      }),
      periodic('look for what waits', 2_000, () => waiting.look()),
      periodic('forget old orders', 3_600_000, retries.forgetOld),
      periodic('repeat progress', 2_000, () => progress.repeat()),
    ],
    checks: database.checks,
    internal: [
      {
        path: '/metrics/queues',
        run: async () => ({
          contentType: telemetry.queueRegistry.contentType,
          body: await telemetry.queueRegistry.metrics(),
        }),
      },
    ],
  });
};
