import { stages, type Stage } from '@overtone/contracts';
import { conflict, type AppError } from '@overtone/service-kit';
import type { Run, Task } from '../generated/client.ts';

type Judged = {
  task: Pick<Task, 'status' | 'discardedAt' | 'superseded' | 'stage' | 'runId'>;
  run: Pick<Run, 'id' | 'status'> | null;
  /** The file's newest run. */
  latestRunId: string | null;
  /** Another order outside a run waits to index the file. */
  replaced: boolean;
};
/**
 * What a retry comes to. `reopen`: the run goes on from this stage. `again`: the task alone is tried again, its run
 * stays as it ended. `under-way`: it is being tried already, nothing is to be done.
 */
export type Retry = { kind: 'reopen' } | { kind: 'again' } | { kind: 'under-way' } | { kind: 'refused'; why: AppError };

const refused = (why: AppError): Retry => ({ kind: 'refused', why });

export const judgeRetry = ({ task, run, latestRunId, replaced }: Judged): Retry => {
  if (task.status === 'pending' || task.status === 'in_progress') return { kind: 'under-way' };
  if (task.status !== 'failed') return refused(notDead('This task did not fail.'));
  if (task.discardedAt !== null) return refused(notDead('This task was discarded.'));
  if (task.superseded || replaced) return refused(superseded('A newer task does this for the file.'));
  if (!run) return { kind: 'again' };
  if (run.id !== latestRunId) return refused(superseded('The file has been processed anew since.'));
  if (run.status === 'cancelled') return refused(superseded('The processing of the file was stopped since.'));
  if (run.status === 'running') return refused(runUnderWay());
  return task.stage === 'index' ? { kind: 'again' } : { kind: 'reopen' };
};

/** What a run that goes on from `stage` does anew. */
export const stagesAfter = (stage: Stage): Stage[] => stages.slice(stages.indexOf(stage) + 1);

export const notDead = (message: string): AppError => conflict('task_not_dead', message);
const superseded = (message: string): AppError => conflict('task_superseded', message);
const runUnderWay = (): AppError =>
  conflict('run_under_way', 'The file is being processed without this stage. Retry it when that is done.');
export const fileDeleted = (): AppError =>
  conflict('file_deleted', 'The file of this task was deleted. There is nothing to retry; discard the task.');
