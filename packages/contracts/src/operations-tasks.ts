import { z } from 'zod';
import { queues } from './define.ts';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { stages, waitingReasons } from './transcription.ts';

const route = routesOf('transcription-dispatcher');

/** Outcome of an attempt; `lost`: its worker died, `released`: its worker stopped gracefully. */
export const tryOutcomes = ['running', 'completed', 'failed', 'released', 'lost', 'cancelled'] as const;
export const tryObject = z.object({
  number: z.int(),
  worker: z.string().nullable(),
  started_at: time,
  ended_at: time.nullable(),
  outcome: z.enum(tryOutcomes),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});

export const taskObject = z.object({
  uuid: z.uuid(),
  task_type: z.enum(stages),
  status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']),
  queue: z.enum(queues),
  media_file_id: z.uuid(),
  /** null: the file was deleted, or media does not respond. */
  file_title: z.string().nullable(),
  user_id: z.uuid(),
  worker: z.string().nullable(),
  attempt: z.int(),
  progress: z.number(),
  created_at: time,
  started_at: time.nullable(),
  completed_at: time.nullable(),
  /** Time of the next attempt after a failure. */
  next_attempt_at: time.nullable(),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  /** Failed permanently, and neither retried nor discarded. */
  dead: z.boolean(),
});

export const stageTiming = z.object({
  stage: z.enum(stages),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'cancelled']),
  started_at: time.nullable(),
  completed_at: time.nullable(),
  seconds: z.number().nullable(),
  engine_seconds: z.number().nullable(),
  attempts: z.int(),
  tries: z.array(tryObject),
});

/** Dead jobs that have queue, stage and error in common. */
export const deadKind = z.object({
  queue: z.enum(queues),
  task_type: z.enum(stages),
  error_code: z.string().nullable(),
  count: z.int(),
  newest_at: time,
  oldest_at: time,
});
const kind = {
  queue: z.enum(queues).optional(),
  task_type: z.enum(stages).optional(),
  error_code: text(100).optional(),
};

export const taskRoutes = {
  listTasks: route('GET', '/api/tasks', 'user', {
    summary: "The newest 10,000 matching tasks of the caller's files; an administrator sees those of all users",
    query: z.object({
      ...pageQuery,
      status: taskObject.shape.status.optional(),
      task_type: z.enum(stages).optional(),
      queue: z.enum(queues).optional(),
      file: z.uuid().optional(),
      owner: z.uuid().optional(),
      /** Matches text of the error or the worker's name, or the start of an id. */
      q: text(100).trim().optional(),
    }),
    answer: pageOf(taskObject),
  }),
  deadTasks: route('GET', '/api/tasks/dead', 'admin', {
    summary: 'Dead tasks, by kind and one by one, newest first',
    query: z.object({ ...pageQuery, ...kind }),
    answer: pageOf(taskObject).extend({ kinds: z.array(deadKind) }),
  }),
  retryDead: route('POST', '/api/tasks/dead/retry', 'admin', {
    summary: 'Retry all dead tasks of a kind, at most 1,000 per call',
    body: z.strictObject(kind),
    answer: z.object({
      retried: z.int(),
      refused: z.array(z.object({ uuid: z.uuid(), code: z.string(), message: z.string() })),
      remaining: z.int(),
    }),
  }),
  discardDead: route('POST', '/api/tasks/dead/discard', 'admin', {
    summary: 'Discard all dead tasks of a kind; their files do not change',
    body: z.strictObject(kind),
    answer: z.object({ discarded: z.int() }),
  }),
  recoverStuck: route('POST', '/api/tasks/recover-stuck-tasks', 'admin', {
    summary: 'Reset stuck transcription tasks to a retryable state',
    answer: z.object({ success: z.boolean(), count: z.int(), total: z.int(), message: z.string() }),
  }),
  fileTimeline: route('GET', '/api/tasks/files/{uuid}', 'user', {
    summary: "Stages of a file's latest run with their timing and all attempts, for users who may read the file",
    answer: z.object({
      run_id: z.uuid(),
      status: z.enum(['running', 'waiting', 'completed', 'failed', 'cancelled']),
      waiting_for: z.enum(waitingReasons).nullable(),
      /** Why the queue is paused, while the file waits for it. */
      paused_reason: z.string().nullable(),
      /** The fetched share of the speech model, while the file waits for it. */
      speech_model_percent: z.int().nullable(),
      audio_duration_s: z.number().nullable(),
      created_at: time,
      completed_at: time.nullable(),
      stages: z.array(stageTiming),
    }),
  }),
  task: route('GET', '/api/tasks/{uuid}', 'user', {
    summary: 'One task with its attempts',
    answer: taskObject.extend({ tries: z.array(tryObject) }),
  }),
  retryTask: route('POST', '/api/tasks/{uuid}/retry', 'admin', {
    summary: 'Retry a dead task; its failures count from zero again, and its run and file continue',
    answer: taskObject,
    errors: ['task_not_dead', 'task_superseded', 'run_under_way', 'file_deleted'],
  }),
  discardTask: route('DELETE', '/api/tasks/{uuid}', 'admin', {
    summary: 'Discard a dead task; its file does not change',
    errors: ['task_not_dead'],
  }),
};
