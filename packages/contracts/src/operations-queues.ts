import { z } from 'zod';
import { queues } from './define.ts';
import { workerGpu } from './gpu.ts';
import { routesOf, text, time } from './http.ts';
import { engineInfo, stages } from './transcription.ts';

const route = routesOf('transcription-dispatcher');

export const queuePause = z.object({
  reason: z.string(),
  by: z.uuid(),
  /** null: the account was deleted, or identity does not respond. */
  by_name: z.string().nullable(),
  at: time,
});
export const queueObject = z.object({
  queue: z.enum(queues),
  depth: z.int(),
  reserved: z.int(),
  orphaned: z.int(),
  oldest_unacked_seconds: z.number(),
  /** Failed tasks that wait for their backoff. */
  retrying: z.int(),
  dead: z.int(),
  paused: queuePause.nullable(),
});
export const workerObject = z.object({
  id: z.string(),
  service: z.string(),
  /** The durables it pulls from, `<queue>-<domain>`. */
  pulls: z.array(z.string()),
  engine: engineInfo.nullable(),
  note: z.string().nullable(),
  /** Offline workers are listed for ten minutes. */
  state: z.enum(['online', 'offline']),
  since: time,
  last_seen: time,
  doing: z.array(
    z.object({
      task_uuid: z.uuid(),
      stage: z.enum(stages),
      media_file_id: z.uuid(),
      file_title: z.string().nullable(),
      progress: z.number(),
      since: time,
    }),
  ),
});

const queueParams = z.object({ queue: z.enum(queues) });

export const queueRoutes = {
  queues: route('GET', '/api/admin/queues', 'admin', {
    summary: 'Queues with their waiting and held tasks, and workers with their running tasks',
    answer: z.object({ queues: z.array(queueObject), workers: z.array(workerObject), at: time }),
    errors: ['broker_unavailable'],
  }),
  pauseQueue: route('POST', '/api/admin/queues/{queue}/pause', 'admin', {
    summary: 'Pause a queue; running tasks are finished',
    params: queueParams,
    body: z.strictObject({ reason: text(500).trim().min(1) }),
    answer: queuePause,
  }),
  resumeQueue: route('POST', '/api/admin/queues/{queue}/resume', 'admin', {
    summary: 'Resume a paused queue',
    params: queueParams,
    answer: z.object({ resumed: z.boolean() }),
  }),
  engines: route('GET', '/api/admin/engines', 'admin', {
    summary: 'Speech engines of the live workers',
    answer: z.object({
      workers: z.array(
        z.object({
          id: z.string(),
          service: z.string(),
          pulls: z.array(z.string()),
          engine: engineInfo.nullable(),
          note: z.string().nullable(),
          /** null: the service does not use GPUs. */
          gpu: workerGpu.nullable(),
        }),
      ),
    }),
  }),
};
