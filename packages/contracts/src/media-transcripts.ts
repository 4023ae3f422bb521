import { z } from 'zod';
import { line, routesOf, text, time } from './http.ts';
import { segmentObject, speakerObject, undoObject } from './media-objects.ts';

const route = routesOf('media');

/** Changes of a transcript that can be undone. */
export const changeKinds = [
  'segment_edited',
  'segment_deleted',
  'speaker_merged',
  'speaker_deleted',
  'transcript_imported',
] as const;
/** What an operation does to the segments that it replaces. */
export const operationKinds = ['text', 'speaker', 'split', 'merge', 'retime', 'insert', 'delete', 'accept'] as const;

const seconds = z.number().min(0).max(10_000_000);
/** Limits of one request; a longer one is sent in parts. */
export const maxOperations = 200;
export const maxSegmentsOfOperation = 500;
const maxAcceptedWords = 2_000;
export const maxSegmentText = 20_000;

/**
 * Replaces adjacent segments by others: one by two is a split, two by one a merge, none by one an insertion, one by none a
 * deletion. Words that occur on both sides keep their times.
 */
export const transcriptOperation = z.object({
  segments: z
    .array(z.object({ uuid: z.uuid(), version: z.int().optional().describe('409 when it has changed since') }))
    .max(maxSegmentsOfOperation),
  after_uuid: z
    .uuid()
    .nullable()
    .default(null)
    .describe('where to insert, when `segments` is empty; null: at the start'),
  replacement: z
    .array(
      z.object({
        uuid: z.uuid().describe('of a replaced segment, or a new one'),
        text: text(maxSegmentText).optional().describe('absent: unchanged'),
        speaker_uuid: z.uuid().nullable().optional().describe('absent: unchanged'),
        start_time: seconds.optional(),
        end_time: seconds.optional(),
        accepted_words: z
          .array(seconds)
          .max(maxAcceptedWords)
          .optional()
          .describe('start times of words that a person has checked: they lose their confidence'),
      }),
    )
    .max(maxSegmentsOfOperation),
});
export type TranscriptOperation = z.input<typeof transcriptOperation>;

const requestId = z.uuid().describe('chosen by the client: a repeated request is applied once');
/** The segments that a correction changed, as they are now. */
export const correctionResult = z.object({
  revision: z.int(),
  transcript_version: z.int(),
  segments: z.array(segmentObject.extend({ previous_uuid: z.uuid().nullable() })),
  removed: z.array(z.uuid()),
  can_undo: z.boolean(),
  can_redo: z.boolean(),
});
export type CorrectionResult = z.infer<typeof correctionResult>;

/** null: nothing changed. */
const undoable = { undo: undoObject.nullable() };

export const transcriptRoutes = {
  editSegment: route('PUT', '/api/files/{uuid}/transcript/segments/{segment_uuid}', 'user', {
    summary: "Change a segment's text or speaker",
    body: z.object({
      text: text(maxSegmentText).optional(),
      speaker_uuid: z.uuid().nullable().optional(),
      version: z.int().optional().describe('version that was edited; 409 when it has changed since'),
    }),
    answer: segmentObject.extend(undoable),
    errors: ['permission_required', 'stale_version', 'speaker_mismatch', 'masked_text_changed'],
  }),
  deleteSegment: route('DELETE', '/api/files/{uuid}/transcript/segments/{segment_uuid}', 'user', {
    summary: 'Remove a segment from the transcript',
    query: z.object({ version: z.coerce.number().int().optional().describe('409 when it has changed since') }),
    answer: z.object({ undo: undoObject }),
    errors: ['permission_required', 'stale_version'],
  }),
  undoChange: route('POST', '/api/files/{uuid}/undo/{undo_uuid}', 'user', {
    summary:
      'Undo a change of the transcript, within a day; a repeated call changes nothing, later edits are kept (409)',
    answer: z.object({ kind: z.enum(changeKinds), transcript_version: z.int() }),
    errors: ['permission_required', 'stale_version'],
  }),
  applyOperations: route('POST', '/api/files/{uuid}/transcript/operations', 'user', {
    summary: 'Correct the transcript: replace segments; all operations of a request are applied, or none',
    body: z.object({ uuid: requestId, operations: z.array(transcriptOperation).min(1).max(maxOperations) }),
    answer: correctionResult,
    errors: [
      'permission_required',
      'stale_version',
      'speaker_mismatch',
      'masked_text_changed',
      'segments_not_adjacent',
      'segment_times_invalid',
    ],
  }),
  listOperations: route('GET', '/api/files/{uuid}/transcript/operations', 'user', {
    summary: 'Corrections of the transcript, the last one first',
    query: z.object({
      before: z.coerce.number().int().min(1).optional().describe('only revisions before this one'),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({
      items: z.array(
        z.object({
          uuid: z.uuid(),
          revision: z.int(),
          user_id: z.uuid().nullable(),
          user_name: z.string().nullable(),
          created_at: time,
          kinds: z.array(z.enum(operationKinds)),
          segment_uuids: z.array(z.uuid()),
          reverts: z.int().nullable().describe('the revision that this one undoes or redoes'),
          undone: z.boolean(),
        }),
      ),
      revision: z.int().describe('of the last correction; 0: none'),
      can_undo: z.boolean().describe('whether the caller has a correction to undo'),
      can_redo: z.boolean(),
    }),
  }),
  undoOperation: route('POST', '/api/files/{uuid}/transcript/undo', 'user', {
    summary: "Undo the caller's last correction of the transcript",
    body: z.object({ uuid: requestId }),
    answer: correctionResult,
    errors: ['permission_required', 'nothing_to_undo', 'stale_version'],
  }),
  redoOperation: route('POST', '/api/files/{uuid}/transcript/redo', 'user', {
    summary: 'Redo what the caller undid last',
    body: z.object({ uuid: requestId }),
    answer: correctionResult,
    errors: ['permission_required', 'nothing_to_undo', 'stale_version'],
  }),
  setSegmentSpeaker: route('PUT', '/api/transcripts/segments/{uuid}/speaker', 'user', {
    summary: 'Assign a segment to another speaker',
    body: z.object({ speaker_uuid: z.uuid().nullable() }),
    answer: segmentObject.extend(undoable),
    errors: ['permission_required', 'speaker_mismatch'],
  }),
  listSpeakers: route('GET', '/api/speakers', 'user', {
    summary: 'Speakers of a file',
    query: z.object({ file_uuid: z.uuid() }),
    answer: z.array(speakerObject),
    errors: ['not_found'],
  }),
  createSpeaker: route('POST', '/api/speakers', 'user', {
    summary: 'Add a speaker to a file',
    query: z.object({ media_file_uuid: z.uuid() }),
    body: z.object({ display_name: line(200).min(1) }),
    answer: speakerObject,
    status: 201,
    errors: ['not_found', 'permission_required'],
  }),
  updateSpeaker: route('PUT', '/api/speakers/{uuid}', 'user', {
    summary: 'Name a speaker',
    body: z.object({ display_name: line(200).nullable() }),
    answer: speakerObject,
    errors: ['permission_required'],
  }),
  mergeSpeaker: route('POST', '/api/speakers/{uuid}/merge/{target_uuid}', 'user', {
    summary: 'Assign all segments of a speaker to another one and remove it',
    answer: speakerObject.extend(undoable),
    errors: ['permission_required', 'speaker_mismatch'],
  }),
  deleteSpeaker: route('DELETE', '/api/speakers/{uuid}', 'user', {
    summary: 'Remove a speaker; its segments stay, without a speaker',
    answer: z.object({ undo: undoObject }),
    errors: ['permission_required'],
  }),
};
