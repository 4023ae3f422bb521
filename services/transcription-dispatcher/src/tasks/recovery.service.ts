import type { Outbox } from '@overtone/database';
import type { Log } from '@overtone/service-kit';
import { txOptions, type Db } from '../database.ts';
import { recordOperation, type Operator } from '../operator.ts';
import type { Claims } from './claims.service.ts';
import { isOverdue } from './loss.ts';
import type { LostSignals } from './lost-signals.service.ts';
import type { LostWorkers, Recovered } from './lost-workers.service.ts';
import type { OpenTasks, RunningTask } from './open-tasks.read-model.ts';
import { timeoutCode } from './requeue.store.ts';

export type RecoveryDeps = {
  db: Db;
  outbox: Outbox;
  openTasks: OpenTasks;
  lostWorkers: LostWorkers;
  lostSignals: LostSignals;
  claims: Pick<Claims, 'fail'>;
  notifyCancelled: (taskId: string) => void;
  /** Minimum time limit of a task. */
  maxDurationSeconds: number;
  log: Log;
};
const timedOut = { code: timeoutCode, message: 'The task exceeded its time limit', retryable: true };

/** Repairs what a crash leaves behind: tasks of dead workers, tasks beyond their time limit, and lost job signals. */
export function createRecovery({
  db,
  outbox,
  openTasks,
  lostWorkers,
  lostSignals,
  claims,
  notifyCancelled,
  maxDurationSeconds,
  log,
}: RecoveryDeps) {
  const failOverdueTasks = async (running: RunningTask[]): Promise<number> => {
    const overdue = running.filter((task) => isOverdue(task, maxDurationSeconds, Date.now()));
    for (const { id: taskId, token, stage, worker } of overdue) {
      log.warn({ task_id: taskId, stage, worker }, 'task time limit exceeded');
      await claims.fail({ taskId, token, ...timedOut });
      notifyCancelled(taskId);
    }
    return overdue.length;
  };

  /**
   * Requeues running tasks without a live lease, and fails those whose worker still renews the lease but has exceeded
   * the time limit; these are retried like any other failure.
   */
  const checkRunningTasks = async (): Promise<{ lost: Recovered; overdue: number }> => {
    const running = await openTasks.running();
    const lostTasks = new Set(lostWorkers.findLostTasks(running));
    return {
      lost: await lostWorkers.requeueAll([...lostTasks]),
      overdue: await failOverdueTasks(running.filter((task) => !lostTasks.has(task))),
    };
  };

  return {
    checkRunningTasks,
    /** Requeues running tasks without a live lease under a new token. */
    requeueLostTasks: async (): Promise<Recovered> =>
      lostWorkers.requeueAll(lostWorkers.findLostTasks(await openTasks.running())),
    /** Runs all periodic repairs immediately at an administrator's request. */
    recoverStuck: async (operator: Operator): Promise<Recovered> => {
      const { lost, overdue } = await checkRunningTasks();
      const others = overdue + (await lostSignals.replace(0));
      const reset = lost.reset + others;
      // Every task was requeued in its own transaction; this record covers the whole request.
      if (reset > 0)
        await db.$transaction(
          (tx) => recordOperation(tx, outbox, operator, 'stuck_recovered', { count: reset }),
          txOptions,
        );
      return { found: lost.found + others, reset };
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
