import { searchRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { searcherOf, type ScopeReader } from '../access/access.ts';
import type { Db } from '../database.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import { createSuggestions } from './suggestions.service.ts';
import { createSuggestionStore } from './suggestions.store.ts';

type Deps = { db: Db; access: ScopeReader; vocabulary: Vocabulary };

/** Completes what a person types into the search, and lists what they can filter by. */
export function createSuggestionsSlice({ db, access, vocabulary }: Deps): Slice {
  const store = createSuggestionStore({ db });
  const suggest = createSuggestions({ store, vocabulary });
  return {
    routes: [
      handle(searchRoutes.suggestions, async ({ query, caller }) => {
        const scope = await access.scopeOf(searcherOf(caller));
        const found = await suggest(query.q, scope, query.limit);
        return found.map(({ type, text, fileId, count }) => ({ type, text, file_uuid: fileId, count }));
      }),
      handle(searchRoutes.filters, async ({ caller }) => {
        const { speakers, tags, from, to } = await store.filterValues(await access.scopeOf(searcherOf(caller)));
        return { speakers, tags, date_range: { min: from?.toISOString() ?? null, max: to?.toISOString() ?? null } };
      }),
    ],
  };
}
