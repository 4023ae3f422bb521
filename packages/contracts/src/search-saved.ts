import { z } from 'zod';
import { routesOf, text, time } from './http.ts';
import { searchModes, searchSorts } from './search.ts';

const route = routesOf('search-indexer');

export const savedSearchLimits = { name: 100, own: 100, listed: 20 } as const;

function names(max: number) {
  return z.array(text(max).trim().min(1)).max(savedSearchLimits.listed).default([]);
}

/** What the search page searches for. Days are those of the reader's time zone. */
export const savedSearchQuery = z.strictObject({
  q: text(500).trim().min(1),
  search_mode: z.enum(searchModes).default('hybrid'),
  speakers: names(200),
  tags: names(50),
  collection: z.uuid().nullable().default(null),
  file_type: z
    .array(z.enum(['audio', 'video']))
    .max(2)
    .default([]),
  from: z.iso.date().nullable().default(null),
  to: z.iso.date().nullable().default(null),
  sort_by: z.enum(searchSorts).default('relevance'),
});
export type SavedSearchQuery = z.infer<typeof savedSearchQuery>;

const savedSearch = z.object({
  uuid: z.uuid(),
  name: z.string(),
  search: savedSearchQuery,
  created_at: time,
  updated_at: time,
});
export type SavedSearch = z.infer<typeof savedSearch>;

const name = text(savedSearchLimits.name).trim().min(1);

/** Saved searches are private: no other account reads them, not even an administrator’s. */
export const savedSearchRoutes = {
  savedSearches: route('GET', '/api/search/saved', 'user', {
    summary: 'The saved searches of the caller by name; also the export of this part of a person’s data',
    answer: z.object({ items: z.array(savedSearch) }),
  }),
  saveSearch: route('POST', '/api/search/saved', 'user', {
    summary: 'Save a search under a name',
    body: z.strictObject({ name, search: savedSearchQuery }),
    answer: savedSearch,
    status: 201,
    errors: ['saved_search_exists', 'too_many_saved_searches'],
  }),
  changeSavedSearch: route('PUT', '/api/search/saved/{uuid}', 'user', {
    summary: 'Rename a saved search, or replace what it searches for',
    body: z.strictObject({ name, search: savedSearchQuery }).partial(),
    answer: savedSearch,
    errors: ['saved_search_exists'],
  }),
  deleteSavedSearch: route('DELETE', '/api/search/saved/{uuid}', 'user', {
    summary: 'Delete a saved search',
  }),
};
