import type { Stage } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { Run, Task } from '../generated/client.ts';
import type { Runs, StageError } from '../runs/runs.ts';
import type { TaskStore } from './tasks.store.ts';

type Claimed = { taskId: string; token: number };
export type FailuresDeps = {
  db: Db;
  tasks: Pick<TaskStore, 'lockTask' | 'fail' | 'requeueIn'>;
  runs: Pick<Runs, 'lock' | 'giveUp'>;
};

/** An index task that has used up its attempts is retried at this interval without a limit, so that the file becomes searchable. */
const indexRetryMs = 10 * 60_000;
/** Why a task failed whose workers were lost too often; also recorded at each lost attempt. */
export const lostWorker: StageError = {
  code: 'job_lost',
  message: 'The task lost its worker too often',
  retryable: true,
};

/** Fails tasks permanently, with the effect on their run. */
export function createFailures({ db, tasks, runs }: FailuresDeps) {
  /** Runs `work` with run and task locked, in this order, if `token` is still the task's latest. */
  const withLockedTask = <T>(
    { taskId, token }: Claimed,
    work: (tx: Tx, task: Task, run: Run | null) => Promise<T>,
  ): Promise<T | 'stale'> =>
    db.$transaction(async (tx) => {
      const found = await tx.task.findUnique({ where: { id: taskId }, select: { runId: true } });
      if (!found) return 'stale';
      const run = found.runId ? await runs.lock(tx, found.runId) : null;
      const task = await tasks.lockTask(tx, taskId);
      return task?.token === token ? work(tx, task, run) : 'stale';
    });

  const giveUp = async (tx: Tx, task: Task, run: Run | null, error: StageError): Promise<void> => {
    if (run?.status === 'running') await runs.giveUp(tx, run, task.stage as Stage, error);
  };

  return {
    /** @returns undefined when the task has ended since it was read. */
    failUsedUp: (claimed: Claimed, error: StageError): Promise<'retry' | 'failed' | 'stale' | undefined> =>
      withLockedTask(claimed, async (tx, task, run) => {
        if (task.status !== 'in_progress') return undefined;
        if (task.stage === 'index' && error.retryable) {
          await giveUp(tx, task, run, error);
          await tasks.requeueIn(tx, {
            id: task.id,
            token: task.token,
            outcome: 'failed',
            error: { code: error.code, message: error.message },
            pauseMs: indexRetryMs,
          });
          return 'retry';
        }
        await tasks.fail(tx, task, 'failed', error);
        await giveUp(tx, task, run, error);
        return 'failed';
      }),

    /** @returns false when the task ended or was claimed again since it was read. */
    failLost: async (claimed: Claimed): Promise<boolean> => {
      const outcome = await withLockedTask(claimed, async (tx, task, run) => {
        if (task.status !== 'in_progress') return 'stale';
        await tasks.fail(tx, task, 'lost', lostWorker);
        await giveUp(tx, task, run, lostWorker);
        return 'failed';
      });
      return outcome === 'failed';
    },
  };
}

export type Failures = ReturnType<typeof createFailures>;
