import { z } from 'zod';
import { routesOf, text } from './http.ts';
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
/** null: nothing changed. */
const undoable = { undo: undoObject.nullable() };

export const transcriptRoutes = {
  editSegment: route('PUT', '/api/files/{uuid}/transcript/segments/{segment_uuid}', 'user', {
    summary: "Change a segment's text or speaker",
    body: z.object({
      text: text(20_000).optional(),
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
    body: z.object({ display_name: text(200).trim().min(1) }),
    answer: speakerObject,
    status: 201,
    errors: ['not_found', 'permission_required'],
  }),
  updateSpeaker: route('PUT', '/api/speakers/{uuid}', 'user', {
    summary: 'Name a speaker',
    body: z.object({ display_name: text(200).trim().nullable() }),
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
