import { z } from 'zod';
import { speechTasks } from './asr-providers.ts';
import { defineJob } from './define.ts';
import { engineInfo, stages } from './transcription.ts';

/** Common input of all stages. `earlier` contains the artefact keys of the completed stages. */
const stageInput = z.object({
  runId: z.uuid(),
  fileId: z.uuid(),
  ownerId: z.uuid(),
  earlier: z.partialRecord(z.enum(stages), z.string()),
});
/** How speakers are distinguished. `track`: one per sound track, or per channel of a single track. */
export const speakerSources = ['voice', 'track'] as const;
const options = z.object({
  language: z.string().nullable(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
  diarize: z.boolean(),
  /** Absent: transcribe. */
  task: z.enum(speechTasks).optional(),
  /** The ASR provider that was chosen for this recording; absent or null: the first one that fits. */
  provider: z.uuid().nullish(),
  /** The sound tracks to transcribe, counted from 1; absent or null: those that carry speech. */
  tracks: z.array(z.int().min(1)).nullish(),
  /** Absent: voice. */
  speakersBy: z.enum(speakerSources).optional(),
});
export const runOptions = options;
export type RunOptions = z.infer<typeof options>;

/** Seconds of work of the engine itself, without the overhead of the stage. */
const timing = { engine_seconds: z.number() };

/** A sound track of a recording; `used`: its sound was transcribed. */
export const soundTrack = z.object({
  codec: z.string(),
  channels: z.int(),
  layout: z.string().nullable(),
  /** As the file says it: usually three letters. */
  language: z.string().nullable(),
  title: z.string().nullable(),
  used: z.boolean(),
});

/** Levels are decibels below full scale. */
export const soundLevel = z.object({
  level_db: z.number().describe('of what is not a pause'),
  noise_db: z.number().describe('in the pauses'),
  clipped: z.number().describe('share of the sound that was recorded too loud'),
});

export const prepareOutput = z.object({
  artefact: z.string(),
  /** Key of the 16 kHz mono PCM WAV. */
  audio: z.string(),
  waveform: z.string(),
  thumbnail: z.string().nullable(),
  duration: z.number(),
  truncated: z.boolean(),
  /** Absent in results of earlier versions. */
  tracks: z.array(soundTrack).optional(),
  /** What the file says of itself: title, artist, date, creation_time. */
  tags: z.record(z.string(), z.string().max(255)).optional(),
  /** Browsers cannot play the recording, or would play another of its sounds. */
  needsPlaybackCopy: z.boolean().optional(),
  /** Keys of one sound per speaker; empty or absent: the speakers are distinguished by voice. */
  speakerParts: z.array(z.string()).optional(),
  sound: soundLevel.nullish(),
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

const soundInput = stageInput.extend({
  audio: z.string(),
  duration: z.number(),
  options,
  speakerParts: prepareOutput.shape.speakerParts,
});

/** Jobs of transcription-worker. */
export const workerJobs = {
  prepare: defineJob('job.cpu.media.prepare', {
    input: stageInput.extend({ objectKey: z.string(), contentType: z.string(), options: options.optional() }),
    output: prepareOutput,
    attempts: 5,
  }),
  transcribe: defineJob('job.gpu.transcription.transcribe', {
    input: soundInput,
    output: transcribeOutput,
    attempts: 3,
  }),
  diarize: defineJob('job.gpu.transcription.diarize', {
    input: soundInput,
    output: diarizeOutput,
    attempts: 3,
  }),
  assemble: defineJob('job.cpu.transcription.assemble', {
    /** Without `earlier.diarize` there is only one speaker, and `degraded` contains the reason. */
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
/** Jobs of the dispatcher itself; the name is from the specification ("Events", 3). */
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
 * Body of a message on JOBS. A job fenced by its handler contains its input; others are job signals: one more task waits
 * on the message's durable, and the dispatcher selects it at the claim.
 */
export const jobMessage = z.object({ taskId: z.uuid(), input: z.unknown().optional() });

/** Claim lanes. `express`: only short tasks of owners without a running task on the durable. */
export const lanes = ['normal', 'express'] as const;
export type Lane = (typeof lanes)[number];
