import { z } from 'zod';
import { line, time } from './http.ts';
import { redactionKinds } from './media-redaction.ts';
import { soundLevel, soundTrack, speakerSources } from './transcription-jobs.ts';
import { engineInfo, stages, waitingReasons, word } from './transcription.ts';

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
/** How a transcription ends. */
export const transcriptionOutcomes = ['completed', 'failed', 'cancelled'] as const;
export type FileStatus = (typeof fileStatuses)[number];
export const tagSources = ['manual', 'auto_ai'] as const;

/** `.` and `..` are steps of a path: no address could name such a tag. */
export const tagName = line(50)
  .min(1)
  .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."');
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
/** Range of speaker counts in a request. */
export const speakerCount = z.coerce.number().int().min(1).max(50).optional();
const speakerRef = speakerObject.omit({ talk_time: true });

export const segmentObject = z.object({
  uuid: z.uuid(),
  start_time: z.number(),
  end_time: z.number(),
  text: z.string(),
  speaker: speakerRef.nullable(),
  confidence: z.number().nullable(),
  edited: z.boolean(),
  edited_at: time.nullable(),
  edited_by: z.uuid().nullable(),
  /** null: not edited, the account was deleted, or identity does not respond. */
  edited_by_name: z.string().nullable(),
  version: z.int(),
  words: z.array(word),
  /** The masked parts, by the position of their placeholders in `text`. Words of a masked part have no text. */
  redactions: z.array(z.object({ uuid: z.uuid(), kind: z.enum(redactionKinds), start: z.int(), end: z.int() })),
  /** The text was not scanned and is not shown to the caller. */
  withheld: z.boolean(),
});
/** How a change of a transcript can be undone: `POST /api/files/{uuid}/undo/{undo_uuid}`, by the account that made it. */
export const undoObject = z.object({ uuid: z.uuid(), expires_at: time });
export type SegmentObject = z.infer<typeof segmentObject>;

/** Permissions of a share: read, or read and edit. */
export const sharePermissions = ['viewer', 'editor'] as const;
export type SharePermission = (typeof sharePermissions)[number];

export const fileObject = z.object({
  uuid: z.uuid(),
  filename: z.string(),
  title: z.string(),
  user_id: z.uuid(),
  /** Name of the owner; null: the caller owns it, or identity does not respond. */
  owner_name: z.string().nullable(),
  /** The caller's permission; administrators have the owner's. */
  my_permission: z.enum(['owner', ...sharePermissions]),
  status: z.enum(fileStatuses),
  /** Why and since when the file is in quarantine; the reason is empty for files of earlier releases. */
  quarantine: z.object({ reason: z.string(), since: time.nullable() }).nullable(),
  /** The status in words for people, e.g. "Waiting for a speech engine". */
  display_status: z.string(),
  /** The stage that runs; null while the file waits for a worker. */
  stage: z.enum(stages).nullable(),
  /** The stage that a waiting file waits for. */
  next_stage: z.enum(stages).nullable(),
  waiting_for: z.enum(waitingReasons).nullable(),
  content_type: z.string(),
  /** Null for an imported text of which the caller does not see all: size and hash would tell the rest. */
  file_size: z.number().int().nullable(),
  file_hash: z.string().nullable(),
  /** Where the recording was imported from; only for its owner and administrators. */
  source_url: z.string().nullable(),
  duration: z.number().nullable(),
  language: z.string().nullable(),
  upload_time: time,
  recorded_date: time.nullable(),
  completed_at: time.nullable(),
  /** Whether there is a recording; false for an imported transcript without one. */
  has_media: z.boolean(),
  /** The recording was deleted by a retention rule; the transcript remains. */
  recording_removed_at: time.nullable(),
  has_video: z.boolean(),
  has_thumbnail: z.boolean(),
  has_waveform: z.boolean(),
  engine: engineInfo.nullable(),
  diarization_provider: z.string().nullable(),
  speaker_count: z.int(),
  transcript_version: z.int(),
  /** Whether people or groups have access besides the owner. */
  is_shared: z.boolean(),
  /** The last change of text, speakers, tags or title by a person. */
  last_edited_at: time.nullable(),
  last_edited_by: z.uuid().nullable(),
  /** null: never edited, the account was deleted, or identity does not respond. */
  last_edited_by_name: z.string().nullable(),
  /** The engine found no words. */
  no_speech: z.boolean(),
  /** Warnings, e.g. why there is only one speaker or that the recording was truncated. */
  warnings: z.array(z.string()),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      what_to_do: z.string(),
      retryable: z.boolean(),
      /** duplicate_file: the earlier file with the same content. */
      duplicate_file_uuid: z.uuid().optional(),
    })
    .nullable(),
});
export type FileObject = z.infer<typeof fileObject>;
export const fileDetail = fileObject.extend({
  /** The sound tracks of the recording; empty before it was prepared. */
  sound_tracks: z.array(soundTrack.extend({ number: z.int() })),
  speakers_by: z.enum(speakerSources),
  sound_level: soundLevel.nullable().describe('null: it was not measured'),
  /** What the file says of itself. */
  file_tags: z.object({ title: z.string().nullable(), artist: z.string().nullable() }),
  /** A copy in a format that browsers play; null: the recording itself is played. */
  playback_copy: z
    .object({
      status: z.enum(['queued', 'ready', 'failed']),
      content_type: z.string().nullable(),
      bytes: z.int().nullable(),
    })
    .nullable(),
  tags: z.array(tagObject),
  speakers: z.array(speakerObject),
  transcript_segments: z.array(segmentObject),
  total_segments: z.int(),
  segment_limit: z.int(),
  segment_offset: z.int(),
});
export type FileDetail = z.infer<typeof fileDetail>;

/** A share of a file with the members of a group or with one user. */
export const shareObject = z.object({
  uuid: z.uuid(),
  group_uuid: z.uuid().nullable(),
  user_uuid: z.uuid().nullable(),
  /** Name (or address) of the user; null for a group, and while identity does not respond. */
  user_name: z.string().nullable(),
  permission: z.enum(sharePermissions),
  shared_by: z.uuid(),
  created_at: time,
});
