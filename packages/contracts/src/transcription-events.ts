import { z } from 'zod';
import { defineEvent, defineLive } from './define.ts';
import { stages, waitingReasons } from './transcription.ts';
import { assembleOutput, diarizeOutput, indexOutput, prepareOutput, transcribeOutput } from './transcription-jobs.ts';

const ofRun = { runId: z.uuid(), fileId: z.uuid(), ownerId: z.uuid() };
export const transcriptionEvents = {
  runOpened: defineEvent('evt.transcription.run.opened.v1', z.object(ofRun)),
  stageStarted: defineEvent('evt.transcription.stage.started.v1', z.object({ ...ofRun, stage: z.enum(stages) })),
  /** Stuck recovery has reset the stage: its worker was lost or exceeded the time limit. The stage is retried. */
  stageReset: defineEvent('evt.transcription.stage.reset.v1', z.object({ ...ofRun, stage: z.enum(stages) })),
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
  /** null: no longer waiting. */
  runWaiting: defineEvent(
    'evt.transcription.run.waiting.v1',
    z.object({ ...ofRun, reason: z.enum(waitingReasons).nullable() }),
  ),
  /** `dropped` are earlier warnings that no longer apply. */
  runCompleted: defineEvent(
    'evt.transcription.run.completed.v1',
    z.object({ ...ofRun, warnings: z.array(z.string()), dropped: z.array(z.string()).optional() }),
  ),
  runFailed: defineEvent(
    'evt.transcription.run.failed.v1',
    z.object({ ...ofRun, stage: z.enum(stages), code: z.string(), message: z.string(), retryable: z.boolean() }),
  ),
  runCancelled: defineEvent('evt.transcription.run.cancelled.v1', z.object(ofRun)),
  /** An ended run was resumed from this stage. `dropped` are warnings that no longer apply. */
  runResumed: defineEvent(
    'evt.transcription.run.resumed.v1',
    z.object({ ...ofRun, stage: z.enum(stages), dropped: z.array(z.string()) }),
  ),
  /** Workers read the settings of this group again. */
  settingsChanged: defineEvent(
    'evt.transcription.settings.changed.v1',
    z.object({ group: z.enum(['engine', 'asr']), keys: z.array(z.string()) }),
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
  /** From the dispatcher, per file: 0-100 over the whole run, with the estimated time left. */
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
  /** To workers: stop this task, its result will be rejected. */
  taskCancelled: defineLive('live.task.cancelled', z.object({ taskId: z.uuid() })),
};
