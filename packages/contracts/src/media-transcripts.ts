import { z } from 'zod';
import { routesOf, text, uuidParams } from './http.ts';
import { segmentObject, speakerObject } from './media-objects.ts';

const route = routesOf('media');

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
};
