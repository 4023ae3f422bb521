import { z } from 'zod';
import { queryFlag, routesOf } from './http.ts';
import { summaryGap, summaryObject } from './insights-summaries.ts';
import { fileObject, segmentObject } from './media-objects.ts';

const route = routesOf('media');
const partial = { 206: 'The part that Range names', 304: 'The caller has this version' };
const binary = z.string();
const source = z.object({ start: z.number() });
const statement = z.object({ text: z.string(), segments: z.array(source) });
/** With the seconds that statements rest on, in place of the passages. */
const exportedSummary = summaryObject.pick({ made_without_model: true, out_of_date: true, language: true }).extend({
  content: z.object({
    brief: z.array(statement),
    key_decisions: z.array(statement),
    action_items: z.array(statement.extend({ owner: z.string().nullable(), due_date: z.string().nullable() })),
    topics: z.array(source.extend({ title: z.string(), end: z.number(), segments: z.array(source) })),
    follow_ups: z.array(statement),
  }),
  gaps: z.array(summaryGap),
});
/** For other programs: speakers by their label, without identifiers of this installation. */
const exportedTranscript = fileObject
  .pick({
    title: true,
    filename: true,
    language: true,
    duration: true,
    recorded_date: true,
    upload_time: true,
    engine: true,
  })
  .extend({
    speakers: z.array(z.object({ label: z.string(), name: z.string(), talk_time: z.number() })).optional(),
    summary: exportedSummary.optional(),
    segments: z.array(
      segmentObject
        .pick({ start_time: true, end_time: true, text: true, confidence: true, edited: true, words: true })
        .extend({ speaker: z.string().nullable().optional() }),
    ),
  });

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
  subtitles: route('GET', '/api/files/{uuid}/subtitles', 'user', {
    summary: 'The transcript as SRT, WebVTT, text or JSON',
    query: z
      .object({
        subtitle_format: z.enum(['srt', 'webvtt', 'txt', 'json']).default('srt'),
        include_speakers: queryFlag.default(true),
        /** The summary in front of the transcript; without one the transcript alone. */
        include_summary: queryFlag.default(false),
      })
      .refine(({ subtitle_format: format, include_summary: included }) => format !== 'srt' || !included, {
        path: ['include_summary'],
        error: 'SRT has no place for a summary; choose webvtt, txt or json.',
      }),
    answerType: 'text/plain',
    otherAnswers: {
      'application/x-subrip': z.string(),
      'text/vtt': z.string(),
      'application/json': exportedTranscript,
    },
    status: 200,
  }),
};
