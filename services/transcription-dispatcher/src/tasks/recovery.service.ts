import type { Outbox } from '@overtone/database';
import type { Log, Sample } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { recordOperation, type Operator } from '../operator.ts';
import type { JobSignals } from '../queues/queues.ts';
import type { Leases } from '../workers/workers.ts';
import type { Claims } from './claims.service.ts';
import { lostWorker, type Failures } from './failures.service.ts';
import { isHeld, isOverdue } from './loss.ts';
import type { LostSignals } from './lost-signals.service.ts';
import type { OpenTasks, RunningTask } from './open-tasks.read-model.ts';
import { timeoutCode } from './requeue.store.ts';
import type { TaskStore } from './tasks.store.ts';

export type RecoveryDeps = {
  db: Db;
  outbox: Outbox;
  openTasks: OpenTasks;
  tasks: Pick<TaskStore, 'requeue'>;
  failures: Pick<Failures, 'failLost'>;
  claims: Pick<Claims, 'fail'>;
  leases: Leases;
  lostSignals: LostSignals;
  signals: Pick<JobSignals, 'acknowledgeSignal'>;
  notifyCancelled: (taskId: string) => void;
  maxInfraRequeues: number;
  /** Minimum time limit of a task. */
  maxDurationSeconds: number;
  log: Log;
};
type Recovered = { found: number; reset: number };
const timedOut = { code: timeoutCode, message: 'The task exceeded its time limit', retryable: true };

/** Repairs what a crash leaves behind: tasks of dead workers, tasks beyond their time limit, and lost job signals. */
export function createRecovery(deps: RecoveryDeps) {
  const { db, outbox, openTasks, leases, lostSignals } = deps;
  const requeueAll = createRequeueAll(deps);
  const failOverdueTasks = createFailOverdueTasks(deps);
  /** Running tasks without a live lease; none while the lease watch is incomplete. */
  const findLostTasks = (running: RunningTask[]): RunningTask[] =>
    leases.areComplete() ? withoutLiveLease(leases, running) : [];

  /**
   * Requeues running tasks without a live lease, and fails those whose worker still renews the lease but has exceeded
   * the time limit; these are retried like any other failure.
   */
  const checkRunningTasks = async (): Promise<{ lost: Recovered; overdue: number }> => {
    const running = await openTasks.running();
    const lostTasks = new Set(findLostTasks(running));
    return {
      lost: await requeueAll([...lostTasks]),
      overdue: await failOverdueTasks(running.filter((task) => !lostTasks.has(task))),
    };
  };

  return {
    checkRunningTasks,
    requeueLostTasks: async (): Promise<Recovered> => requeueAll(findLostTasks(await openTasks.running())),

    /** Gauges of lost tasks; the lease gauge is omitted while the lease watch is incomplete. */
    samples: async (infraThreshold: number): Promise<Sample[]> => {
      const [running, files] = await Promise.all([
        openTasks.running(),
        openTasks.countInfraRequeuedFiles(infraThreshold),
      ]);
      const withoutLease = withoutLiveLease(leases, running).length;
      return [
        ...(leases.areComplete() ? [{ name: 'transcription_runs_without_lease', value: withoutLease }] : []),
        { name: 'transcription_files_infra_requeued', value: files },
      ];
    },

    /** Runs all periodic repairs immediately at an administrator's request. */
    recoverStuck: async (operator: Operator): Promise<Recovered> => {
      const { lost, overdue } = await checkRunningTasks();
      const others = overdue + (await lostSignals.replace(0));
      const reset = lost.reset + others;
      // Every task was requeued in its own transaction; this record covers the whole request.
      if (reset > 0)
        await db.$transaction((tx) => recordOperation(tx, outbox, operator, 'stuck_recovered', { count: reset }));
      return { found: lost.found + others, reset };
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;

function withoutLiveLease(leases: Leases, running: RunningTask[]): RunningTask[] {
  return running.filter((task) => !isHeld(task, leases.of(task.id), Date.now()));
}

/** Requeues the tasks of lost workers under a new token. */
function createRequeueAll({ tasks, failures, leases, signals, maxInfraRequeues, log }: RecoveryDeps) {
  /** @returns false when the task ended or was claimed again since it was read. */
  const requeueOrFail = async ({ id, token, stage, worker, ...task }: RunningTask): Promise<boolean> => {
    const infraRequeues = task.infraRequeues + 1;
    log.warn({ task_id: id, stage, worker, infra_requeues: infraRequeues }, 'worker lost');
    if (infraRequeues > maxInfraRequeues) return failures.failLost({ taskId: id, token });
    return tasks.requeue({ id, token, outcome: 'lost', error: lostWorker });
  };

  return async (lost: RunningTask[]): Promise<Recovered> => {
    let reset = 0;
    for (const task of lost) {
      // Its lease may have been renewed since the tasks were read.
      if (withoutLiveLease(leases, [task]).length === 0) continue;
      const signal = leases.of(task.id)?.ticket;
      if (await requeueOrFail(task)) reset += 1;
      await leases.drop(task.id).catch(() => {});
      // The dead worker's signal; the requeued task has a new one.
      if (signal) signals.acknowledgeSignal(signal);
    }
    return { found: lost.length, reset };
  };
}

function createFailOverdueTasks({ claims, notifyCancelled, maxDurationSeconds, log }: RecoveryDeps) {
  return async (running: RunningTask[]): Promise<number> => {
    const overdue = running.filter((task) => isOverdue(task, maxDurationSeconds, Date.now()));
    for (const { id: taskId, token, stage, worker } of overdue) {
      log.warn({ task_id: taskId, stage, worker }, 'task time limit exceeded');
      await claims.fail({ taskId, token, ...timedOut });
      notifyCancelled(taskId);
    }
    return overdue.length;
  };
}
