import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase as connect, createOutbox } from '@overtone/database';
import { createLog, createMetrics, unavailable } from '@overtone/service-kit';
import { createDatabase } from '@overtone/testkit';
import { PrismaClient } from '../src/generated/client.ts';
import type { Searcher } from '../src/access/access.ts';
import { createAccessStore } from '../src/access/access.store.ts';
import { createDueFiles } from '../src/indexing/due-files.store.ts';
import { createIndexStates } from '../src/indexing/index-states.store.ts';
import { createIndexing } from '../src/indexing/indexing.service.ts';
import { createRefresh } from '../src/indexing/refresh.service.ts';
import type { Collections } from '../src/ports/media-collections.adapter.ts';
import { createLanceIndex } from '../src/ports/lancedb.adapter.ts';
import { createConsistency } from '../src/reindex/consistency.service.ts';
import { createReindex } from '../src/reindex/reindex.service.ts';
import { createReindexStore } from '../src/reindex/reindex.store.ts';
import { createMentions } from '../src/retrieval/mentions.service.ts';
import { createRetrieval } from '../src/retrieval/retrieval.service.ts';
import { createRetrievalStore } from '../src/retrieval/retrieval.store.ts';
import { createExclusions } from '../src/search/exclusions.service.ts';
import { createLegs } from '../src/search/legs.service.ts';
import { createCompounds } from '../src/search/compounds.service.ts';
import { createCorrections } from '../src/search/corrections.service.ts';
import { createSearch } from '../src/search/search.service.ts';
import { createSearchStore } from '../src/search/search.store.ts';
import { createSuggestions } from '../src/suggestions/suggestions.service.ts';
import { createSuggestionStore } from '../src/suggestions/suggestions.store.ts';
import { createVocabulary } from '../src/vocabulary/vocabulary.store.ts';
import { searchRoutes } from '@overtone/contracts';
import { createTelemetry } from '../src/telemetry.ts';
import { createLibrary, createMeanings } from './library.ts';

/** The indexer with a real database and index, and with fakes of media and the workers. */
export async function startIndexer() {
  const database = await createDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'overtone-indexer-'));
  const log = createLog('search-indexer', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
  const metrics = createMetrics();
  const telemetry = createTelemetry(metrics);
  const env = { DATABASE_URL: database.urlFor('search_indexer'), DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 40 };
  const { db, pool, part } = connect(
    { env, name: 'search-indexer', metrics, log },
    (options) => new PrismaClient(options),
  );
  const library = createLibrary();
  /** Every request for the vocabulary reads it again. */
  const clock = { at: 0 };
  const { state: meanings, vectoriser } = createMeanings();
  const index = createLanceIndex({ directory, log });
  const states = createIndexStates({ db });
  const dueFiles = createDueFiles({ db });
  const outbox = createOutbox('search-indexer');
  const { transcripts } = library;
  const vocabulary = createVocabulary({ db, now: () => (clock.at += 60_000) });
  const replica = () =>
    createIndexing({ db, outbox, states, vocabulary, index, transcripts, vectoriser, telemetry, log });
  const indexing = replica();
  const refresh = createRefresh({ states, dueFiles, indexing, index, vectoriser, log });
  const consistency = createConsistency({ db, index, transcripts });
  const reindexStore = createReindexStore({ db });
  const reindex = createReindex({ db, index, indexing, transcripts, consistency, store: reindexStore, pool, log });
  const searchStore = createSearchStore({ db, pool });
  const access = createAccessStore({ db, pool });
  const legs = createLegs({ index, store: searchStore, vectoriser, telemetry, log, minSimilarity: 0.5 });
  /** Files by collection, as media would report them to every searcher. */
  const collections = new Map<string, string[]>();
  const filesOf = async (id: string) => collections.get(id) ?? null;
  const mediaState = { responds: true };
  const countFiles: Collections['countFiles'] = async (fileIds) => {
    if (!mediaState.responds) throw unavailable('service_unavailable', 'media does not answer');
    return [...collections]
      .map(([uuid, members]) => ({ uuid, name: uuid, count: fileIds.filter((id) => members.includes(id)).length }))
      .filter(({ count }) => count > 0);
  };
  const correct = createCorrections({ index, vocabulary });
  const { search: answer, foundFiles } = createSearch({
    index,
    store: searchStore,
    access,
    collections: { filesOf, filesNamed: filesOf, countFiles },
    ...legs,
    correct,
    filesWith: createExclusions({ index }),
    findCompounds: createCompounds({ vocabulary }),
    telemetry,
    log,
  });
  const suggestionStore = createSuggestionStore({ db });
  const suggest = createSuggestions({ store: suggestionStore, vocabulary });
  const retrievalStore = { ...searchStore, ...createRetrievalStore({ db }) };
  const retrieve = createRetrieval({ index, store: retrievalStore, access, ...legs });
  const countMentions = createMentions({ index, store: retrievalStore, access });
  const { signal } = new AbortController();
  return {
    pool,
    library,
    meanings,
    index,
    states,
    dueFiles,
    indexing,
    /** Indexing of another process of the service. */
    replica,
    refresh,
    reindex,
    consistency,
    suggest,
    filterValues: suggestionStore.filterValues,
    access,
    retrieve,
    countMentions,
    collections,
    mediaState,
    directory,
    indexFile: (fileId: string) => indexing.indexFile(fileId, { signal }),
    indexDue: () => refresh.indexDue(signal),
    continueReindex: () => reindex.continueReindex(signal),
    add: async (...recordings: ReturnType<typeof library.put>[]) => {
      for (const recording of recordings) await indexing.indexFile(library.put(recording).file.fileId, { signal });
    },
    /** From now on the index does not say whether and in how many files a word occurs. */
    failWordChecks: (): void => {
      const { search } = index;
      index.search = (request) =>
        request.keywordLimit === 1
          ? Promise.resolve({
              keyword: { status: 'failed', error: new Error('disk') },
              semantic: { status: 'not_asked' },
            })
          : search(request);
    },
    /** Searches with a parsed query; as an administrator unless a caller is given. */
    search: (query: Record<string, unknown>, searcher: Partial<Searcher> = {}) =>
      answer(searchRoutes.search.query.parse(query), {
        userId: searcher.userId ?? '00000000-0000-4000-8000-000000000000',
        canSeeAll: searcher.userId === undefined,
      }),
    /** All files that a search finds. */
    foundFiles: (query: Record<string, unknown>, searcher: Partial<Searcher> = {}) =>
      foundFiles(searchRoutes.search.query.parse(query), {
        userId: searcher.userId ?? '00000000-0000-4000-8000-000000000000',
        canSeeAll: searcher.userId === undefined,
      }),
    stop: async () => {
      await index.close();
      await part.stop();
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export type TestIndexer = Awaited<ReturnType<typeof startIndexer>>;
