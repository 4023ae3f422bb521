import { z } from 'zod';
import { queryFlag, routesOf } from './http.ts';

const route = routesOf('media');
const partial = { 206: 'The part that Range names', 304: 'The caller has this version' };
const binary = z.string();

const contentErrors = [
  'permission_required',
  'range_not_satisfiable',
  'storage_unavailable',
  'recording_removed',
  'audio_masking_pending',
  'audio_masking_failed',
] as const;

export const contentRoutes = {
  content: route('GET', '/api/files/{uuid}/content', 'user', {
    summary:
      'The recording, without its masked parts if the policy says so, or the file of an imported transcript if nothing in it is masked; Range is honoured',
    query: z.object({ download: queryFlag.optional() }),
    answerType: 'audio/*',
    otherAnswers: { 'video/*': binary, 'application/*': binary, 'text/*': binary },
    status: 200,
    otherStatuses: partial,
    errors: [...contentErrors],
  }),
  contentHead: route('HEAD', '/api/files/{uuid}/content', 'user', {
    summary: 'Size and type of the recording',
    status: 200,
    otherStatuses: partial,
    errors: [...contentErrors],
  }),
  thumbnail: route('GET', '/api/files/{uuid}/thumbnail', 'user', {
    summary: 'A picture of the recording',
    answerType: 'image/jpeg',
    status: 200,
    otherStatuses: partial,
    errors: ['artefact_missing', 'range_not_satisfiable', 'storage_unavailable', 'recording_removed'],
  }),
  waveform: route('GET', '/api/files/{uuid}/waveform', 'user', {
    summary: 'Peaks between 0 and 1 for drawing',
    query: z.object({ samples: z.coerce.number().int().min(100).max(10_000).default(1000) }),
    answer: z.object({ duration: z.number(), peaks: z.array(z.number()) }),
    errors: ['artefact_missing', 'storage_unavailable', 'recording_removed'],
  }),
};
