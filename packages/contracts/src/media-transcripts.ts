import { z } from 'zod';
import { routesOf, text, uuidParams } from './http.ts';
import { segmentObject, speakerObject, undoObject } from './media-objects.ts';

const route = routesOf('media');

/** Changes of a transcript that can be undone. */
export const changeKinds = ['segment_edited', 'segment_deleted', 'speaker_merged', 'speaker_deleted'] as const;
/** null: nothing changed. */
const undoable = { undo: undoObject.nullable() };

export const transcriptRoutes = {
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
    answer: segmentObject.extend(undoable),
    errors: ['permission_required', 'stale_version', 'speaker_mismatch'],
  }),
  deleteSegment: route({
    method: 'DELETE',
    path: '/api/files/{uuid}/transcript/segments/{segment_uuid}',
    access: 'user',
    summary: 'Remove a segment from the transcript',
    params: z.object({ uuid: z.uuid(), segment_uuid: z.uuid() }),
    query: z.object({ version: z.coerce.number().int().optional().describe('409 when it has changed since') }),
    answer: z.object({ undo: undoObject }),
    errors: ['permission_required', 'stale_version'],
  }),
  undoChange: route({
    method: 'POST',
    path: '/api/files/{uuid}/undo/{undo_uuid}',
    access: 'user',
    summary:
      'Undo a change of the transcript, within a day; a repeated call changes nothing, later edits are kept (409)',
    params: z.object({ uuid: z.uuid(), undo_uuid: z.uuid() }),
    answer: z.object({ kind: z.enum(changeKinds), transcript_version: z.int() }),
    errors: ['permission_required', 'stale_version'],
  }),
  setSegmentSpeaker: route({
    method: 'PUT',
    path: '/api/transcripts/segments/{uuid}/speaker',
    access: 'user',
    summary: 'Assign a segment to another speaker',
    params: uuidParams,
    body: z.object({ speaker_uuid: z.uuid().nullable() }),
    answer: segmentObject.extend(undoable),
    errors: ['permission_required', 'speaker_mismatch'],
  }),
  listSpeakers: route({
    method: 'GET',
    path: '/api/speakers',
    access: 'user',
    summary: 'Speakers of a file',
    query: z.object({ file_uuid: z.uuid() }),
    answer: z.array(speakerObject),
    errors: ['not_found'],
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
    errors: ['not_found', 'permission_required'],
  }),
  updateSpeaker: route({
    method: 'PUT',
    path: '/api/speakers/{uuid}',
    access: 'user',
    summary: 'Name a speaker',
    params: uuidParams,
    body: z.object({ display_name: text(200).trim().nullable() }),
    answer: speakerObject,
    errors: ['permission_required'],
  }),
  mergeSpeaker: route({
    method: 'POST',
    path: '/api/speakers/{uuid}/merge/{target_uuid}',
    access: 'user',
    summary: 'Assign all segments of a speaker to another one and remove it',
    params: z.object({ uuid: z.uuid(), target_uuid: z.uuid() }),
    answer: speakerObject.extend(undoable),
    errors: ['permission_required', 'speaker_mismatch'],
  }),
  deleteSpeaker: route({
    method: 'DELETE',
    path: '/api/speakers/{uuid}',
    access: 'user',
    summary: 'Remove a speaker; its segments stay, without a speaker',
    params: uuidParams,
    answer: z.object({ undo: undoObject }),
    errors: ['permission_required'],
  }),
};
