import type { SavedSearch, SavedSearchQuery } from '@overtone/contracts';
import { searchPageSearch, type SearchPageSearch } from '../lib/search-params.ts';

/** The search of the page in its stored form. */
export function toSaved(params: SearchPageSearch & { readonly q: string }): SavedSearchQuery {
  const { q, mode, speaker = [], tag = [], type = [], collection, from, to, sort } = params;
  return {
    q,
    search_mode: mode ?? 'hybrid',
    speakers: [...speaker],
    tags: [...tag],
    collection: collection ?? null,
    file_type: type.filter((kind) => kind === 'audio' || kind === 'video'),
    from: from ?? null,
    to: to ?? null,
    sort_by: (sort ?? 'relevance') as SavedSearchQuery['sort_by'],
  };
}

/** The address of the search page that runs a saved search. */
export function fromSaved({ search }: Pick<SavedSearch, 'search'>): SearchPageSearch {
  const { q, search_mode: mode, speakers, tags, collection, file_type: type, from, to, sort_by: sort } = search;
  return searchPageSearch({
    q,
    mode,
    speaker: speakers,
    tag: tags,
    type,
    collection,
    from,
    to,
    sort: sort === 'relevance' ? undefined : sort,
  });
}
