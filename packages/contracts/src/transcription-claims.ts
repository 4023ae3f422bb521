import { z } from 'zod';
import { providerState } from './asr-providers.ts';
import { defineRpc, queues } from './define.ts';
import { reportedSettings } from './engine-settings.ts';
import { workerGpu } from './gpu.ts';
import { engineInfo } from './transcription.ts';
import { lanes } from './transcription-jobs.ts';

const claimedTask = { taskId: z.uuid(), token: z.int() };
export const dispatcherRpc = {
  /**
   * Sent by a worker that holds a job signal. `claimed`: the next task; the same one for the same claim id. `gone`: no task
   * waits, the signal is superfluous. `wait`: no task for this worker and lane now, the signal is returned.
   */
  claim: defineRpc('transcription-dispatcher', 'claim', {
    request: z.object({
      claimId: z.uuid(),
      durable: z.string().max(100),
      workerId: z.string().max(200),
      lane: z.enum(lanes),
      /** The jobs this worker knows; another version may know others. */
      subjects: z.array(z.string().max(200)).min(1).max(50),
      /** Tasks that this worker has no room for now. */
      except: z.array(z.uuid()).max(500).optional(),
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
    request: z.object({ ...claimedTask, output: z.unknown() }),
    reply: z.object({ outcome: z.enum(['accepted', 'stale']) }),
  }),
  fail: defineRpc('transcription-dispatcher', 'fail', {
    request: z.object({
      ...claimedTask,
      code: z.string().max(100),
      message: z.string().max(2000),
      retryable: z.boolean(),
    }),
    reply: z.object({ outcome: z.enum(['retry', 'failed', 'stale']) }),
  }),
  /**
   * The task goes back to its queue without counting an attempt: to its head, because the worker stops (drain), or to its
   * position, because this worker has no room for it.
   */
  release: defineRpc('transcription-dispatcher', 'release', {
    request: z.object({ ...claimedTask, keepsPosition: z.boolean().optional() }),
    reply: z.object({ outcome: z.enum(['released', 'stale']) }),
  }),
  /** Whether a queue is paused, for jobs that are fenced by their handler; other jobs learn it from their claim. */
  paused: defineRpc('transcription-dispatcher', 'paused', {
    request: z.object({ queue: z.enum(queues) }),
    reply: z.object({ paused: z.boolean() }),
    timeoutMs: 2_000,
  }),
  /**
   * What the live speech engines can do. `languages`: ISO codes, null: any, or no engine is live. `translates`: whether one
   * of them translates to English, null: unknown. `providers`: those that may be chosen for an upload.
   */
  languages: defineRpc('transcription-dispatcher', 'languages', {
    request: z.object({}),
    reply: z.object({
      languages: z.array(z.string()).nullable(),
      translates: z.boolean().nullish(),
      providers: z.array(z.object({ id: z.uuid(), name: z.string(), translates: z.boolean().nullable() })).optional(),
    }),
    timeoutMs: 2_000,
  }),
};

/** The model name of word vectors, which the workers use without a sentence model; they rank much worse than words. */
export const wordVectorModel = 'wink-sg-100d-sif1';

export const workerRpc = {
  /**
   * Vectors of texts, with one model for documents and queries; normalised, base64 of little-endian float32. `model`: of an
   * index that another model will replace; without it the current model.
   */
  embed: defineRpc('transcription-worker', 'embed', {
    request: z.object({
      texts: z.array(z.string()).min(1).max(256),
      kind: z.enum(['query', 'document']),
      model: z.string().optional(),
    }),
    reply: z.object({ model: z.string(), dim: z.int(), vectors: z.array(z.string()) }),
    timeoutMs: 30_000,
    longRunning: true,
  }),
  /** The model that finds names, by name and content; null: none is installed. */
  namesModel: defineRpc('transcription-worker', 'names-model', {
    request: z.object({}),
    reply: z.object({ model: z.string().nullable() }),
    timeoutMs: 5_000,
  }),
  /** The names of people in consecutive texts, as characters of each text; fails when `model` is not the installed one. */
  findNames: defineRpc('transcription-worker', 'find-names', {
    request: z.object({ model: z.string(), texts: z.array(z.string()).min(1).max(500) }),
    reply: z.object({ names: z.array(z.array(z.tuple([z.int(), z.int()]))) }),
    timeoutMs: 60_000,
    longRunning: true,
  }),
};

/**
 * After how much silence a worker or its task counts as lost. A worker writes every `everyMs` an entry that is valid for
 * `lifeMs`. After an interruption of its own watch the dispatcher waits `graceMs` before a missing entry means a loss.
 * The broker deletes an entry after `bucketLifeMs`: until then an expired one shows as orphaned.
 */
export const liveness = {
  heartbeat: { everyMs: 1_000, lifeMs: 4_000, graceMs: 3_000 },
  lease: { everyMs: 5_000, lifeMs: 15_000, graceMs: 7_000 },
  bucketLifeMs: 60_000,
};

/** Bucket LEASES, key `task.<taskId>`: renewed by the worker that holds the task. */
export const leaseValue = z.object({
  worker: z.string(),
  service: z.string(),
  queue: z.string(),
  token: z.int(),
  /** Reply subject of the held job signal, to acknowledge it after the worker's death. */
  ticket: z.string().default(''),
  /** The task only waits for another server. */
  remote: z.boolean().optional(),
  /** Time of writing by the same clock as the other two: on other hosts only their differences are valid. */
  saidAt: z.int().optional(),
  deliveredAt: z.int(),
  expiresAt: z.int(),
});
/** Bucket WORKERS, key `worker.<id>`: a worker's heartbeat and current capabilities. */
export const workerValue = z.object({
  service: z.string(),
  /** Durables it pulls from, `<queue>-<domain>`. */
  pulls: z.array(z.string()),
  /** Speech engine ready to serve, or null. */
  engine: engineInfo.nullable(),
  engineNote: z.string().nullable(),
  /** The fetched share of the speech model, while recordings wait for it. */
  speechModelPercent: z.int().nullish(),
  /** ISO codes that the engine can transcribe; empty: any. */
  languages: z.array(z.string()).nullish(),
  /** Absent if the service does not use GPUs. */
  gpu: workerGpu.nullish(),
  /** Effective engine settings; absent if the service has no speech engines. */
  settings: reportedSettings.nullish(),
  /** The engines that this worker tries, in order. */
  engines: z.array(providerState).nullish(),
  /** As in a lease. */
  saidAt: z.int().optional(),
  expiresAt: z.int(),
});
