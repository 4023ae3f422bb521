import { z } from 'zod';
import { routesOf, time } from './http.ts';

const route = routesOf('media');

export const clipKinds = ['sound', 'video'] as const;
export type ClipKind = (typeof clipKinds)[number];

/** `unfinished`: clips of one person that are not made yet. */
export const clipLimits = { minSeconds: 0.2, maxSeconds: 1_800, unfinished: 3, keptHours: 24 } as const;

const second = z.number().min(0).max(2_000_000);

/** A part of a recording in a file of its own. */
export const clip = z.object({
  uuid: z.uuid(),
  kind: z.enum(clipKinds),
  start_time: z.number(),
  end_time: z.number(),
  state: z.enum(['queued', 'ready', 'failed']),
  /** null: it is not made yet. */
  bytes: z.number().nullable(),
  expires_at: time,
});
export type ClipObject = z.infer<typeof clip>;

const refusals = ['no_recording', 'recording_removed', 'audio_masking_pending'] as const;

export const clipRoutes = {
  requestClip: route('POST', '/api/files/{uuid}/clips', 'user', {
    summary: `Request a part of a recording as a file, without what is masked from the caller; only the caller sees it, for ${clipLimits.keptHours} hours`,
    body: z
      .strictObject({ start_time: second, end_time: second, kind: z.enum(clipKinds) })
      .refine(
        ({ start_time: start, end_time: end }) =>
          end - start >= clipLimits.minSeconds && end - start <= clipLimits.maxSeconds,
        {
          path: ['end_time'],
          message: `must be ${clipLimits.minSeconds} to ${clipLimits.maxSeconds} seconds after the start`,
        },
      ),
    answer: clip,
    status: 202,
    errors: [...refusals, 'no_video', 'clip_outside_recording', 'too_many_clips'],
  }),
  clip: route('GET', '/api/files/{uuid}/clips/{clip_uuid}', 'user', {
    summary: 'State of a clip that the caller requested',
    answer: clip,
    errors: [...refusals, 'clip_outdated', 'storage_unavailable'],
  }),
  clipContent: route('GET', '/api/files/{uuid}/clips/{clip_uuid}/content', 'user', {
    summary: 'The file of a clip; Range is honoured',
    answerType: 'audio/*',
    otherAnswers: { 'video/*': z.string() },
    status: 200,
    otherStatuses: { 206: 'The part that Range names', 304: 'The caller has this version' },
    errors: [
      ...refusals,
      'clip_outdated',
      'clip_not_ready',
      'clip_failed',
      'range_not_satisfiable',
      'storage_unavailable',
    ],
  }),
};
