import { z } from 'zod';
import { queues } from './define.ts';
import { workerGpu } from './gpu.ts';
import { routesOf, text, time } from './http.ts';
import { engineInfo, stages } from './transcription.ts';

const route = routesOf('transcription-dispatcher');

export const queuePause = z.object({
  reason: z.string(),
  by: z.uuid(),
  /** null: the account is gone, or identity cannot be asked just now. */
  by_name: z.string().nullable(),
  at: time,
});
export const queueObject = z.object({
  queue: z.enum(queues),
  depth: z.int(),
  reserved: z.int(),
  orphaned: z.int(),
  oldest_unacked_seconds: z.number(),
  /** Failed tries that wait until their pause is over. */
  retrying: z.int(),
  dead: z.int(),
  paused: queuePause.nullable(),
});
export const workerObject = z.object({
  id: z.string(),
  service: z.string(),
  /** What it takes, as `<queue>-<domain>`. */
  pulls: z.array(z.string()),
  engine: engineInfo.nullable(),
  note: z.string().nullable(),
  /** Offline workers stay for ten minutes. */
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
  queues: route({
    method: 'GET',
    path: '/api/admin/queues',
    access: 'admin',
    summary: 'Queues with what waits and what is held, and the workers with what they do',
    answer: z.object({ queues: z.array(queueObject), workers: z.array(workerObject), at: time }),
    errors: ['broker_unavailable'],
  }),
  pauseQueue: route({
    method: 'POST',
    path: '/api/admin/queues/{queue}/pause',
    access: 'admin',
    summary: 'Start nothing new in a queue; what runs is finished',
    params: queueParams,
    body: z.strictObject({ reason: text(500).trim().min(1) }),
    answer: queuePause,
  }),
  resumeQueue: route({
    method: 'POST',
    path: '/api/admin/queues/{queue}/resume',
    access: 'admin',
    summary: 'Go on with a paused queue',
    params: queueParams,
    answer: z.object({ resumed: z.boolean() }),
  }),
  engines: route({
    method: 'GET',
    path: '/api/admin/engines',
    access: 'admin',
    summary: 'Speech engines of the live workers',
    answer: z.object({
      workers: z.array(
        z.object({
          id: z.string(),
          service: z.string(),
          pulls: z.array(z.string()),
          engine: engineInfo.nullable(),
          note: z.string().nullable(),
          /** null: it knows nothing of GPUs. */
          gpu: workerGpu.nullable(),
        }),
      ),
    }),
  }),
};
