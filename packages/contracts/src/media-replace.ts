import { z } from 'zod';
import { line, routesOf, text } from './http.ts';
import { fileObject } from './media-objects.ts';

const route = routesOf('media');

/** Limits of one search; of a longer list of places the first ones are found, and the rest after these were replaced. */
export const maxReplacePlaces = 5_000;
const maxFiles = 200;

/** What is searched for in transcripts, as their reader sees them, and what takes its place. */
export const textSearch = z.object({
  find: text(500).min(1),
  replacement: text(1_000).default('').describe('in a regular expression, $1 is its first group and $& what was found'),
  regex: z.boolean().default(false).describe('a regular expression in the syntax of RE2'),
  match_case: z.boolean().default(false),
  whole_word: z.boolean().default(false),
  speaker: line(200).min(1).nullable().default(null).describe('only what this speaker says: a name, or a label'),
});
export type TextSearch = z.output<typeof textSearch>;

const foundPlace = z.object({
  segment_uuid: z.uuid(),
  version: z.int().describe('of the segment'),
  start_time: z.number(),
  speaker: z.string().nullable(),
  start: z.int().describe('where in the text of the segment'),
  text: z.string().describe('what was found, with the words around it'),
  from: z.int().describe('where in `text`'),
  to: z.int(),
  replacement: z.string(),
});
export type FoundPlace = z.infer<typeof foundPlace>;

const fileError = z.object({ code: z.string(), message: z.string() }).nullable();
const searchErrors = ['pattern_invalid', 'pattern_too_slow', 'rate_limited'] as const;

export const replaceRoutes = {
  findText: route('POST', '/api/transcripts/find', 'user', {
    summary: 'Find text in transcripts, with what would replace it',
    body: textSearch.extend({ file_uuids: z.array(z.uuid()).min(1).max(maxFiles) }),
    answer: z.object({
      files: z.array(
        z.object({
          file_uuid: z.uuid(),
          title: z.string().nullable().describe('null with an error'),
          my_permission: fileObject.shape.my_permission.nullable(),
          places: z.array(foundPlace),
          error: fileError,
        }),
      ),
      complete: z.boolean().describe(`whether these are all places; not more than ${maxReplacePlaces} are returned`),
    }),
    errors: [...searchErrors],
  }),
  replaceText: route('POST', '/api/transcripts/replace', 'user', {
    summary: 'Replace found places: one correction of each transcript, undone in one step',
    body: textSearch.extend({
      uuid: z.uuid().describe('chosen by the client: a repeated request is applied once'),
      files: z
        .array(
          z.object({
            file_uuid: z.uuid(),
            segments: z
              .array(
                z.object({
                  uuid: z.uuid(),
                  version: z.int().describe('in which the places were found; 409 when it has changed since'),
                  starts: z.array(z.int().min(0)).min(1).max(maxReplacePlaces),
                }),
              )
              .min(1)
              .max(maxReplacePlaces),
          }),
        )
        .min(1)
        .max(maxFiles),
    }),
    answer: z.object({
      results: z.array(z.object({ file_uuid: z.uuid(), replaced: z.int(), error: fileError })),
    }),
    errors: [...searchErrors],
  }),
  undoReplacement: route('POST', '/api/transcripts/replace/{uuid}/undo', 'user', {
    summary: "Undo the caller's replacement in all its transcripts",
    body: z.object({ file_uuids: z.array(z.uuid()).min(1).max(maxFiles) }),
    answer: z.object({ results: z.array(z.object({ file_uuid: z.uuid(), error: fileError })) }),
  }),
};
