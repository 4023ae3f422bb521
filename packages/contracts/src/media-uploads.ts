import { z } from 'zod';
import { speechTasks } from './asr-providers.ts';
import type { RouteError } from './errors.ts';
import { line, routesOf, time } from './http.ts';
import { speakerSources } from './transcription-jobs.ts';
import { fileObject, speakerCount } from './media-objects.ts';

const route = routesOf('media');
/** Errors of any step of a resumable upload; the last step creates the file. */
const transferErrors: readonly RouteError[] = [
  'invalid_body',
  'upload_empty',
  'upload_not_media',
  'upload_incomplete',
  'upload_invalid',
  // No or another Tus-Resumable header.
  ['upload_invalid', 412],
  'upload_offset_conflict',
  'too_many_uploads',
  'upload_quota_exceeded',
  'language_unsupported',
  'translation_unsupported',
  'provider_unknown',
  'filename_invalid',
  // tus clients interpret 409 as a wrong offset and send everything again.
  ['duplicate_file', 422],
  'storage_full',
  'storage_unavailable',
];

/** Options of an upload: multipart text fields beside `file`, or tus metadata of the same names. */
export const uploadOptions = z.object({
  title: line(255).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/)
    .optional(),
  min_speakers: speakerCount,
  max_speakers: speakerCount,
  /** `translate`: the words in English; refused when no engine can do it. */
  task: z.enum(speechTasks).optional(),
  /** One of `providers` of the upload limits. */
  asr_provider: z.uuid().optional(),
  recorded_date: time.optional(),
  /** `track`: one speaker per sound track, or per channel of a single track. */
  speakers_by: z.enum(speakerSources).optional(),
  /** Accept the file although the caller has one with the same bytes. */
  allow_duplicate: z.enum(['true', 'false']).optional(),
});

/** A recording in progress or interrupted: a resumable upload whose length is not known yet. */
export const openRecording = z.object({
  upload_id: z.uuid(),
  title: z.string(),
  received_bytes: z.number().int(),
  started_at: time,
  /** The last request of the sender. */
  active_at: time,
  /** Whether it is probably still being recorded. */
  is_active: z.boolean(),
  /** When it is finished with what arrived, without a sign of its sender until then. */
  finishes_at: time,
});

export const uploadRoutes = {
  upload: route('POST', '/api/files', 'user', {
    summary: 'Upload a recording (multipart field `file`)',
    bodyKind: 'raw',
    answer: fileObject,
    status: 201,
    errors: [
      'invalid_body',
      'upload_empty',
      'upload_not_media',
      'upload_incomplete',
      'upload_invalid',
      'filename_invalid',
      'duplicate_file',
      'language_unsupported',
      'translation_unsupported',
      'provider_unknown',
      'storage_full',
      'storage_unavailable',
    ],
  }),
  uploadLimits: route('GET', '/api/files/upload-limits', 'user', {
    summary: 'The upload limits, and how long deleted files are kept',
    answer: z.object({
      max_bytes: z.number().int(),
      accept: z.array(z.string()),
      /** Limits per user: open resumable uploads, and bytes reserved for them. */
      max_open_uploads: z.int(),
      max_reserved_bytes: z.number().int(),
      /** ISO codes of the languages that can be chosen; null: any, or the engines cannot be asked. */
      languages: z.array(z.string()).nullable(),
      /** Days that a deleted file can be restored; 0: it is deleted permanently at once. */
      bin_days: z.number(),
      /** Whether a recording can be translated to English; null: the engines cannot be asked. */
      translates: z.boolean().nullable(),
      /** ASR providers that may be chosen. */
      providers: z.array(z.object({ id: z.uuid(), name: z.string() })),
    }),
  }),
  storage: route('GET', '/api/admin/storage', 'admin', {
    summary: 'Space of the disk that holds the recordings',
    answer: z.object({
      /** Uploads are refused while `free_bytes` is not above `reserve_bytes`; null: the store is no folder. */
      space: z.object({ free_bytes: z.int(), total_bytes: z.int(), reserve_bytes: z.int() }).nullable(),
    }),
  }),
  listOpenRecordings: route('GET', '/api/files/recordings', 'user', {
    summary: "The caller's recordings that were begun in a browser and not finished",
    answer: z.object({ items: z.array(openRecording) }),
  }),
  finishRecording: route('POST', '/api/files/recordings/{upload_id}/finish', 'user', {
    summary: 'Keep what has arrived of an unfinished recording, as a file',
    answer: fileObject,
    errors: [...transferErrors, 'duplicate_file'],
  }),
  /** tus 1.0 resumable uploads; https://tus.io/protocols/resumable-upload */
  tusOptions: route('OPTIONS', '/api/files/tus', 'public', {
    summary: 'The protocol extensions of this tus server',
    bodyKind: 'raw',
    csrfExempt: true,
  }),
  tusCreate: route('POST', '/api/files/tus', 'user', {
    summary: 'Create a resumable upload (tus 1.0 creation)',
    bodyKind: 'raw',
    status: 201,
    errors: transferErrors,
  }),
  tusHead: route('HEAD', '/api/files/tus/{upload_id}', 'user', {
    summary: 'Offset of a resumable upload',
    bodyKind: 'raw',
    status: 200,
    errors: transferErrors,
  }),
  tusPatch: route('PATCH', '/api/files/tus/{upload_id}', 'user', {
    summary: 'Append bytes to a resumable upload',
    bodyKind: 'raw',
    errors: transferErrors,
  }),
  tusDelete: route('DELETE', '/api/files/tus/{upload_id}', 'user', {
    summary: 'Cancel a resumable upload',
    bodyKind: 'raw',
    errors: [['upload_invalid', 412], 'upload_invalid', 'storage_unavailable'],
  }),
};
