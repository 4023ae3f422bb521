import { z } from 'zod';
import type { RouteError } from './errors.ts';
import { wordTemplateChoices } from './export-formats.ts';
import { line, routesOf, time } from './http.ts';

const route = routesOf('media');

export const maxWordTemplates = 50;
export const maxWordTemplateBytes = 5 * 1024 * 1024;

/** Which document an export takes. One that was deleted is named in the export, which has the standard layout. */
export const wordTemplateChoice = z.union([z.enum(wordTemplateChoices), z.uuid()]).default(wordTemplateChoices[0]);

/** What a document may contain in double braces, such as {{title}}; it is replaced in an export. */
export const wordPlaceholders = [
  'transcript',
  'title',
  'date',
  'duration',
  'participants',
  'language',
  'filename',
] as const;
export type WordPlaceholder = (typeof wordPlaceholders)[number];

/** A Word document of the organisation: transcripts get its page, header, footer and styles. */
export const wordTemplateObject = z.object({
  uuid: z.uuid(),
  name: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Names of the placeholders in it, also of those that are none of ours. */
  placeholders: z.array(z.string()),
  /** Exports that choose nothing have it. */
  is_default: z.boolean(),
  created_at: time,
  updated_at: time,
});
export type WordTemplateObject = z.infer<typeof wordTemplateObject>;

const name = line(120).min(1);
const uploadErrors: readonly RouteError[] = [
  'invalid_body',
  'upload_invalid',
  'upload_incomplete',
  'filename_invalid',
  'word_template_invalid',
  'word_template_too_large',
  'word_template_macros',
  'word_template_embedded',
  'word_template_external',
];

export const wordTemplateRoutes = {
  listWordTemplates: route('GET', '/api/word-templates', 'user', {
    summary: 'The Word templates of the organisation, by name',
    answer: z.array(wordTemplateObject),
  }),
  wordTemplateContent: route('GET', '/api/word-templates/{uuid}/content', 'user', {
    summary: 'A Word template as a document',
    answerType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    answer: z.string(),
  }),
  addWordTemplate: route('POST', '/api/admin/word-templates', 'admin', {
    summary: 'Add a Word document (multipart field `file`) as a template of exports',
    bodyKind: 'raw',
    query: z.object({ name }),
    answer: wordTemplateObject,
    status: 201,
    errors: [...uploadErrors, 'word_template_exists', 'word_templates_full'],
  }),
  updateWordTemplate: route('PUT', '/api/admin/word-templates/{uuid}', 'admin', {
    summary: 'Rename a Word template, or make it the one of exports that choose nothing',
    body: z.strictObject({ name, is_default: z.boolean() }).partial(),
    answer: wordTemplateObject,
    errors: ['word_template_exists'],
  }),
  replaceWordTemplate: route('PUT', '/api/admin/word-templates/{uuid}/content', 'admin', {
    summary: 'Replace the document (multipart field `file`) of a Word template',
    bodyKind: 'raw',
    answer: wordTemplateObject,
    errors: uploadErrors,
  }),
  deleteWordTemplate: route('DELETE', '/api/admin/word-templates/{uuid}', 'admin', {
    summary: 'Delete a Word template; exports that choose it have the standard layout, and say so',
  }),
};
