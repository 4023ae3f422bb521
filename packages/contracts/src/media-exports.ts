import { z } from 'zod';
import { commentThread } from './media-comments.ts';
import { exportChoices, exportFlags, exportFormatNames, exportFormats, subtitleIssueRules } from './export-formats.ts';
import { queryFlag, routesOf } from './http.ts';
import { wordTemplateChoice } from './media-word-templates.ts';
import { summaryGap, summaryObject } from './insights-summaries.ts';
import { searchQuery } from './search.ts';
import { fileObject, segmentObject } from './media-objects.ts';

const route = routesOf('media');

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
const exportedComment = commentThread.pick({ text: true, created_at: true }).extend({ author: z.string().nullable() });
const exportedThread = exportedComment.extend({
  ...commentThread.pick({ start_time: true, end_time: true, quote: true, color: true }).shape,
  resolved: z.boolean(),
  replies: z.array(exportedComment),
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
    comments: z.array(exportedThread).optional(),
    segments: z.array(
      segmentObject
        .pick({ start_time: true, end_time: true, text: true, confidence: true, edited: true, words: true })
        .extend({ speaker: z.string().nullable().optional() }),
    ),
  });

/** The options of an export; a format ignores those that it has no place for. */
const exportQuery = {
  format: z
    .enum(exportFormatNames)
    .describe(exportFormatNames.map((name) => `${name}: ${exportFormats[name].label}`).join('; ')),
  names: z.enum(exportChoices.names).default(exportChoices.names[0]),
  times: z.enum(exportChoices.times).default(exportChoices.times[0]),
  paragraphs: z.enum(exportChoices.paragraphs).default(exportChoices.paragraphs[0]),
  masked: z.enum(exportChoices.masked).default(exportChoices.masked[0]),
  cues: z.enum(exportChoices.cues).default(exportChoices.cues[0]),
  heading: queryFlag.default(exportFlags.heading),
  participants: queryFlag.default(exportFlags.participants),
  summary: queryFlag.default(exportFlags.summary),
  comments: queryFlag.default(exportFlags.comments),
  uncertain: queryFlag.default(exportFlags.uncertain),
  line_numbers: queryFlag.default(exportFlags.line_numbers),
  word_template: wordTemplateChoice,
};

/** `value` is what the subtitle has, `limit` what is allowed. */
const subtitleIssue = z.object({
  /** Number of the subtitle in the file, from 1. */
  cue: z.int(),
  start: z.number(),
  rule: z.enum(subtitleIssueRules),
  value: z.number(),
  limit: z.number(),
});
export type SubtitleIssue = z.infer<typeof subtitleIssue>;
const subtitleCheck = z.object({
  is_valid: z.boolean(),
  cues: z.int(),
  total_issues: z.int(),
  /** The first of them. */
  issues: z.array(subtitleIssue),
});
export type SubtitleCheck = z.infer<typeof subtitleCheck>;

/** Media types of all formats, without their character set. */
const exportAnswers = Object.fromEntries(
  Object.values(exportFormats).map(({ mediaType }) => [mediaType.split(';')[0] ?? mediaType, z.string()]),
);
const exportErrors = ['export_too_large', 'rate_limited'] as const;

const maxArchiveFiles = 200;

export const exportRoutes = {
  exportFile: route('GET', '/api/files/{uuid}/export', 'user', {
    summary: 'The transcript in a format for people or programs',
    query: z.object(exportQuery),
    answerType: 'text/plain',
    otherAnswers: { ...exportAnswers, 'application/json': exportedTranscript },
    status: 200,
    errors: [...exportErrors],
  }),
  exportArchive: route('GET', '/api/transcripts/export', 'user', {
    summary: 'Transcripts of several files as one ZIP file, with a table of contents',
    query: z
      .object({
        ...exportQuery,
        file_uuids: z
          .string()
          .max(maxArchiveFiles * 37)
          .transform((list) => list.split(','))
          .pipe(z.array(z.uuid()).min(1).max(maxArchiveFiles))
          .optional()
          .describe('separated by commas'),
        collection_uuid: z.uuid().optional().describe('all files of it that the caller may read'),
      })
      .refine(
        ({ file_uuids: files, collection_uuid: collection }) => (files === undefined) !== (collection === undefined),
        {
          path: ['file_uuids'],
          error: 'Name either files or a collection.',
        },
      ),
    answerType: 'application/zip',
    status: 200,
    errors: ['not_found', 'rate_limited'],
  }),
  exportFound: route('GET', '/api/transcripts/export/search', 'user', {
    summary: 'Transcripts of all files that a search finds as one ZIP file, with a table of contents',
    query: z.object({ ...exportQuery, ...searchQuery }),
    answerType: 'application/zip',
    status: 200,
    errors: ['not_found', 'search_unavailable', 'export_too_many', 'rate_limited'],
  }),
  exportPreview: route('GET', '/api/files/{uuid}/export/preview', 'user', {
    summary: 'The beginning of an export; of a document for a word processor, as a web page',
    query: z.object(exportQuery),
    answer: z.object({
      type: z.enum(['text', 'html']),
      text: z.string(),
      /** Whether this is all of it. */
      complete: z.boolean(),
    }),
    errors: [...exportErrors],
  }),
  checkSubtitles: route('GET', '/api/files/{uuid}/subtitles/validate', 'user', {
    summary: 'Where the subtitles break the rules of length, reading speed and gaps',
    query: z.object({ names: exportQuery.names, masked: exportQuery.masked, cues: exportQuery.cues }),
    answer: subtitleCheck,
    errors: [...exportErrors],
  }),
  /** The formats that existed first, with fewer options. */
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
    errors: [...exportErrors],
  }),
};
