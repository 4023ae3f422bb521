import { roleAtLeast, searchRoutes } from '@overtone/contracts';
import { handle, unavailable, type Caller, type Route } from '@overtone/service-kit';
import type { AccessScopes } from '../access/access.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import type { createSearch } from './search.service.ts';
import type { SearchStore } from './search.store.ts';

export type SearchRoutesDeps = {
  search: ReturnType<typeof createSearch>;
  store: Pick<SearchStore, 'suggest'>;
  access: AccessScopes;
  index: SearchIndex;
  counts: () => Promise<{ files: number; chunks: number; keywordOnly: number }>;
};

export function routesOfSearch(deps: SearchRoutesDeps): Route[] {
  return [
    handle(searchRoutes.search, ({ query, caller }) => deps.search(query, searcher(caller))),
    handle(searchRoutes.suggestions, async ({ query, caller }) => {
      const found = await deps.store.suggest(query.q, await deps.access.scopeOf(searcher(caller)), query.limit);
      return found.map(({ type, text, fileId }) => ({ type, text, file_uuid: fileId }));
    }),
    handle(searchRoutes.indexHealth, () => healthOf(deps)),
  ];
}

function searcher(caller: Caller) {
  return { userId: caller.userId, canSeeAll: roleAtLeast(caller.role, 'admin') };
}

async function healthOf({ index, counts }: SearchRoutesDeps) {
  const { files, chunks, keywordOnly } = await counts();
  const known = { backend: index.backend, files, keyword_only_files: keywordOnly };
  try {
    const [indexed, { current, building }] = await Promise.all([index.size(), index.builds()]);
    if (!current && building) throw unavailable('search_unavailable', 'The index is being built');
    if (!current && chunks > 0) throw unavailable('search_unavailable', 'The index is lost and waits to be rebuilt');
    const status = keywordOnly > 0 || indexed < chunks ? ('yellow' as const) : ('green' as const);
    return { ...known, status, chunks: indexed, error: null };
  } catch (e) {
    return { ...known, status: 'red' as const, chunks: 0, error: e instanceof Error ? e.message : 'unknown' };
  }
}
