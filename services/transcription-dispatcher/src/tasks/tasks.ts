import { stages, type AnswerOf, type dispatcherRoutes, type Queue, type Stage } from '@overtone/contracts';
import type { Run, StageRow, Task, TaskAttempt } from '../generated/client.ts';

export type TaskObject = AnswerOf<typeof dispatcherRoutes.listTasks>['items'][number];
type TaskDetail = AnswerOf<typeof dispatcherRoutes.task>;
type TryObject = TaskDetail['tries'][number];
type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;

/** Number of ended tasks kept and shown (specification, "Limits": task monitor). */
export const keptTasks = 10_000;

/** Failed permanently, and neither retried nor discarded yet. */
export function isDead(task: Pick<Task, 'status' | 'discardedAt' | 'superseded'>): boolean {
  return task.status === 'failed' && task.discardedAt === null && !task.superseded;
}

/** Values beside the task's row: its progress, 0 to 1, and its file's title. */
type TaskExtras = { fraction: number; title: string | null };

/** A task as an API object. */
export function taskObjectOf(task: Task, { fraction, title }: TaskExtras): TaskObject {
  return {
    uuid: task.id,
    task_type: task.stage as Stage,
    status: task.status as TaskObject['status'],
    queue: task.queue as Queue,
    media_file_id: task.fileId,
    file_title: title,
    user_id: task.ownerId,
    worker: task.worker,
    attempt: attemptOf(task),
    progress: task.status === 'completed' ? 1 : task.status === 'in_progress' ? fraction : 0,
    created_at: task.createdAt.toISOString(),
    started_at: iso(task.startedAt),
    completed_at: iso(task.completedAt),
    next_attempt_at: iso(task.nextAttemptAt),
    error_code: task.errorCode,
    error_message: task.errorMessage,
    dead: isDead(task),
  };
}

/** Counted attempts; a lost worker does not count. */
export function attemptOf(task: Pick<Task, 'failures' | 'status'>): number {
  return task.failures + (task.status === 'in_progress' || task.status === 'completed' ? 1 : 0);
}

/** Attempts in the order of their claims, numbered from one. */
export function toAttemptObjects(attempts: TaskAttempt[]): TryObject[] {
  return attempts
    .toSorted((left, right) => left.claimedAt.getTime() - right.claimedAt.getTime() || left.token - right.token)
    .map((attempt, i) => ({
      number: i + 1,
      worker: attempt.worker,
      started_at: attempt.claimedAt.toISOString(),
      ended_at: iso(attempt.endedAt),
      outcome: attempt.outcome as TryObject['outcome'],
      error_code: attempt.errorCode,
      error_message: attempt.errorMessage,
    }));
}

type TaskWithAttempts = Task & { attempts: TaskAttempt[] };
type StageTiming = Timeline['stages'][number];

function stageOf(row: StageRow, tasks: TaskWithAttempts[]): StageTiming {
  const current = tasks.find((task) => !task.superseded);
  const { startedAt, completedAt } = row;
  return {
    stage: row.stage as Stage,
    status: row.status as StageTiming['status'],
    started_at: iso(startedAt),
    completed_at: iso(completedAt),
    seconds: startedAt && completedAt ? (completedAt.getTime() - startedAt.getTime()) / 1000 : null,
    engine_seconds: row.engineSeconds,
    attempts: current ? attemptOf(current) : 0,
    tries: toAttemptObjects(tasks.flatMap((task) => task.attempts)),
  };
}

/** A run's stages in order, with their durations and attempts. */
export function timelineOf(
  run: Run,
  rows: StageRow[],
  tasks: TaskWithAttempts[],
  { pausedReason, speechModelPercent }: { pausedReason: string | null; speechModelPercent: number | null },
): Timeline {
  return {
    run_id: run.id,
    status: run.status === 'running' && run.waitingFor ? 'waiting' : (run.status as Timeline['status']),
    waiting_for: run.waitingFor as Timeline['waiting_for'],
    paused_reason: pausedReason,
    speech_model_percent: speechModelPercent,
    audio_duration_s: run.audioDurationS,
    created_at: run.createdAt.toISOString(),
    completed_at: iso(run.completedAt),
    stages: rows
      .toSorted((left, right) => stages.indexOf(left.stage as Stage) - stages.indexOf(right.stage as Stage))
      .map((row) =>
        stageOf(
          row,
          tasks.filter((task) => task.stage === row.stage),
        ),
      ),
  };
}

function iso(definition: Date | null): string | null {
  return definition?.toISOString() ?? null;
}
