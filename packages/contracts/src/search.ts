import { z } from 'zod';
import { defineEvent } from './define.ts';
import { listQuery, pageQuery, queryFlag, routesOf, text, time } from './http.ts';

const route = routesOf('search-indexer');

export const searchModes = ['hybrid', 'keyword', 'semantic'] as const;
export const searchSorts = ['relevance', 'upload_time', 'title', 'duration'] as const;

export const searchOccurrence = z.object({
  /** HTML-escaped text whose only markup is `<mark>`. */
  snippet: z.string(),
  speaker: z.string().nullable(),
  /** Time of the first matching word in seconds, or the passage's start. */
  start_time: z.number(),
  end_time: z.number(),
  score: z.number(),
  match_type: z.enum(['keyword', 'semantic', 'both', 'title']),
});
export const searchResult = z.object({
  file_uuid: z.uuid(),
  title: z.string(),
  speakers: z.array(z.string()),
  tags: z.array(z.string()),
  upload_time: time,
  duration: z.number().nullable(),
  language: z.string().nullable(),
  content_type: z.string(),
  relevance_score: z.number(),
  occurrences: z.array(searchOccurrence),
  total_occurrences: z.int(),
  semantic_only: z.boolean(),
});
const countedName = z.object({ name: z.string(), count: z.int() });
export const legStatus = z.enum(['ok', 'unavailable', 'failed', 'not_asked']);
export const searchAnswer = z.object({
  query: z.string(),
  results: z.array(searchResult),
  total_results: z.int(),
  total_files: z.int(),
  /** Whether more passages, or recordings, match than were counted: a search ends at some hundred. */
  more_results: z.boolean(),
  more_files: z.boolean(),
  page: z.int(),
  page_size: z.int(),
  search_time_ms: z.number(),
  search_mode: z.enum(searchModes),
  /** Status of each leg, so that a leg that did not run is visible. */
  legs: z.object({ keyword: legStatus, semantic: legStatus }),
  /** What was searched instead of words that occur nowhere; null: the query as it was sent. */
  correction: z
    .object({ query: z.string(), words: z.array(z.object({ from: z.string(), to: z.string() })) })
    .nullable(),
  /** Speakers, tags, years of upload (in the requested time zone) and collections of all found files, most frequent first; null: not requested. */
  facets: z
    .object({
      speakers: z.array(countedName),
      tags: z.array(countedName),
      years: z.array(countedName),
      /** Those that the caller may see; null: the service of collections did not respond. */
      collections: z.array(z.object({ uuid: z.uuid(), name: z.string(), count: z.int() })).nullable(),
    })
    .nullable(),
});
export type SearchAnswer = z.infer<typeof searchAnswer>;

/** What is searched, and in which order. */
export const searchQuery = {
  q: text(500).trim().min(1),
  search_mode: z.enum(searchModes).default('hybrid'),
  speakers: listQuery(text(200)),
  tags: listQuery(text(50)),
  collection: z.uuid().optional(),
  file_type: listQuery(z.enum(['audio', 'video'])),
  date_from: time.optional(),
  date_to: time.optional(),
  min_duration: z.coerce.number().min(0).optional(),
  max_duration: z.coerce.number().min(0).optional(),
  /** Searches unknown words as they are, without correction. */
  exact: queryFlag.default(false),
  sort_by: z.enum(searchSorts).default('relevance'),
  sort_order: z.enum(['asc', 'desc']).default('desc'),
};

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

const indexStatus = z.object({ status: z.enum(['green', 'yellow', 'red']) });
export const searchRoutes = {
  search: route('GET', '/api/search', 'user', {
    summary: 'Search transcripts by keyword and by meaning',
    query: z.object({
      ...pageQuery,
      ...searchQuery,
      facets: queryFlag.default(false),
      /** Time zone of the years of the facets, e.g. `Europe/Berlin`. */
      time_zone: text(100).refine(isTimeZone, 'unknown time zone').default('UTC'),
    }),
    answer: searchAnswer,
    errors: ['search_unavailable', 'not_found'],
  }),
  suggestions: route('GET', '/api/search/suggestions', 'user', {
    summary: 'Titles, speakers and tags by prefix, and said words that complete the last word',
    query: z.object({
      /** A blank at the end ends the last word, which is then not completed. */
      q: text(100).refine((typed) => typed.trim().length >= 2, 'at least two characters'),
      limit: z.coerce.number().int().min(1).max(20).default(10),
    }),
    answer: z.array(
      z.object({
        type: z.enum(['title', 'speaker', 'tag', 'content']),
        text: z.string(),
        file_uuid: z.uuid().nullable(),
        /** In how many files. */
        count: z.int(),
      }),
    ),
  }),
  filters: route('GET', '/api/search/filters', 'user', {
    summary: 'Speakers, tags and upload times of the files that the caller may search',
    answer: z.object({
      speakers: z.array(countedName),
      tags: z.array(countedName),
      date_range: z.object({ min: time.nullable(), max: time.nullable() }),
    }),
  }),
  indexHealth: route('GET', '/api/search/index-health', 'user', {
    summary: 'Status of the index; for administrators also the totals of the library and the error',
    answer: z.union([
      indexStatus.extend({
        backend: z.enum(['lancedb', 'elasticsearch']),
        chunks: z.int(),
        files: z.int(),
        keyword_only_files: z.int(),
        error: z.string().nullable(),
      }),
      indexStatus,
    ]),
  }),
};

export const searchEvents = {
  fileIndexed: defineEvent(
    'evt.search.file.indexed.v1',
    z.object({
      fileId: z.uuid(),
      ownerId: z.uuid(),
      transcriptVersion: z.int(),
      chunks: z.int(),
      semantic: z.boolean(),
    }),
  ),
};
