import { z } from 'zod';
import { defineRpc, queues } from './define.ts';
import { workerGpu } from './gpu.ts';
import { engineInfo } from './transcription.ts';
import { lanes } from './transcription-jobs.ts';

const held = { taskId: z.uuid(), token: z.int() };
export const dispatcherRpc = {
  /**
   * Asked with a ticket in hand. `claimed`: the task that is next; asked again with the same claim id, the same task.
   * `gone`: none waits, the ticket is one too many. `wait`: none for this worker and lane now, the ticket goes back.
   */
  claim: defineRpc('transcription-dispatcher', 'claim', {
    request: z.object({
      claimId: z.uuid(),
      durable: z.string().max(100),
      workerId: z.string().max(200),
      lane: z.enum(lanes),
      /** The jobs this worker knows; another version may know others. */
      subjects: z.array(z.string().max(200)).min(1).max(50),
    }),
    reply: z.discriminatedUnion('outcome', [
      z.object({
        outcome: z.literal('claimed'),
        taskId: z.uuid(),
        subject: z.string(),
        input: z.unknown(),
        token: z.int(),
        attempt: z.int(),
        traceparent: z.string().nullable(),
      }),
      z.object({ outcome: z.literal('gone') }),
      z.object({ outcome: z.literal('wait'), retryInMs: z.int() }),
    ]),
  }),
  /** `stale`: the token was superseded or the run was cancelled; the worker drops its result. */
  complete: defineRpc('transcription-dispatcher', 'complete', {
    request: z.object({ ...held, output: z.unknown() }),
    reply: z.object({ outcome: z.enum(['accepted', 'stale']) }),
  }),
  fail: defineRpc('transcription-dispatcher', 'fail', {
    request: z.object({ ...held, code: z.string().max(100), message: z.string().max(2000), retryable: z.boolean() }),
    reply: z.object({ outcome: z.enum(['retry', 'failed', 'stale']) }),
  }),
  /** The worker stops (drain): the task goes back to its queue without counting an attempt. */
  release: defineRpc('transcription-dispatcher', 'release', {
    request: z.object(held),
    reply: z.object({ outcome: z.enum(['released', 'stale']) }),
  }),
  /** For jobs that their handler fences: whether an administrator holds the queue. The others learn it by their claim. */
  paused: defineRpc('transcription-dispatcher', 'paused', {
    request: z.object({ queue: z.enum(queues) }),
    reply: z.object({ paused: z.boolean() }),
    timeoutMs: 2_000,
  }),
  /** ISO codes that the live speech engines can transcribe; null: any, or no engine is live. */
  languages: defineRpc('transcription-dispatcher', 'languages', {
    request: z.object({}),
    reply: z.object({ languages: z.array(z.string()).nullable() }),
    timeoutMs: 2_000,
  }),
};

export const workerRpc = {
  /** Vectors for texts; one vectoriser for documents and queries. Vectors are normalised, base64 of little-endian float32. */
  embed: defineRpc('transcription-worker', 'embed', {
    request: z.object({ texts: z.array(z.string()).min(1).max(256), kind: z.enum(['query', 'document']) }),
    reply: z.object({ model: z.string(), dim: z.int(), vectors: z.array(z.string()) }),
    timeoutMs: 10_000,
  }),
};

/** Bucket LEASES, key `task.<taskId>`: renewed every 5 s by the worker that holds the task. */
export const leaseValue = z.object({
  worker: z.string(),
  service: z.string(),
  queue: z.string(),
  token: z.int(),
  /** Where the ticket in the worker's hand is given back, should the worker die. */
  ticket: z.string().default(''),
  /** When this was written, by the same clock as the other two: only what lies between them means anything elsewhere. */
  saidAt: z.int().optional(),
  deliveredAt: z.int(),
  expiresAt: z.int(),
});
/** Bucket WORKERS, key `worker.<id>`, renewed every second: a worker process lives, and what it can do now. */
export const workerValue = z.object({
  service: z.string(),
  /** Durables it pulls from, `<queue>-<domain>`. */
  pulls: z.array(z.string()),
  /** Speech engine ready to serve, or null. */
  engine: engineInfo.nullable(),
  engineNote: z.string().nullable(),
  /** ISO codes that the engine can transcribe; empty: any. */
  languages: z.array(z.string()).nullish(),
  /** Absent where a service knows nothing of GPUs. */
  gpu: workerGpu.nullish(),
  /** As in a lease. */
  saidAt: z.int().optional(),
  expiresAt: z.int(),
});
