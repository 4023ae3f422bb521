import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import type { Run, StageRow, Task } from '../generated/client.ts';
import { stages, type Stage } from '@overtone/contracts';

type TaskObject = AnswerOf<typeof dispatcherRoutes.listTasks>['items'][number];
type Timeline = AnswerOf<typeof dispatcherRoutes.fileTimeline>;

const iso = (d: Date | null): string | null => d?.toISOString() ?? null;

/** A task as clients see it. `fraction` is how far it is, 0 to 1, while it is worked on. */
export const taskObjectOf = (t: Task, fraction = 0): TaskObject => ({
  uuid: t.id,
  task_type: t.stage as Stage,
  status: t.status as TaskObject['status'],
  queue: t.queue,
  media_file_id: t.fileId,
  user_id: t.ownerId,
  attempt: t.failures + (t.status === 'in_progress' || t.status === 'completed' ? 1 : 0),
  progress: t.status === 'completed' ? 1 : t.status === 'in_progress' ? fraction : 0,
  created_at: t.createdAt.toISOString(),
  started_at: iso(t.startedAt),
  completed_at: iso(t.completedAt),
  error_code: t.errorCode,
  error_message: t.errorMessage,
});

type StageWithTask = StageRow & { attempts: number };

/** A run's stages in their order, with what each took. */
export const timelineOf = (run: Run, rows: StageWithTask[]): Timeline => ({
  run_id: run.id,
  status: run.status === 'running' && run.waitingFor ? 'waiting' : (run.status as Timeline['status']),
  waiting_for: run.waitingFor as Timeline['waiting_for'],
  audio_duration_s: run.audioDurationS,
  stages: stages.flatMap((stage) => {
    const row = rows.find((r) => r.stage === stage);
    if (!row) return [];
    const seconds =
      row.startedAt && row.completedAt ? (row.completedAt.getTime() - row.startedAt.getTime()) / 1000 : null;
    return [
      {
        stage,
        status: row.status as Timeline['stages'][number]['status'],
        started_at: iso(row.startedAt),
        completed_at: iso(row.completedAt),
        seconds,
        engine_seconds: row.engineSeconds,
        attempts: row.attempts,
      },
    ];
  }),
});
