import { z } from 'zod';
import { queryFlag, routesOf, uuidParams } from './http.ts';

const route = routesOf('media');

export const contentRoutes = {
  content: route({
    method: 'GET',
    path: '/api/files/{uuid}/content',
    access: 'user',
    summary: 'The recording itself; Range is honoured',
    params: uuidParams,
    query: z.object({ download: queryFlag.optional() }),
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
      include_speakers: queryFlag.default(true),
    }),
    answerType: 'text/plain',
    status: 200,
  }),
};
