import { z } from 'zod';
import { defineEvent, defineJob, defineLive, defineRpc, queues } from './define.ts';
import { workerGpu } from './gpu.ts';

/** The stages of a run, in order. Each leaves its own artefact, so a later failure costs no earlier result. */
export const stages = ['prepare', 'transcribe', 'diarize', 'assemble', 'index'] as const;
export type Stage = (typeof stages)[number];

// --- Artefacts in the object store -----------------------------------------------------------------------------

export const word = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  confidence: z.number().nullable(),
});
export type Word = z.infer<typeof word>;

/** Which engine made a transcript, stored with it and shown. */
export const engineInfo = z.object({
  provider: z.enum(['sherpa-onnx', 'openai-compatible', 'pocketsphinx', 'scripted']),
  model: z.string(),
  /** `engine`: word times come from the engine; `estimated`: interpolated inside the engine's segments. */
  timing: z.enum(['engine', 'estimated']),
});
export type EngineInfo = z.infer<typeof engineInfo>;

/** `waveform` artefact: absolute peaks 0..127 per interval. */
export const waveformArtefact = z.object({ version: z.literal(1), interval_ms: z.int(), peaks: z.array(z.int()) });
/** `transcribe` artefact. */
export const wordsArtefact = z.object({ language: z.string().nullable(), engine: engineInfo, words: z.array(word) });
export type WordsArtefact = z.infer<typeof wordsArtefact>;
export const turn = z.object({ start: z.number(), end: z.number(), speaker: z.int() });
export type Turn = z.infer<typeof turn>;
/** `diarize` artefact; `degraded` says in words why there is only one speaker. */
export const turnsArtefact = z.object({ provider: z.string(), turns: z.array(turn), degraded: z.string().nullable() });
export type TurnsArtefact = z.infer<typeof turnsArtefact>;
export const assembledSegment = z.object({
  start: z.number(),
  end: z.number(),
  /** Index into `speakers`. */
  speaker: z.int(),
  text: z.string(),
  confidence: z.number().nullable(),
  words: z.array(word),
});
/** `assemble` artefact. */
export const transcriptArtefact = z.object({
  language: z.string().nullable(),
  engine: engineInfo,
  diarization: z.object({ provider: z.string(), degraded: z.string().nullable() }),
  /** Labels in order of appearance: SPEAKER_01, SPEAKER_02, ... */
  speakers: z.array(z.string()),
  segments: z.array(assembledSegment),
});
export type TranscriptArtefact = z.infer<typeof transcriptArtefact>;

// --- Jobs -----------------------------------------------------------------------------------------------------

/** What every stage's job carries. `earlier` holds the artefact keys of the stages that are done. */
const stageInput = z.object({
  runId: z.uuid(),
  fileId: z.uuid(),
  ownerId: z.uuid(),
  earlier: z.partialRecord(z.enum(stages), z.string()),
});
const options = z.object({
  language: z.string().nullable(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
  diarize: z.boolean(),
});
export const runOptions = options;
export type RunOptions = z.infer<typeof options>;

/** Seconds the engine itself worked, apart from what surrounds it; the rest of a stage is our overhead. */
const timing = { engine_seconds: z.number() };

export const prepareOutput = z.object({
  artefact: z.string(),
  /** Key of the 16 kHz mono PCM WAV. */
  audio: z.string(),
  waveform: z.string(),
  thumbnail: z.string().nullable(),
  duration: z.number(),
  truncated: z.boolean(),
  media: z.object({
    format: z.string(),
    audio_codec: z.string().nullable(),
    video_codec: z.string().nullable(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    channels: z.int().nullable(),
    sample_rate: z.int().nullable(),
  }),
  ...timing,
});
export const transcribeOutput = z.object({
  artefact: z.string(),
  engine: engineInfo,
  language: z.string().nullable(),
  words: z.int(),
  ...timing,
});
export const diarizeOutput = z.object({
  artefact: z.string(),
  provider: z.string(),
  speakers: z.int(),
  degraded: z.string().nullable(),
  ...timing,
});
export const assembleOutput = z.object({ artefact: z.string(), segments: z.int(), speakers: z.int(), ...timing });
export const indexOutput = z.object({
  artefact: z.string().nullable(),
  chunks: z.int(),
  semantic: z.boolean(),
  ...timing,
});

/** Jobs of transcription-worker. */
export const workerJobs = {
  prepare: defineJob('job.cpu.media.prepare', {
    input: stageInput.extend({ objectKey: z.string(), contentType: z.string() }),
    output: prepareOutput,
    attempts: 5,
  }),
  transcribe: defineJob('job.gpu.transcription.transcribe', {
    input: stageInput.extend({ audio: z.string(), duration: z.number(), options }),
    output: transcribeOutput,
    attempts: 3,
  }),
  diarize: defineJob('job.gpu.transcription.diarize', {
    input: stageInput.extend({ audio: z.string(), duration: z.number(), options }),
    output: diarizeOutput,
    attempts: 3,
  }),
  assemble: defineJob('job.cpu.transcription.assemble', {
    /** Without `earlier.diarize` everything is said by one speaker, and `degraded` says why. */
    input: stageInput.extend({ duration: z.number(), degraded: z.string().nullish() }),
    output: assembleOutput,
    attempts: 5,
  }),
};
/** Jobs of search-indexer. */
export const indexerJobs = {
  index: defineJob('job.embedding.search.index', {
    input: stageInput.extend({ transcriptVersion: z.int() }),
    output: indexOutput,
    attempts: 5,
  }),
};
/** Jobs of the dispatcher itself; the name is the specification's ("Events", 3). */
export const systemJobs = {
  reclaimOrphaned: defineJob('job.utility.system.reclaim_orphaned_deliveries', {
    input: z.object({ slot: z.iso.datetime() }),
    output: z.object({}),
    attempts: 3,
    fencedBy: 'handler',
  }),
};
/** Every stage's job, by stage name. */
export const stageJobs = { ...workerJobs, ...indexerJobs };

/**
 * Body of a message on JOBS. A job that its handler fences comes with its input; the others are tickets: one more task
 * waits on the message's durable. Which one the holder gets is the dispatcher's to say.
 */
export const jobMessage = z.object({ taskId: z.uuid(), input: z.unknown().optional() });

/** Ways to take a ticket. `express`: only what is short, and of somebody for whom nothing else is done there. */
export const lanes = ['normal', 'express'] as const;
export type Lane = (typeof lanes)[number];

// --- The worker's side of a job: claim, heartbeat, outcome ---------------------------------------------------

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
};

export const workerRpc = {
  /** Vectors for texts; one vectoriser for documents and queries. Vectors are normalised, base64 of little-endian float32. */
  embed: defineRpc('transcription-worker', 'embed', {
    request: z.object({ texts: z.array(z.string()).min(1).max(256), kind: z.enum(['query', 'document']) }),
    reply: z.object({ model: z.string(), dim: z.int(), vectors: z.array(z.string()) }),
    timeoutMs: 10_000,
  }),
};

// --- Leases and fleet, in the NATS key-value store -----------------------------------------------------------------

/** Bucket LEASES, key `task.<taskId>`: renewed every 5 s by the worker that holds the task. */
export const leaseValue = z.object({
  worker: z.string(),
  service: z.string(),
  queue: z.string(),
  token: z.int(),
  /** Where the ticket in the worker's hand is given back, should the worker die. */
  ticket: z.string().default(''),
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
  /** Absent where a service knows nothing of GPUs. */
  gpu: workerGpu.nullish(),
  expiresAt: z.int(),
});

// --- Events and live signals --------------------------------------------------------------------------------------

const ofRun = { runId: z.uuid(), fileId: z.uuid(), ownerId: z.uuid() };
/** Why a run makes no progress although nothing is wrong. */
export const waitingReasons = ['engine', 'worker', 'paused'] as const;
export const transcriptionEvents = {
  runOpened: defineEvent('evt.transcription.run.opened.v1', z.object(ofRun)),
  stageStarted: defineEvent('evt.transcription.stage.started.v1', z.object({ ...ofRun, stage: z.enum(stages) })),
  /** `sequence` grows with every accepted stage of a run, so a late delivery is recognised. */
  stageCompleted: defineEvent(
    'evt.transcription.stage.completed.v1',
    z.discriminatedUnion('stage', [
      z.object({ ...ofRun, sequence: z.int(), stage: z.literal('prepare'), output: prepareOutput }),
      z.object({ ...ofRun, sequence: z.int(), stage: z.literal('transcribe'), output: transcribeOutput }),
      z.object({ ...ofRun, sequence: z.int(), stage: z.literal('diarize'), output: diarizeOutput }),
      z.object({ ...ofRun, sequence: z.int(), stage: z.literal('assemble'), output: assembleOutput }),
      z.object({ ...ofRun, sequence: z.int(), stage: z.literal('index'), output: indexOutput }),
    ]),
  ),
  /** null: it goes on. */
  runWaiting: defineEvent(
    'evt.transcription.run.waiting.v1',
    z.object({ ...ofRun, reason: z.enum(waitingReasons).nullable() }),
  ),
  /** `dropped` are earlier warnings that no longer hold. */
  runCompleted: defineEvent(
    'evt.transcription.run.completed.v1',
    z.object({ ...ofRun, warnings: z.array(z.string()), dropped: z.array(z.string()).optional() }),
  ),
  runFailed: defineEvent(
    'evt.transcription.run.failed.v1',
    z.object({ ...ofRun, stage: z.enum(stages), code: z.string(), message: z.string(), retryable: z.boolean() }),
  ),
  runCancelled: defineEvent('evt.transcription.run.cancelled.v1', z.object(ofRun)),
  /** A run that had ended is under way again, from this stage on. `dropped` are warnings that no longer hold. */
  runResumed: defineEvent(
    'evt.transcription.run.resumed.v1',
    z.object({ ...ofRun, stage: z.enum(stages), dropped: z.array(z.string()) }),
  ),
};

export const transcriptionLive = {
  /** From a worker, per task. */
  taskProgress: defineLive(
    'live.task.progress',
    z.object({
      taskId: z.uuid(),
      token: z.int(),
      ...ofRun,
      stage: z.enum(stages),
      fraction: z.number().min(0).max(1),
      message: z.string(),
    }),
  ),
  /** From the dispatcher, per file: 0-100 over the whole run, with the time left as history lets it expect. */
  fileProgress: defineLive(
    'live.transcription.progress',
    z.object({
      ...ofRun,
      stage: z.enum(stages),
      stageFraction: z.number(),
      progress: z.number(),
      message: z.string(),
      etaSeconds: z.number().nullable(),
    }),
  ),
  /** To workers: stop this task, its result is no longer wanted. */
  taskCancelled: defineLive('live.task.cancelled', z.object({ taskId: z.uuid() })),
};
