import { z } from 'zod';
import { line, listQuery, pageOf, pageQuery, queryFlag, routesOf, text, time } from './http.ts';
import { speakerSources } from './transcription-jobs.ts';
import { fileDetail, fileObject, fileStatuses, segmentObject, speakerCount } from './media-objects.ts';

const route = routesOf('media');

/** Filters and order of a file list. */
export const fileListQuery = {
  ...pageQuery,
  ownership: z.enum(['mine', 'shared', 'all']).default('all'),
  search: text(200).optional(),
  status: listQuery(z.enum(fileStatuses)),
  tag: listQuery(text(50)),
  file_type: listQuery(z.enum(['audio', 'video'])),
  /** What `from_date` and `to_date` mean: the upload, or when the recording was made. */
  date_of: z.enum(['upload', 'recording']).default('upload'),
  from_date: time.optional(),
  to_date: time.optional(),
  min_duration: z.coerce.number().min(0).optional(),
  max_duration: z.coerce.number().min(0).optional(),
  sort_by: z
    .enum(['upload_time', 'recorded_date', 'completed_at', 'title', 'duration', 'file_size'])
    .default('upload_time'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
};

export const fileRoutes = {
  listFiles: route('GET', '/api/files', 'user', {
    summary: "The caller's files and those shared with the caller; all files for an administrator",
    query: z.object({ ...fileListQuery, collection: z.uuid().optional() }),
    answer: pageOf(fileObject),
    errors: ['not_found'],
  }),
  getFile: route('GET', '/api/files/{uuid}', 'user', {
    summary: 'A file with its tags, speakers and transcript',
    query: z.object({
      segment_limit: z.coerce.number().int().min(0).max(5000).default(500).describe('0: no segments'),
      segment_offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: fileDetail,
  }),
  listSegments: route('GET', '/api/files/{uuid}/segments', 'user', {
    summary: 'A page of the transcript',
    query: z.object({
      segment_limit: z.coerce.number().int().min(1).max(5000).default(500),
      segment_offset: z.coerce.number().int().min(0).default(0),
      words: queryFlag.default(true),
    }),
    answer: z.object({
      transcript_segments: z.array(segmentObject),
      total_segments: z.int(),
      transcript_version: z.int(),
    }),
  }),
  updateFile: route('PUT', '/api/files/{uuid}', 'user', {
    summary: 'Rename a file or set when it was recorded',
    body: z.object({ title: line(255).min(1).optional(), recorded_date: time.nullable().optional() }),
    answer: fileObject,
    errors: ['permission_required'],
  }),
  deleteFile: route('DELETE', '/api/files/{uuid}', 'user', {
    summary: 'Move a file to the bin, where it can be restored for bin_days of the upload limits',
    errors: ['permission_required', 'file_busy', 'legal_hold'],
  }),
  reprocess: route('POST', '/api/files/{uuid}/reprocess', 'user', {
    summary: 'Transcribe a file again from the start',
    body: z
      .object({
        language: z.string().max(10).nullable().optional(),
        min_speakers: speakerCount,
        max_speakers: speakerCount,
        /** Numbers of `sound_tracks`; null: those that carry speech. */
        tracks: z.array(z.int().min(1).max(64)).min(1).max(64).nullable().optional(),
        speakers_by: z.enum(speakerSources).optional(),
      })
      .optional(),
    answer: fileObject,
    status: 202,
    errors: ['permission_required', 'file_busy', 'language_unsupported', 'recording_removed', 'no_recording'],
  }),
  cancel: route('POST', '/api/files/{uuid}/cancel', 'user', {
    summary: 'Stop processing a file',
    answer: fileObject,
    status: 202,
    errors: ['permission_required', 'file_busy'],
  }),
};
