import { z } from 'zod';
import { fileStatuses, transcriptionOutcomes } from './media-objects.ts';
import { stages } from './transcription.ts';

/**
 * Messages of the push channel `/api/ws`: an envelope `{type, data, seq}`. They name entities, which the client fetches
 * again. `seq` grows; a client that reconnects within 60 s sends its last one and receives all missed messages.
 * Live values (progress) have no `seq`.
 */
export const pushMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('connection_established'),
    data: z.object({ user_id: z.uuid(), seq: z.int(), resumed: z.boolean() }),
  }),
  z.object({ type: z.literal('file_created'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  z.object({
    type: z.literal('file_updated'),
    seq: z.int(),
    data: z.object({ file_id: z.uuid(), status: z.enum(fileStatuses) }),
  }),
  z.object({ type: z.literal('file_deleted'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  z.object({
    type: z.literal('transcript_updated'),
    seq: z.int(),
    data: z.object({ file_id: z.uuid(), transcript_version: z.int() }),
  }),
  z.object({ type: z.literal('search_indexing_complete'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  z.object({ type: z.literal('suggestions_changed'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  /** A version of the summary was ordered, has ended, is out of date, withheld or deleted. */
  z.object({ type: z.literal('summary_changed'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  /** Comments or highlights were added, changed, resolved or deleted. */
  z.object({ type: z.literal('comments_changed'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  /** Codes were given to passages, or removed from them. */
  z.object({ type: z.literal('codings_changed'), seq: z.int(), data: z.object({ file_id: z.uuid() }) }),
  /** For notifications. To the owner of the file. */
  z.object({
    type: z.literal('transcription_ended'),
    seq: z.int(),
    data: z.object({ file_id: z.uuid(), outcome: z.enum(transcriptionOutcomes), no_speech: z.boolean() }),
  }),
  /** For notifications. To those the file was shared with. */
  z.object({
    type: z.literal('file_shared'),
    seq: z.int(),
    data: z.object({ file_id: z.uuid(), shared_by: z.uuid() }),
  }),
  /** Name, codes or shares of a list of codes changed, or it is no longer visible. */
  z.object({ type: z.literal('code_list_changed'), seq: z.int(), data: z.object({ list_id: z.uuid() }) }),
  /** Name, files or shares of a collection changed, or it is no longer visible. */
  z.object({ type: z.literal('collection_changed'), seq: z.int(), data: z.object({ collection_id: z.uuid() }) }),
  /** The user's notifications were added or read. */
  z.object({ type: z.literal('notifications_changed'), seq: z.int(), data: z.object({}) }),
  z.object({
    type: z.literal('transcription_status'),
    data: z.object({
      file_id: z.uuid(),
      stage: z.enum(stages),
      progress: z.number(),
      message: z.string(),
      eta_seconds: z.number().nullable(),
    }),
  }),
  /** A recording is being downloaded from its address; `total_bytes` is null while its size is unknown. */
  z.object({
    type: z.literal('import_progress'),
    data: z.object({ file_id: z.uuid(), received_bytes: z.number().int(), total_bytes: z.number().int().nullable() }),
  }),
  /** A summary is being written: finished and all requests, and its text so far. */
  z.object({
    type: z.literal('summary_progress'),
    data: z.object({
      file_id: z.uuid(),
      version: z.int(),
      sections_done: z.int(),
      sections_total: z.int(),
      draft: z.string(),
    }),
  }),
  /** Someone else has the page of a file open, moved the caret, or left. */
  z.object({
    type: z.literal('presence'),
    data: z.object({
      file_id: z.uuid(),
      visit_id: z.uuid(),
      person: z.object({ uuid: z.uuid(), name: z.string().nullable() }),
      /** The passage with the caret; null: the person reads. */
      segment_id: z.uuid().nullable(),
      left: z.boolean(),
    }),
  }),
  /** More messages were missed than are buffered: fetch everything again. */
  z.object({ type: z.literal('resync'), data: z.object({ seq: z.int() }) }),
  z.object({ type: z.literal('pong'), data: z.object({}) }),
]);
export type PushMessage = z.infer<typeof pushMessage>;

/** Frames a plain WebSocket client may send. */
export const clientFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('authenticate'), token: z.string().max(4096), since: z.int().optional() }),
  z.object({ type: z.literal('resume'), since: z.int() }),
  z.object({ type: z.literal('ping') }),
]);

/** Close codes of the plain WebSocket. */
export const closeCodes = { notAuthenticated: 4001, badFrame: 4002, tokenRefused: 4003, sessionRevoked: 4004 } as const;
