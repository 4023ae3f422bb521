import { foundRpc, roleAtLeast, searchRoutes } from '@overtone/contracts';
import { handle, rpc, unavailable, type Slice } from '@overtone/service-kit';
import { searcherOf } from '../access/access.ts';
import type { Db, Pool } from '../database.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import { createCompounds } from './compounds.service.ts';
import { createCorrections } from './corrections.service.ts';
import { createExclusions } from './exclusions.service.ts';
import { createLegs, type LegsDeps } from './legs.service.ts';
import { createSearch, type SearchDeps } from './search.service.ts';
import type { FindFiles, ReadMeaning } from './search.ts';
import { createSearchStore, type SearchStore } from './search.store.ts';

type Deps = Omit<LegsDeps, 'index' | 'store'> &
  Pick<SearchDeps, 'access' | 'collections'> & {
    db: Db;
    pool: Pool;
    index: SearchIndex;
    vocabulary: Vocabulary;
    counts: () => Promise<{ files: number; passages: number; keywordOnly: number }>;
  };

/** Searches transcripts by words and by meaning, and reports the state of the index. */
export function createSearchSlice({
  db,
  pool,
  index,
  vocabulary,
  counts,
  access,
  collections,
  ...deps
}: Deps): Slice & {
  find: FindFiles;
  readMeaning: ReadMeaning;
  store: SearchStore;
} {
  const store = createSearchStore({ db, pool, changes: vocabulary.changes });
  const legs = createLegs({ ...deps, index, store });
  const correct = createCorrections({ index, vocabulary });
  const filesWith = createExclusions({ index });
  const findCompounds = createCompounds({ vocabulary });
  const { telemetry, log } = deps;
  const services = { ...legs, correct, filesWith, findCompounds };
  const { search, foundFiles } = createSearch({ access, collections, index, store, ...services, telemetry, log });
  return {
    ...legs,
    store,
    routes: [
      handle(searchRoutes.search, ({ query, caller }) => search(query, searcherOf(caller))),
      handle(searchRoutes.indexHealth, async ({ caller }) => {
        const health = await readIndexHealth({ index, counts });
        return roleAtLeast(caller.role, 'admin') ? health : { status: health.status };
      }),
    ],
    rpcs: [rpc(foundRpc.foundFiles, ({ search: wanted, reader }) => foundFiles(wanted, searcherOf(reader)))],
    checks: { search: { critical: false, probe: index.ping } },
  };
}

async function readIndexHealth({ index, counts }: Pick<Deps, 'index' | 'counts'>) {
  const { files, passages, keywordOnly } = await counts();
  const known = { backend: index.backend, files, keyword_only_files: keywordOnly };
  try {
    const [indexed, { current, building }] = await Promise.all([index.countPassages(), index.builds()]);
    if (!current && building) throw unavailable('search_unavailable', 'The index is being built');
    if (!current && passages > 0) throw unavailable('search_unavailable', 'The index is lost and waits to be rebuilt');
    const status = keywordOnly > 0 || indexed < passages ? ('yellow' as const) : ('green' as const);
    return { ...known, status, chunks: indexed, error: null };
  } catch (err) {
    return { ...known, status: 'red' as const, chunks: 0, error: err instanceof Error ? err.message : 'unknown' };
  }
}
