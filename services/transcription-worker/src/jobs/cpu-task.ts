import { prepareOutput, soundTrack } from '@overtone/contracts';
import { z } from 'zod';

/** Tasks of the `cpu` queue's processes; files are in the job's folder. */
export const cpuTask = z.discriminatedUnion('task', [
  z.object({
    task: z.literal('prepare'),
    source: z.string(),
    wav: z.string(),
    picture: z.string(),
    contentType: z.string().optional(),
    wish: z
      .object({ tracks: z.array(z.int()).nullable(), language: z.string().nullable(), separate: z.boolean() })
      .optional(),
    maxSeconds: z.number(),
    env: z.record(z.string(), z.string()),
  }),
  z.object({
    task: z.literal('assemble'),
    words: z.string(),
    /** null: there is no diarization. */
    turns: z.string().nullable(),
    degraded: z.string().nullable(),
    seconds: z.number(),
    target: z.string(),
  }),
]);
export type CpuTask = z.infer<typeof cpuTask>;

export const prepared = z.object({
  seconds: z.number(),
  truncated: z.boolean(),
  hasPicture: z.boolean(),
  tracks: z.array(soundTrack),
  needsPlaybackCopy: z.boolean(),
  tags: z.record(z.string(), z.string()),
  /** Files of the parts of separated speakers. */
  parts: z.array(z.string()),
  media: prepareOutput.shape.media,
  sound: prepareOutput.shape.sound,
  waveform: z.object({ version: z.literal(1), interval_ms: z.int(), peaks: z.array(z.int()) }),
});
export const assembled = z.object({ segments: z.int(), speakers: z.int() });
