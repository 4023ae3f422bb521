import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { dispatcherRpc, systemJobs, transcriptionLive } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { concurrencyOf, everySlot, namedId, putJob, worker } from '@overtone/jobs';
import {
  periodic,
  restingPeriodic,
  rpc,
  type Bus,
  type Log,
  type Metrics,
  type Periodic,
  type Route,
  type Slice,
  type Worker,
} from '@overtone/service-kit';
import type { Db, Statements } from '../database.ts';
import type { DispatcherEnv } from '../env.ts';
import type { Files } from '../ports/files.ts';
import type { JobSignals } from '../queues/queues.ts';
import type { Runs } from '../runs/runs.ts';
import { watchTaskMetrics } from '../telemetry.ts';
import type { Leases, Workers } from '../workers/workers.ts';
import { createClaims, type Claims } from './claims.service.ts';
import { createDeadLettersReadModel } from './dead-letters.read-model.ts';
import { createDeadLetters } from './dead-letters.service.ts';
import { createFailures, type Failures } from './failures.service.ts';
import { createLostSignals } from './lost-signals.service.ts';
import { createOpenTasks } from './open-tasks.read-model.ts';
import { createRecovery, type Recovery } from './recovery.service.ts';
import { createDescribeTasks, createTasksReadModel } from './tasks.read-model.ts';
import { tasksRoutes } from './tasks.routes.ts';
import type { TaskStore } from './tasks.store.ts';
import { keptTasks } from './tasks.ts';

export type TasksSliceDeps = {
  env: DispatcherEnv;
  db: Db;
  statements: Statements;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  metrics: Metrics;
  tasks: TaskStore;
  runs: Runs;
  leases: Leases;
  signals: JobSignals;
  files: Files;
  workers: Pick<Workers, 'live'>;
};

/** The tasks of the workers: claims and results, retries, dead letters, fair shares, and the recovery from lost workers. */
export function createTasksSlice(deps: TasksSliceDeps): Slice {
  const { db, bus, log, tasks, runs, signals } = deps;
  const failures = createFailures({ db, tasks, runs });
  const claims = createClaims({ tasks, runs, failures, log });
  const { recovery, lostSignals } = createRecoveryServices({ ...deps, failures, claims });
  const rebuildQueue = () =>
    lostSignals.rebuildQueue().catch((err: unknown) => log.warn({ err: err as Error }, 'queue rebuild failed'));
  signals.onLoss(() => void rebuildQueue());

  return {
    routes: createRoutes({ ...deps, recovery }),
    rpcs: [
      rpc(dispatcherRpc.claim, claims.claim),
      rpc(dispatcherRpc.complete, claims.complete),
      rpc(dispatcherRpc.fail, claims.fail),
      rpc(dispatcherRpc.release, claims.release),
    ],
    jobs: [reclaimWorker(recovery)],
    periodics: [
      restingPeriodic('retry due tasks', 500, tasks.republishDue, tasks.nextRetry),
      restingPeriodic('raise the priority of long-waiting tasks', 5_000, tasks.age, tasks.nextCheck),
      reclaimEverySlot(bus),
      restingPeriodic(
        'check running tasks',
        2_000,
        async () => void (await recovery.checkRunningTasks()),
        tasks.nextCheck,
      ),
      periodic('replace lost messages', 10_000, async () => {
        await signals.provision();
        await lostSignals.replace();
        await runs.remindMissingTranscripts();
      }),
      periodic('delete old index tasks', 3_600_000, tasks.deleteOldStandalone),
      periodic('delete tasks beyond the limit', 600_000, async (signal) => {
        while (!signal.aborted && (await tasks.prune(keptTasks, pruneBatch)) === pruneBatch);
      }),
    ],
  };
}

const pruneBatch = 2_000;

function createRecoveryServices(deps: TasksSliceDeps & { failures: Failures; claims: Claims }) {
  const { env, bus, metrics } = deps;
  const openTasks = createOpenTasks(deps);
  const lostSignals = createLostSignals({ ...deps, openTasks });
  const recovery = createRecovery({
    ...deps,
    openTasks,
    lostSignals,
    notifyCancelled: (taskId) => bus.publishLive(transcriptionLive.taskCancelled, { taskId }),
    maxInfraRequeues: env.TRANSCRIPTION_MAX_INFRA_REQUEUES,
    maxDurationSeconds: env.TASK_MAX_DURATION_TRANSCRIPTION_SECONDS,
  });
  watchTaskMetrics(metrics, () => recovery.samples(env.TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD));
  return { recovery, lostSignals };
}

function createRoutes({ recovery, ...deps }: TasksSliceDeps & { recovery: Recovery }): Route[] {
  const { db, files, runs, workers } = deps;
  const describe = createDescribeTasks({ files, fractionOf: runs.fractionOf });
  const deadLetters = createDeadLetters({ ...deps, dead: createDeadLettersReadModel({ db }), describe });
  return tasksRoutes({ deadLetters, tasks: createTasksReadModel({ db, files, describe, workers }), recovery });
}

/** Half of the minute within which a dead worker's tasks must be requeued. */
const reclaimEveryMs = 30_000;

/** `system.reclaim_orphaned_deliveries` (specification, "Events"): requeues the tasks of dead workers. */
function reclaimWorker(recovery: Pick<Recovery, 'requeueLostTasks'>): Worker {
  const workerId = `transcription-dispatcher-${hostname()}-${randomUUID().slice(0, 8)}`;
  const reclaimOrphaned = async () => {
    await recovery.requeueLostTasks();
    return {};
  };
  return worker(systemJobs, { reclaimOrphaned }, { workerId, concurrency: concurrencyOf(systemJobs) });
}

/** Enqueues the job once per slot for all replicas. */
function reclaimEverySlot(bus: Bus): Periodic {
  return everySlot('enqueue the reclaim job', reclaimEveryMs, bus, (slot) => {
    const at = slot.toISOString();
    return putJob(bus, systemJobs.reclaimOrphaned, namedId(`reclaim-${at}`), { slot: at });
  });
}
