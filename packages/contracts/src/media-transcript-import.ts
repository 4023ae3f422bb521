import { z } from 'zod';
import type { RouteError } from './errors.ts';
import { line, queryFlag, routesOf } from './http.ts';
import { fileObject, undoObject } from './media-objects.ts';

const route = routesOf('media');

/**
 * Formats of an imported transcript; `json` is the export format of the same name or what Whisper writes, `sbv` SubViewer,
 * `microdvd` that or MPL2, `docx` the export of Teams; `text` has turns (`Name: ...`).
 */
export const importFormats = ['srt', 'webvtt', 'ttml', 'ass', 'sbv', 'microdvd', 'json', 'docx', 'text'] as const;
export type ImportFormat = (typeof importFormats)[number];
/** Encodings that are detected are UTF-8, UTF-16 and Windows-1252; the others can be chosen. */
export const importEncodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'iso-8859-15',
  'shift_jis',
  'gb18030',
  'big5',
  'euc-kr',
] as const;
export type ImportEncoding = (typeof importEncodings)[number];

/** What was corrected while an imported transcript was read. */
export const importNotes = ['sorted', 'overlapping', 'negative_time', 'no_length', 'markup_removed'] as const;

const importQuery = z.object({
  encoding: z.enum(importEncodings).optional().describe('by default it is detected'),
  format: z.enum(importFormats).exclude(['docx']).optional().describe('by default it is recognised by its content'),
  shift: z.coerce
    .number()
    .min(-36_000_000)
    .max(36_000_000)
    .optional()
    .describe('seconds that are added to all times, e.g. -36000 for a time code that begins at 10:00:00'),
  speaker_prefixes: queryFlag.optional().describe('whether names before a colon are speakers; true by default'),
});
const importErrors: readonly RouteError[] = [
  'invalid_body',
  'upload_invalid',
  'upload_incomplete',
  'filename_invalid',
  'transcript_invalid',
  'transcript_empty',
  'transcript_format_unknown',
  'transcript_encoding_unknown',
  'transcript_too_large',
  'transcript_too_many_words',
  'too_many_imports',
];

/** A transcript file as it was understood. */
export const importPreview = z.object({
  format: z.enum(importFormats),
  encoding: z.enum(importEncodings),
  segment_count: z.int(),
  word_count: z.int(),
  duration: z.number(),
  language: z.string().nullable(),
  /** Names in order of appearance. */
  speakers: z.array(z.string()),
  /** Whether times of words were calculated from their length. */
  interpolated: z.boolean(),
  /** Whether the file has no times at all. */
  untimed: z.boolean(),
  notes: z.array(z.object({ note: z.enum(importNotes), count: z.int() })),
  turns: z.array(
    z.object({ start_time: z.number(), end_time: z.number(), speaker: z.string().nullable(), text: z.string() }),
  ),
});
export type ImportPreview = z.infer<typeof importPreview>;

export const transcriptImportRoutes = {
  previewImport: route('POST', '/api/transcripts/import/preview', 'user', {
    summary: 'How a transcript file (multipart field `file`) would be imported; nothing is stored',
    bodyKind: 'raw',
    query: importQuery,
    answer: importPreview,
    errors: importErrors,
  }),
  importTranscript: route('POST', '/api/transcripts/import', 'user', {
    summary: 'Create a file without a recording from a transcript file (multipart field `file`)',
    bodyKind: 'raw',
    query: importQuery.extend({ title: line(255).optional() }),
    answer: fileObject,
    status: 201,
    errors: [...importErrors, 'storage_full', 'storage_unavailable'],
  }),
  importOntoFile: route('POST', '/api/files/{uuid}/transcript/import', 'user', {
    summary: 'Replace the transcript of a file by a transcript file (multipart field `file`); can be undone',
    bodyKind: 'raw',
    query: importQuery,
    answer: z.object({ transcript_version: z.int(), segment_count: z.int(), undo: undoObject }),
    errors: [...importErrors, 'permission_required', 'file_busy'],
  }),
};
