import type { BodyOf, dispatcherRoutes } from '@overtone/contracts';
import { conflict, type AppError } from '@overtone/service-kit';
import type { Prisma, Run, Task } from '../generated/client.ts';

/** Selects dead jobs by queue, stage and error code. */
export type DeadJobs = BodyOf<typeof dispatcherRoutes.retryDead>;

export function deadJobFilter({ id, queue, task_type, error_code }: DeadJobs & { id?: string }): Prisma.TaskWhereInput {
  return {
    status: 'failed',
    discardedAt: null,
    superseded: false,
    ...(id ? { id } : {}),
    ...(queue ? { queue } : {}),
    ...(task_type ? { stage: task_type } : {}),
    ...(error_code ? { errorCode: error_code } : {}),
  };
}

type RetryRequest = {
  task: Pick<Task, 'status' | 'discardedAt' | 'superseded' | 'stage' | 'runId'>;
  run: Pick<Run, 'id' | 'status'> | null;
  /** The file's latest run. */
  latestRunId: string | null;
  /** A newer index task outside a run waits for the file. */
  isReplaced: boolean;
};
/**
 * The effect of a retry. `reopen-run`: the run continues from this stage. `retry-task`: only the task is retried, its run
 * stays ended. `already-open`: the task is pending or in progress, nothing changes.
 */
export type Retry =
  { kind: 'reopen-run' } | { kind: 'retry-task' } | { kind: 'already-open' } | { kind: 'refused'; error: AppError };

export function decideRetry({ task, run, latestRunId, isReplaced }: RetryRequest): Retry {
  if (task.status === 'pending' || task.status === 'in_progress') return { kind: 'already-open' };
  if (task.status !== 'failed') return refuse(notDead('This task did not fail.'));
  if (task.discardedAt !== null) return refuse(notDead('This task was discarded.'));
  if (task.superseded || isReplaced) return refuse(superseded('A newer task does this for the file.'));
  if (!run) return { kind: 'retry-task' };
  if (run.id !== latestRunId) return refuse(superseded('The file has been processed again since.'));
  if (run.status === 'cancelled') return refuse(superseded('The processing of the file was stopped since.'));
  if (run.status === 'running') return refuse(runInProgress());
  return task.stage === 'index' ? { kind: 'retry-task' } : { kind: 'reopen-run' };
}

export function notDead(message: string): AppError {
  return conflict('task_not_dead', message);
}

function superseded(message: string): AppError {
  return conflict('task_superseded', message);
}

function runInProgress(): AppError {
  return conflict('run_under_way', 'The file is being processed without this stage. Retry it when that is done.');
}

export function fileDeleted(): AppError {
  return conflict('file_deleted', 'The file of this task was deleted. There is nothing to retry; discard the task.');
}

function refuse(error: AppError): Retry {
  return { kind: 'refused', error };
}
