import { z } from 'zod';
import { defineEvent, defineRpc, roles } from './define.ts';
import { time } from './http.ts';
import { fileStatuses, transcriptionOutcomes } from './media-objects.ts';
import { word } from './transcription.ts';
import { runOptions } from './transcription-jobs.ts';

const ofFile = { fileId: z.uuid(), ownerId: z.uuid() };
/** The groups and users who may see a file besides its owner. The higher version is newer. */
export const fileAccess = z.object({
  ...ofFile,
  groupIds: z.array(z.uuid()),
  userIds: z.array(z.uuid()),
  version: z.int(),
});
export type FileAccess = z.infer<typeof fileAccess>;
/** Audited actions on files; identity's `audit.slice.ts` names them in the audit trail. */
export const fileActions = [
  'file_uploaded',
  'file_shared',
  'file_unshared',
  'public_link_created',
  'public_link_revoked',
  'file_deleted',
  'file_restored',
  'file_purged',
  'file_quarantined',
  'file_released',
  'file_exported',
  'comment_deleted',
  'coding_deleted',
  'recording_removed',
  'redaction_changed',
  'text_revealed',
  'clip_requested',
  'transcript_imported',
  'labels_applied',
  'labels_removed',
  'speakers_named',
] as const;
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
  /** Starts a new run; the earlier run, if any, is superseded. */
  reprocessOrdered: defineEvent(
    'evt.media.file.reprocess-ordered.v1',
    z.object({ ...ofFile, objectKey: z.string(), contentType: z.string(), options: runOptions }),
  ),
  cancelOrdered: defineEvent('evt.media.file.cancel-ordered.v1', z.object(ofFile)),
  /** Any field a list shows has changed (status, title, duration, ...). */
  updated: defineEvent('evt.media.file.updated.v1', z.object({ ...ofFile, status: z.enum(fileStatuses) })),
  /** Moved to the bin: invisible until it is restored. */
  binned: defineEvent('evt.media.file.binned.v1', z.object(ofFile)),
  /** In quarantine: readable for administrators only until it is restored. */
  quarantined: defineEvent('evt.media.file.quarantined.v1', z.object(ofFile)),
  /** Back from the bin or from quarantine. */
  restored: defineEvent('evt.media.file.restored.v1', z.object({ ...ofFile, transcriptVersion: z.int() })),
  /** The recording and everything derived from it are deleted; the transcript remains. */
  recordingRemoved: defineEvent('evt.media.file.recording-removed.v1', z.object(ofFile)),
  /** Deleted permanently. */
  deleted: defineEvent('evt.media.file.deleted.v1', z.object(ofFile)),
  /** A user or a group got access to the file. */
  shared: defineEvent(
    'evt.media.file.shared.v1',
    z.object({ ...ofFile, sharedBy: z.uuid(), userId: z.uuid().nullable(), groupId: z.uuid().nullable() }),
  ),
  /** A user or a group got access to a collection. */
  collectionShared: defineEvent(
    'evt.media.collection.shared.v1',
    z.object({
      collectionId: z.uuid(),
      ownerId: z.uuid(),
      sharedBy: z.uuid(),
      userId: z.uuid().nullable(),
      groupId: z.uuid().nullable(),
    }),
  ),
  /** Name, files or shares of a collection changed. These people and groups may see it, or could until now. */
  collectionChanged: defineEvent(
    'evt.media.collection.changed.v1',
    z.object({ collectionId: z.uuid(), userIds: z.array(z.uuid()), groupIds: z.array(z.uuid()) }),
  ),
  transcriptionEnded: defineEvent(
    'evt.media.file.transcription-ended.v1',
    z.object({ ...ofFile, outcome: z.enum(transcriptionOutcomes), noSpeech: z.boolean() }),
  ),
  /** A user's action on a file; identity writes it to the audit trail. */
  actionPerformed: defineEvent(
    'evt.media.action.performed.v1',
    z.object({
      ...ofFile,
      action: z.enum(fileActions),
      /** null: the service itself. */
      actorId: z.uuid().nullable(),
      details: z.record(z.string(), z.union([z.string(), z.number()])),
      client: z.object({
        ip: z.string().nullable(),
        userAgent: z.string().nullable(),
        requestId: z.string().nullable(),
      }),
    }),
  ),
  accessChanged: defineEvent('evt.media.file.access-changed.v1', fileAccess),
  /** A run's transcript is stored; `provisional` until diarization has finished. */
  transcriptStored: defineEvent(
    'evt.media.transcript.stored.v1',
    z.object({ ...ofFile, runId: z.uuid(), transcriptVersion: z.int(), provisional: z.boolean() }),
  ),
  /** Text, speakers, tags or title were edited: the search index of the file is outdated. */
  transcriptEdited: defineEvent(
    'evt.media.transcript.edited.v1',
    z.object({
      ...ofFile,
      transcriptVersion: z.int(),
      /** null: the service itself; missing in events of versions before it was added. */
      editedBy: z.uuid().nullable().optional(),
    }),
  ),
  /** A comment was added to a recording: who is notified of it. */
  commented: defineEvent(
    'evt.media.comment.added.v1',
    z.object({
      ...ofFile,
      authorId: z.uuid(),
      mentioned: z.array(z.uuid()),
      /** The owner of the recording and those who wrote in the thread. */
      followers: z.array(z.uuid()),
    }),
  ),
  /** Comments or highlights of a recording were added, changed, resolved or deleted. */
  commentsChanged: defineEvent('evt.media.comment.changed.v1', z.object(ofFile)),
  /** Codes were given to passages of a recording, or removed from them. */
  codingsChanged: defineEvent('evt.media.coding.changed.v1', z.object(ofFile)),
  /** Name, codes or shares of a list of codes changed. These people and groups may see it, or could until now. */
  codeListChanged: defineEvent(
    'evt.media.code-list.changed.v1',
    z.object({ listId: z.uuid(), userIds: z.array(z.uuid()), groupIds: z.array(z.uuid()) }),
  ),
  /**
   * More is masked than before: in all files, those of one owner, or one file. What was read from them earlier may contain
   * masked text.
   */
  masksTightened: defineEvent(
    'evt.media.masks.tightened.v1',
    z.object({ ownerId: z.uuid().nullable(), fileId: z.uuid().nullable() }),
  ),
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
  /** A file and a page of its transcript for the index; null when the file does not exist. */
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
  /** Files with a transcript after `after` in order of id, for a reindex. */
  listTranscribed: defineRpc('media', 'list-transcribed', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ files: z.array(z.object({ ...ofFile, transcriptVersion: z.int() })) }),
  }),
  /** Files after `after` in order of id that are or were shared: the initial state for followers of `accessChanged`. */
  listShared: defineRpc('media', 'list-shared', {
    request: z.object({ after: z.uuid().nullable(), limit: z.int().min(1).max(500) }),
    reply: z.object({ files: z.array(fileAccess) }),
  }),
  /** Titles of the existing files and whether the reader may read them; deleted files are omitted. */
  describeFiles: defineRpc('media', 'standing', {
    request: z.object({
      fileIds: z.array(z.uuid()).max(500),
      reader: z.object({ userId: z.uuid(), role: z.enum(roles) }),
    }),
    reply: z.object({ files: z.array(z.object({ fileId: z.uuid(), title: z.string(), readable: z.boolean() })) }),
    timeoutMs: 3_000,
  }),
};
