import { z } from 'zod';
import { defineEvent, defineRpc } from './define.ts';
import { listQuery, pageOf, pageQuery, routesOf, text, time, uuidParams } from './http.ts';
import { engineInfo, runOptions, stages, waitingReasons, word } from './transcription.ts';

/** States of a media file (design: Files). */
export const fileStatuses = [
  'pending',
  'uploaded',
  'queued',
  'downloading',
  'processing',
  'transcribing',
  'completed',
  'error',
  'cancelling',
  'cancelled',
  'orphaned',
  'quarantined',
] as const;
export type FileStatus = (typeof fileStatuses)[number];
export const tagSources = ['manual', 'auto_ai'] as const;

export const tagObject = z.object({ uuid: z.uuid(), name: z.string(), source: z.enum(tagSources).nullable() });
export const tagWithUsage = tagObject.extend({ usage_count: z.int() });
export const speakerObject = z.object({
  uuid: z.uuid(),
  /** Label from diarization, SPEAKER_01; never changes. */
  name: z.string(),
  display_name: z.string().nullable(),
  /** Seconds spoken in this file. */
  talk_time: z.number(),
});
const speakerRef = speakerObject.omit({ talk_time: true });

export const segmentObject = z.object({
  uuid: z.uuid(),
  start_time: z.number(),
  end_time: z.number(),
  text: z.string(),
  speaker: speakerRef.nullable(),
  confidence: z.number().nullable(),
  edited: z.boolean(),
  version: z.int(),
  words: z.array(word),
});
export type SegmentObject = z.infer<typeof segmentObject>;

/** What somebody may do with another's file: read it, or correct it too. */
export const sharePermissions = ['viewer', 'editor'] as const;
export type SharePermission = (typeof sharePermissions)[number];

export const fileObject = z.object({
  uuid: z.uuid(),
  filename: z.string(),
  title: z.string(),
  user_id: z.uuid(),
  /** What the caller may do with it; administrators may what its owner may. */
  my_permission: z.enum(['owner', ...sharePermissions]),
  status: z.enum(fileStatuses),
  /** The status in words for people, e.g. "Waiting for a speech engine". */
  display_status: z.string(),
  stage: z.enum(stages).nullable(),
  waiting_for: z.enum(waitingReasons).nullable(),
  content_type: z.string(),
  file_size: z.number().int(),
  file_hash: z.string().nullable(),
  duration: z.number().nullable(),
  language: z.string().nullable(),
  upload_time: time,
  recorded_date: time.nullable(),
  completed_at: time.nullable(),
  has_video: z.boolean(),
  has_thumbnail: z.boolean(),
  has_waveform: z.boolean(),
  engine: engineInfo.nullable(),
  diarization_provider: z.string().nullable(),
  speaker_count: z.int(),
  transcript_version: z.int(),
  /** Honest notes, e.g. why there is only one speaker or that the recording was cut off. */
  warnings: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string(), what_to_do: z.string(), retryable: z.boolean() }).nullable(),
});
export type FileObject = z.infer<typeof fileObject>;
export const fileDetail = fileObject.extend({
  tags: z.array(tagObject),
  speakers: z.array(speakerObject),
  transcript_segments: z.array(segmentObject),
  total_segments: z.int(),
  segment_limit: z.int(),
  segment_offset: z.int(),
});
export type FileDetail = z.infer<typeof fileDetail>;

/** With whom a file is shared: the members of a group, or one person. */
export const shareObject = z.object({
  uuid: z.uuid(),
  group_uuid: z.uuid().nullable(),
  user_uuid: z.uuid().nullable(),
  /** Name (or address) of the person; null for a group, and while identity cannot be asked. */
  user_name: z.string().nullable(),
  permission: z.enum(sharePermissions),
  shared_by: z.uuid(),
  created_at: time,
});

const route = routesOf('media');
const speakerCount = z.coerce.number().int().min(1).max(50).optional();
/** Options of an upload: multipart text fields beside `file`, or tus metadata of the same names. */
export const uploadOptions = z.object({
  title: text(255).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/)
    .optional(),
  min_speakers: speakerCount,
  max_speakers: speakerCount,
  recorded_date: time.optional(),
  /** Take the file although the caller has one with the same bytes. */
  allow_duplicate: z.enum(['true', 'false']).optional(),
});
const bool = z.enum(['true', 'false']).transform((v) => v === 'true');

export const mediaRoutes = {
  upload: route({
    method: 'POST',
    path: '/api/files',
    access: 'user',
    summary: 'Upload a recording (multipart field `file`)',
    bodyKind: 'raw',
    answer: fileObject,
    status: 201,
  }),
  uploadLimits: route({
    method: 'GET',
    path: '/api/files/upload-limits',
    access: 'user',
    summary: 'What may be uploaded',
    answer: z.object({ max_bytes: z.number().int(), accept: z.array(z.string()) }),
  }),
  /** tus 1.0 resumable uploads; https://tus.io/protocols/resumable-upload */
  tusOptions: route({
    method: 'OPTIONS',
    path: '/api/files/tus',
    access: 'public',
    summary: 'What this tus server can do',
    bodyKind: 'raw',
    csrfExempt: true,
  }),
  tusCreate: route({
    method: 'POST',
    path: '/api/files/tus',
    access: 'user',
    summary: 'Begin a resumable upload (tus 1.0 creation)',
    bodyKind: 'raw',
    status: 201,
  }),
  tusHead: route({
    method: 'HEAD',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Offset of a resumable upload',
    bodyKind: 'raw',
    status: 200,
    params: z.object({ upload_id: z.uuid() }),
  }),
  tusPatch: route({
    method: 'PATCH',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Append bytes to a resumable upload',
    bodyKind: 'raw',
    params: z.object({ upload_id: z.uuid() }),
  }),
  tusDelete: route({
    method: 'DELETE',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Give up a resumable upload',
    bodyKind: 'raw',
    params: z.object({ upload_id: z.uuid() }),
  }),
  listFiles: route({
    method: 'GET',
    path: '/api/files',
    access: 'user',
    summary: "The caller's files and those shared with the caller; all files for an administrator",
    query: z.object({
      ...pageQuery,
      ownership: z.enum(['mine', 'shared', 'all']).default('all'),
      search: text(200).optional(),
      status: listQuery(z.enum(fileStatuses)),
      tag: listQuery(text(50)),
      file_type: listQuery(z.enum(['audio', 'video'])),
      from_date: time.optional(),
      to_date: time.optional(),
      min_duration: z.coerce.number().min(0).optional(),
      max_duration: z.coerce.number().min(0).optional(),
      sort_by: z.enum(['upload_time', 'completed_at', 'title', 'duration', 'file_size']).default('upload_time'),
      sort_order: z.enum(['asc', 'desc']).default('desc'),
    }),
    answer: pageOf(fileObject),
  }),
  getFile: route({
    method: 'GET',
    path: '/api/files/{uuid}',
    access: 'user',
    summary: 'A file with its tags, speakers and transcript',
    params: uuidParams,
    query: z.object({
      segment_limit: z.coerce.number().int().min(0).max(5000).default(500).describe('0: no segments'),
      segment_offset: z.coerce.number().int().min(0).default(0),
    }),
    answer: fileDetail,
  }),
  listSegments: route({
    method: 'GET',
    path: '/api/files/{uuid}/segments',
    access: 'user',
    summary: 'A page of the transcript',
    params: uuidParams,
    query: z.object({
      segment_limit: z.coerce.number().int().min(1).max(5000).default(500),
      segment_offset: z.coerce.number().int().min(0).default(0),
      words: bool.default(true),
    }),
    answer: z.object({
      transcript_segments: z.array(segmentObject),
      total_segments: z.int(),
      transcript_version: z.int(),
    }),
  }),
  updateFile: route({
    method: 'PUT',
    path: '/api/files/{uuid}',
    access: 'user',
    summary: 'Rename a file or set when it was recorded',
    params: uuidParams,
    body: z.object({ title: text(255).trim().min(1).optional(), recorded_date: time.nullable().optional() }),
    answer: fileObject,
  }),
  deleteFile: route({
    method: 'DELETE',
    path: '/api/files/{uuid}',
    access: 'user',
    summary: 'Delete a file with everything made from it',
    params: uuidParams,
  }),
  reprocess: route({
    method: 'POST',
    path: '/api/files/{uuid}/reprocess',
    access: 'user',
    summary: 'Transcribe a file again from the start',
    params: uuidParams,
    body: z
      .object({
        language: z.string().max(10).nullable().optional(),
        min_speakers: speakerCount,
        max_speakers: speakerCount,
      })
      .optional(),
    answer: fileObject,
    status: 202,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/files/{uuid}/cancel',
    access: 'user',
    summary: 'Stop processing a file',
    params: uuidParams,
    answer: fileObject,
    status: 202,
  }),
  listShares: route({
    method: 'GET',
    path: '/api/files/{uuid}/shares',
    access: 'user',
    summary: 'With whom a file is shared (its owner and administrators)',
    params: uuidParams,
    answer: z.array(shareObject),
  }),
  share: route({
    method: 'PUT',
    path: '/api/files/{uuid}/shares',
    access: 'user',
    summary: 'Share a file with a group or a person, or change what they may do (its owner and administrators)',
    params: uuidParams,
    body: z
      .object({
        group_uuid: z.uuid().optional(),
        user_uuid: z.uuid().optional(),
        permission: z.enum(sharePermissions).default('viewer'),
      })
      .refine((s) => (s.group_uuid === undefined) !== (s.user_uuid === undefined), {
        message: 'Give either group_uuid or user_uuid',
      }),
    answer: shareObject,
  }),
  unshare: route({
    method: 'DELETE',
    path: '/api/files/{uuid}/shares/{share_uuid}',
    access: 'user',
    summary: 'Share a file no longer (its owner and administrators)',
    params: z.object({ uuid: z.uuid(), share_uuid: z.uuid() }),
  }),
  content: route({
    method: 'GET',
    path: '/api/files/{uuid}/content',
    access: 'user',
    summary: 'The recording itself; Range is honoured',
    params: uuidParams,
    query: z.object({ download: bool.optional() }),
    answerType: 'application/octet-stream',
    status: 200,
  }),
  contentHead: route({
    method: 'HEAD',
    path: '/api/files/{uuid}/content',
    access: 'user',
    summary: 'Size and type of the recording',
    params: uuidParams,
    status: 200,
  }),
  thumbnail: route({
    method: 'GET',
    path: '/api/files/{uuid}/thumbnail',
    access: 'user',
    summary: 'A picture of the recording',
    params: uuidParams,
    answerType: 'image/jpeg',
    status: 200,
  }),
  waveform: route({
    method: 'GET',
    path: '/api/files/{uuid}/waveform',
    access: 'user',
    summary: 'Peaks between 0 and 1 for drawing',
    params: uuidParams,
    query: z.object({ samples: z.coerce.number().int().min(100).max(10_000).default(1000) }),
    answer: z.object({ duration: z.number(), peaks: z.array(z.number()) }),
  }),
  subtitles: route({
    method: 'GET',
    path: '/api/files/{uuid}/subtitles',
    access: 'user',
    summary: 'The transcript as SRT, WebVTT, text or JSON',
    params: uuidParams,
    query: z.object({
      subtitle_format: z.enum(['srt', 'webvtt', 'txt', 'json']).default('srt'),
      include_speakers: bool.default(true),
    }),
    answerType: 'text/plain',
    status: 200,
  }),
  editSegment: route({
    method: 'PUT',
    path: '/api/files/{uuid}/transcript/segments/{segment_uuid}',
    access: 'user',
    summary: "Change a segment's text or speaker",
    params: z.object({ uuid: z.uuid(), segment_uuid: z.uuid() }),
    body: z.object({
      text: text(20_000).optional(),
      speaker_uuid: z.uuid().nullable().optional(),
      version: z.int().optional().describe('version that was edited; 409 when it has changed since'),
    }),
    answer: segmentObject,
  }),
  setSegmentSpeaker: route({
    method: 'PUT',
    path: '/api/transcripts/segments/{uuid}/speaker',
    access: 'user',
    summary: 'Give a segment to another speaker',
    params: uuidParams,
    body: z.object({ speaker_uuid: z.uuid().nullable() }),
    answer: segmentObject,
  }),
  listSpeakers: route({
    method: 'GET',
    path: '/api/speakers',
    access: 'user',
    summary: 'Speakers of a file',
    query: z.object({ file_uuid: z.uuid() }),
    answer: z.array(speakerObject),
  }),
  createSpeaker: route({
    method: 'POST',
    path: '/api/speakers',
    access: 'user',
    summary: 'Add a speaker to a file',
    query: z.object({ media_file_uuid: z.uuid() }),
    body: z.object({ display_name: text(200).trim().min(1) }),
    answer: speakerObject,
    status: 201,
  }),
  updateSpeaker: route({
    method: 'PUT',
    path: '/api/speakers/{uuid}',
    access: 'user',
    summary: 'Name a speaker',
    params: uuidParams,
    body: z.object({ display_name: text(200).trim().nullable() }),
    answer: speakerObject,
  }),
  mergeSpeaker: route({
    method: 'POST',
    path: '/api/speakers/{uuid}/merge/{target_uuid}',
    access: 'user',
    summary: 'Give everything this speaker says to another one and remove it',
    params: z.object({ uuid: z.uuid(), target_uuid: z.uuid() }),
    answer: speakerObject,
  }),
  listTags: route({
    method: 'GET',
    path: '/api/tags',
    access: 'user',
    summary: "The caller's tags, most used first",
    answer: z.array(tagWithUsage),
  }),
  createTag: route({
    method: 'POST',
    path: '/api/tags',
    access: 'user',
    summary: 'Create a tag, or get the one of that name',
    body: z.object({ name: text(50).trim().min(1) }),
    answer: tagObject,
  }),
  unusedTags: route({
    method: 'GET',
    path: '/api/tags/unused',
    access: 'user',
    summary: "The caller's tags that no file carries",
    answer: z.array(tagObject),
  }),
  attachTag: route({
    method: 'POST',
    path: '/api/tags/files/{uuid}/tags',
    access: 'user',
    summary: 'Put a tag on a file',
    params: uuidParams,
    body: z.object({ name: text(50).trim().min(1) }),
    answer: tagObject,
  }),
  detachTag: route({
    method: 'DELETE',
    path: '/api/tags/files/{uuid}/tags/{tag_name}',
    access: 'user',
    summary: 'Take a tag off a file',
    params: z.object({ uuid: z.uuid(), tag_name: text(50) }),
  }),
};

const ofFile = { fileId: z.uuid(), ownerId: z.uuid() };
/** Who may see a file besides its owner. Of two of one file the one with the higher version is newer. */
export const fileAccess = z.object({
  ...ofFile,
  groupIds: z.array(z.uuid()),
  userIds: z.array(z.uuid()),
  version: z.int(),
});
export type FileAccess = z.infer<typeof fileAccess>;
export const mediaEvents = {
  uploaded: defineEvent(
    'evt.media.file.uploaded.v1',
    z.object({
      ...ofFile,
      objectKey: z.string(),
      contentType: z.string(),
      bytes: z.int(),
      source: z.enum(['upload', 'url', 'watch']),
      options: runOptions,
    }),
  ),
  /** Run it all again; the earlier run, if any, is superseded. */
  reprocessOrdered: defineEvent(
    'evt.media.file.reprocess-ordered.v1',
    z.object({ ...ofFile, objectKey: z.string(), contentType: z.string(), options: runOptions }),
  ),
  cancelOrdered: defineEvent('evt.media.file.cancel-ordered.v1', z.object(ofFile)),
  /** Any field a list shows has changed (status, title, duration, ...). */
  updated: defineEvent('evt.media.file.updated.v1', z.object({ ...ofFile, status: z.enum(fileStatuses) })),
  deleted: defineEvent('evt.media.file.deleted.v1', z.object(ofFile)),
  accessChanged: defineEvent('evt.media.file.access-changed.v1', fileAccess),
  /** Segments and speakers of a run are in the database; `provisional` until speakers are known. */
  transcriptStored: defineEvent(
    'evt.media.transcript.stored.v1',
    z.object({ ...ofFile, runId: z.uuid(), transcriptVersion: z.int(), provisional: z.boolean() }),
  ),
  /** Somebody edited text, speakers, tags or title: what search shows of the file is out of date. */
  transcriptEdited: defineEvent('evt.media.transcript.edited.v1', z.object({ ...ofFile, transcriptVersion: z.int() })),
};

export const indexableFile = z.object({
  ...ofFile,
  title: z.string(),
  filename: z.string(),
  contentType: z.string(),
  duration: z.number().nullable(),
  language: z.string().nullable(),
  uploadTime: time,
  transcriptVersion: z.int(),
  tags: z.array(z.string()),
});
export const mediaRpc = {
  /** A file and a page of its transcript for the index; null when the file is gone. */
  transcriptPage: defineRpc('media', 'transcript-page', {
    request: z.object({ fileId: z.uuid(), offset: z.int().min(0), limit: z.int().min(1).max(1000) }),
    reply: z.object({
      file: indexableFile.nullable(),
      segments: z.array(
        z.object({
          start: z.number(),
          end: z.number(),
          text: z.string(),
          speaker: z.string().nullable(),
          words: z.array(word),
        }),
      ),
      total: z.int(),
    }),
  }),
  /** Files with a transcript after `after` in order of id, for a rebuild of the index. */
  listTranscribed: defineRpc('media', 'list-transcribed', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ files: z.array(z.object({ ...ofFile, transcriptVersion: z.int() })) }),
  }),
  /** Files that are or were shared after `after` in order of id: what a follower of `accessChanged` begins with. */
  listShared: defineRpc('media', 'list-shared', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ files: z.array(fileAccess) }),
  }),
};
