import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { leaseValue, transcriptionLive, workerValue } from '@overtone/contracts';
import { createEventDatabase } from '@overtone/database';
import { createService, createServiceBase, periodic, type Part, type Service } from '@overtone/service-kit';
import { createBroker } from './broker/broker.adapter.ts';
import { createQueueGauges } from './broker/queue-gauges.ts';
import { claimsRpc } from './claims/claims.rpc.ts';
import { createAcceptStore } from './claims/accept.store.ts';
import { createClaimStore } from './claims/claim.store.ts';
import { createClaims } from './claims/claims.service.ts';
import { createRequeueStore } from './claims/requeue.store.ts';
import { createTaskStateStore } from './claims/task-state.store.ts';
import { createStatements } from './database.ts';
import { operatorSignals } from './dead-letters/operator-signals.read-model.ts';
import { deadLetterRoutes } from './dead-letters/dead-letters.routes.ts';
import { createDeadLetters } from './dead-letters/dead-letters.service.ts';
import { createDeadLettersStore } from './dead-letters/dead-letters.store.ts';
import type { DispatcherEnv } from './env.ts';
import { PrismaClient } from './generated/client.ts';
import { gpuProfilesRoutes } from './gpu-profiles/gpu-profiles.routes.ts';
import { gpuProfilesRpc } from './gpu-profiles/gpu-profiles.rpc.ts';
import { createGpuProfilesStore } from './gpu-profiles/gpu-profiles.store.ts';
import { languagesRpc } from './languages/languages.rpc.ts';
import { liveEntries } from './leases/leases.ts';
import { createMirror } from './leases/mirror.adapter.ts';
import { createAgeing } from './job-requests/ageing.service.ts';
import { createJobRequests } from './job-requests/job-requests.store.ts';
import { createFiles, createPeople } from './ports/files.adapter.ts';
import { createProgress } from './progress/progress.service.ts';
import { queuesRoutes } from './queues/queues.routes.ts';
import { queuesRpc } from './queues/queues.rpc.ts';
import { createQueues } from './queues/queues.service.ts';
import { createQueuesStore } from './queues/queues.store.ts';
import { isWatchSettled, heartbeatGraceMs } from './recovery/loss.ts';
import { reclaimEverySlot, reclaimWorker } from './recovery/reclaim.jobs.ts';
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
import { createTasksStore } from './tasks/tasks.store.ts';
import { createTelemetry } from './telemetry.ts';
import { createTiming } from './timing/timing.store.ts';
import { createWaiting } from './waiting/waiting.service.ts';

/** The dispatcher: selects the next task, tracks its holder, and handles failures and dead workers. */
export function createTranscriptionDispatcher(env: DispatcherEnv): Service {
  const base = createServiceBase('transcription-dispatcher', env);
  const { log, metrics, bus } = base;
  const database = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));
  const { db, pool, outbox } = database;

  const leases = createMirror(bus, 'LEASES', leaseValue);
  const fleet = createMirror(bus, 'WORKERS', workerValue);
  const leaseOf = (taskId: string) => leases.get(`task.${taskId}`);
  const statements = createStatements({ pool, wake: database.wakeOutbox });
  const jobRequests = createJobRequests({ outbox, expressMaxSeconds: env.TRANSCRIPTION_EXPRESS_MAX_SECONDS });
  const timing = createTiming({ db });
  const runs = createRuns({ db, outbox, jobRequests, timing, bus });
  const requeues = createRequeueStore({ statements, outbox });
  const claims = createClaims({
    db,
    outbox,
    jobRequests,
    runs,
    next: createClaimStore({ statements, outbox }),
    state: createTaskStateStore({ statements }),
    acceptStore: createAcceptStore({ statements, outbox }),
    requeues,
    log,
  });
  const retries = createRetries({ db, statements, outbox });
  const ageing = createAgeing({ db });
  const progress = createProgress({ db, bus, rates: timing.rates, log });
  const recoveryStore = createRecoveryStore({ db, statements, outbox });
  const broker = createBroker({ bus, onEmptied: (stream) => stream === 'JOBS' && void rebuild() });
  const recovery = createRecovery({
    db,
    outbox,
    runs,
    broker,
    log,
    store: recoveryStore,
    leases: { of: leaseOf, since: leases.since, drop: (taskId) => leases.remove(`task.${taskId}`) },
    maxInfraRequeues: env.TRANSCRIPTION_MAX_INFRA_REQUEUES,
    maxDurationSeconds: env.TASK_MAX_DURATION_TRANSCRIPTION_SECONDS,
    claims,
    requeues,
    notifyCancelled: (taskId) => bus.publishLive(transcriptionLive.taskCancelled, { taskId }),
  });
  const rebuild = () =>
    recovery.rebuildQueue().catch((err: unknown) => log.warn({ err: err as Error }, 'queue rebuild failed'));
  const workers = () =>
    isWatchSettled(fleet.since(), Date.now()) ? liveEntries(fleet.entries().values(), Date.now()) : null;
  const waiting = createWaiting({
    db,
    outbox,
    workers,
  });
  const isWorkerLive = (id: string): boolean =>
    !isWatchSettled(fleet.since(), Date.now(), heartbeatGraceMs) ||
    (fleet.get(`worker.${id}`)?.expiresAt ?? 0) > Date.now();
  const queueGauges = createQueueGauges({ broker, leases: leases.entries, isWorkerLive });
  const telemetry = createTelemetry(metrics, queueGauges, {
    recovery: () => recovery.signals(env.TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD),
    operator: () => operatorSignals(db),
  });
  const files = createFiles({ bus });
  const { fractionOf } = progress;
  const tasks = createTasksReadModel({ db, store: createTasksStore({ db }), files, fractionOf });
  const deadLetters = createDeadLetters({
    db,
    store: createDeadLettersStore({ db }),
    outbox,
    files,
    objectsOf: tasks.objectsOf,
    log,
  });
  const queues = createQueues({
    db,
    store: createQueuesStore({ db }),
    outbox,
    gauges: queueGauges,
    fleet,
    files,
    people: createPeople({ bus }),
    fractionOf,
    log,
  });
  const gpuProfiles = { profiles: createGpuProfilesStore({ db }), enabled: env.ENABLE_VRAM_PROFILING };
  const progressSubscription: Part = {
    name: 'progress',
    start: async () => bus.subscribeLive(transcriptionLive.taskProgress, progress.receive),
    stop: async () => {},
  };

  return createService({
    ...base,
    slices: [
      database.slice,
      {
        parts: [broker.part, leases.part, fleet.part, progressSubscription],
        routes: [
          // The first matching path wins: /api/tasks/dead must precede /api/tasks/:uuid.
          ...deadLetterRoutes({ deadLetters }),
          ...tasksRoutes({ tasks, recovery, fleet: fleet.entries }),
          ...queuesRoutes({ queues }),
          ...gpuProfilesRoutes(gpuProfiles),
        ],
        rpcs: [
          ...claimsRpc({ claims }),
          ...queuesRpc({ queues }),
          ...languagesRpc({ workers }),
          gpuProfilesRpc(gpuProfiles),
        ],
        consumers: [
          startRun({ runs }),
          restartRun({ runs }),
          cancelRun({ runs }),
          forgetFile({ runs }),
          orderIndex({ runs }),
        ],
        jobs: [
          reclaimWorker({ recovery, workerId: `transcription-dispatcher-${hostname()}-${randomUUID().slice(0, 8)}` }),
        ],
        periodics: [
          periodic('retry due tasks', 500, retries.republishDue),
          periodic('raise the priority of long-waiting tasks', 5_000, ageing.age),
          reclaimEverySlot(bus),
          periodic('check running tasks', 2_000, async () => void (await recovery.checkRunningTasks())),
          periodic('replace lost messages', 10_000, async () => {
            await broker.provision();
            await recovery.replaceLostSignals();
            await recovery.remindMissingTranscripts();
          }),
          periodic('update waiting reasons', 2_000, () => waiting.update()),
          periodic('delete old index tasks', 3_600_000, retries.deleteOld),
          periodic('record live workers', 5_000, () => queues.recordWorkers()),
          periodic('delete tasks beyond the limit', 600_000, (signal) => tasks.prune(signal)),
          periodic('delete old GPU profiles', 3_600_000, () => gpuProfiles.profiles.prune()),
          periodic('repeat progress', 2_000, () => progress.republish()),
        ],
        internal: [
          {
            path: '/metrics/queues',
            run: async () => ({
              contentType: telemetry.queueRegistry.contentType,
              body: await telemetry.queueRegistry.metrics(),
            }),
          },
        ],
      },
    ],
  });
}
