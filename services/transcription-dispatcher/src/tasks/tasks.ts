import { stages, type AnswerOf, type dispatcherRoutes, type Queue, type Stage } from '@overtone/contracts';
import type { Run, StageRow, Task, TaskAttempt } from '../generated/client.ts';

export type TaskObject = AnswerOf<typeof dispatcherRoutes.listTasks>['items'][number];
type TaskDetail = AnswerOf<typeof dispatcherRoutes.task>;
type TryObject = TaskDetail['tries'][number];
type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;

/** So many tasks are kept and shown (specification, "Limits": task monitor). */
export const keptTasks = 10_000;

const iso = (d: Date | null): string | null => d?.toISOString() ?? null;

/** Failed for good, and nobody has decided yet what becomes of it. */
export const isDead = (t: Pick<Task, 'status' | 'discardedAt' | 'superseded'>): boolean =>
  t.status === 'failed' && t.discardedAt === null && !t.superseded;

/** What is known of a task besides its row: how far it is, 0 to 1, and its file's name. */
type Beside = { fraction: number; title: string | null };

/** A task as clients see it. */
export const taskObjectOf = (t: Task, { fraction, title }: Beside): TaskObject => ({
  uuid: t.id,
  task_type: t.stage as Stage,
  status: t.status as TaskObject['status'],
  queue: t.queue as Queue,
  media_file_id: t.fileId,
  file_title: title,
  user_id: t.ownerId,
  worker: t.worker,
  attempt: attemptOf(t),
  progress: t.status === 'completed' ? 1 : t.status === 'in_progress' ? fraction : 0,
  created_at: t.createdAt.toISOString(),
  started_at: iso(t.startedAt),
  completed_at: iso(t.completedAt),
  next_attempt_at: iso(t.nextAttemptAt),
  error_code: t.errorCode,
  error_message: t.errorMessage,
  dead: isDead(t),
});

/** Tries that count: a worker that was lost took none away. */
export const attemptOf = (t: Pick<Task, 'failures' | 'status'>): number =>
  t.failures + (t.status === 'in_progress' || t.status === 'completed' ? 1 : 0);

/** Tries in the order they were begun in, numbered from one. */
export const triesOf = (attempts: TaskAttempt[]): TryObject[] =>
  attempts
    .toSorted((a, b) => a.claimedAt.getTime() - b.claimedAt.getTime() || a.token - b.token)
    .map((a, i) => ({
      number: i + 1,
      worker: a.worker,
      started_at: a.claimedAt.toISOString(),
      ended_at: iso(a.endedAt),
      outcome: a.outcome as TryObject['outcome'],
      error_code: a.errorCode,
      error_message: a.errorMessage,
    }));

type WithTries = Task & { attempts: TaskAttempt[] };
type StageTiming = Timeline['stages'][number];

const stageOf = (row: StageRow, tasks: WithTries[]): StageTiming => {
  const current = tasks.find((t) => !t.superseded);
  const { startedAt, completedAt } = row;
  return {
    stage: row.stage as Stage,
    status: row.status as StageTiming['status'],
    started_at: iso(startedAt),
    completed_at: iso(completedAt),
    seconds: startedAt && completedAt ? (completedAt.getTime() - startedAt.getTime()) / 1000 : null,
    engine_seconds: row.engineSeconds,
    attempts: current ? attemptOf(current) : 0,
    tries: triesOf(tasks.flatMap((t) => t.attempts)),
  };
};

/** A run's stages in their order, with what each took and how often it was tried. */
export const timelineOf = (run: Run, rows: StageRow[], tasks: WithTries[], pausedReason: string | null): Timeline => ({
  run_id: run.id,
  status: run.status === 'running' && run.waitingFor ? 'waiting' : (run.status as Timeline['status']),
  waiting_for: run.waitingFor as Timeline['waiting_for'],
  paused_reason: pausedReason,
  audio_duration_s: run.audioDurationS,
  created_at: run.createdAt.toISOString(),
  completed_at: iso(run.completedAt),
  stages: stages.flatMap((stage) => {
    const row = rows.find((r) => r.stage === stage);
    return row
      ? [
          stageOf(
            row,
            tasks.filter((t) => t.stage === stage),
          ),
        ]
      : [];
  }),
});
