import { roleAtLeast, searchRoutes } from '@overtone/contracts';
import { handle, unavailable, type Caller, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import { createLegs, type LegsDeps } from './legs.service.ts';
import { createSearch, type SearchDeps } from './search.service.ts';
import type { FindFiles, Searcher } from './search.ts';
import { createSearchStore, type SearchStore } from './search.store.ts';

type Deps = Omit<LegsDeps, 'index' | 'store'> &
  Pick<SearchDeps, 'access' | 'collections'> & {
    db: Db;
    index: SearchIndex;
    counts: () => Promise<{ files: number; chunks: number; keywordOnly: number }>;
  };

/** Searches transcripts by words and by meaning, suggests titles and speakers, and reports the state of the index. */
export function createSearchSlice({ db, index, counts, access, collections, ...deps }: Deps): Slice & {
  find: FindFiles;
  store: SearchStore;
} {
  const store = createSearchStore({ db });
  const find = createLegs({ ...deps, index, store });
  const search = createSearch({ access, collections, index, store, find, telemetry: deps.telemetry });
  return {
    find,
    store,
    routes: [
      handle(searchRoutes.search, ({ query, caller }) => search(query, searcherOf(caller))),
      handle(searchRoutes.suggestions, async ({ query, caller }) => {
        const scope = await access.scopeOf(searcherOf(caller));
        const found = await store.suggest(query.q, scope, query.limit);
        return found.map(({ type, text, fileId }) => ({ type, text, file_uuid: fileId }));
      }),
      handle(searchRoutes.indexHealth, () => readIndexHealth({ index, counts })),
    ],
    checks: { search: { critical: false, probe: index.ping } },
  };
}

function searcherOf({ userId, role }: Caller): Searcher {
  return { userId, canSeeAll: roleAtLeast(role, 'admin') };
}

async function readIndexHealth({ index, counts }: Pick<Deps, 'index' | 'counts'>) {
  const { files, chunks, keywordOnly } = await counts();
  const known = { backend: index.backend, files, keyword_only_files: keywordOnly };
  try {
    const [indexed, { current, building }] = await Promise.all([index.size(), index.builds()]);
    if (!current && building) throw unavailable('search_unavailable', 'The index is being built');
    if (!current && chunks > 0) throw unavailable('search_unavailable', 'The index is lost and waits to be rebuilt');
    const status = keywordOnly > 0 || indexed < chunks ? ('yellow' as const) : ('green' as const);
    return { ...known, status, chunks: indexed, error: null };
  } catch (err) {
    return { ...known, status: 'red' as const, chunks: 0, error: err instanceof Error ? err.message : 'unknown' };
  }
}
