import { z } from 'zod';
import { clipKinds } from './media-clips.ts';
import { defineJob, defineRpc } from './define.ts';

/** `playback`: nothing is masked, the copy has a format that browsers play. `clip`: a part that a person requested. */
export const copyModes = ['silence', 'beep', 'playback', 'clip'] as const;
export type CopyMode = (typeof copyModes)[number];

/** `variant` identifies the recording, the masked times and the sound in their place. */
const variant = { fileId: z.uuid(), variant: z.string().length(64) };
const claimed = { ...variant, token: z.int() };

/** Copies of recordings for players, without their masked parts where the policy says so; media owns their state. */
export const maskedAudioJobs = {
  maskAudio: defineJob('job.cpu.redaction.mask_audio', {
    input: z.object(variant),
    output: z.object({}),
    attempts: 5,
    fencedBy: 'handler',
  }),
};

export const maskedAudioRpc = {
  /** `none`: the copy exists, or no reader needs it any more. */
  claimMaskedAudio: defineRpc('media', 'claim-masked-audio', {
    request: z.object(variant),
    reply: z.discriminatedUnion('outcome', [
      z.object({
        outcome: z.literal('claimed'),
        token: z.int(),
        source: z.string(),
        target: z.string(),
        mode: z.enum(copyModes),
        /** Positions of the sound tracks of the copy. */
        tracks: z.array(z.int().min(0)),
        /** Seconds, in order, without overlap. */
        ranges: z.array(z.tuple([z.number(), z.number()])),
        /** Which part is wanted, in seconds; null: all. */
        clip: z
          .object({
            kind: z.enum(clipKinds),
            start: z.number().min(0),
            end: z.number().min(0),
            /** The sound of the masked times. */
            masking: z.enum(['silence', 'beep']).nullable(),
          })
          .nullable()
          .default(null),
      }),
      z.object({ outcome: z.literal('none') }),
    ]),
  }),
  /** The copy is in the object store. `refused`: media has deleted it, because another one is needed by now. */
  completeMaskedAudio: defineRpc('media', 'complete-masked-audio', {
    request: z.object({ ...claimed, contentType: z.string().max(100), bytes: z.int().min(0) }),
    reply: z.object({ outcome: z.enum(['accepted', 'refused']) }),
  }),
  /** The copy cannot be made from this recording. */
  failMaskedAudio: defineRpc('media', 'fail-masked-audio', {
    request: z.object({ ...claimed, message: z.string().max(2_000) }),
    reply: z.object({}),
  }),
};
