import { createEventDatabase } from '@overtone/database';
import { createRecycling } from '@overtone/jobs';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createAccessSlice } from './access/access.slice.ts';
import type { IndexerEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createIndexingSlice } from './indexing/indexing.slice.ts';
import { createMediaCollections } from './ports/media-collections.adapter.ts';
import { createMediaTranscripts } from './ports/media-transcripts.adapter.ts';
import { createMediaVoiceSources } from './ports/media-voice-sources.adapter.ts';
import { openIndex, openSpeakerIndex } from './ports/open-index.ts';
import { createWorkerVectoriser } from './ports/worker-vectoriser.adapter.ts';
import { createReindexSlice } from './reindex/reindex.slice.ts';
import { createRetrievalSlice } from './retrieval/retrieval.slice.ts';
import { createSavedSearchesSlice } from './saved-searches/saved-searches.slice.ts';
import { createSearchSlice } from './search/search.slice.ts';
import { createSuggestionsSlice } from './suggestions/suggestions.slice.ts';
import { createTelemetry } from './telemetry.ts';
import { createVocabulary } from './vocabulary/vocabulary.store.ts';
import { createVoicesSlice } from './voices/voices.slice.ts';

/** Indexes transcripts for keyword and semantic search, and serves searches. */
export async function createSearchIndexer(env: IndexerEnv): Promise<Service> {
  const base = createServiceBase('search-indexer', env);
  const { log, metrics, bus } = base;
  const telemetry = createTelemetry(metrics);
  const database = createEventDatabase(base, (options) => new PrismaClient(options));
  const { db, pool, outbox } = database;
  const index = await openIndex(env, log);
  const vectoriser = createWorkerVectoriser({ bus });
  const transcripts = createMediaTranscripts({ bus });
  const collections = createMediaCollections({ bus });
  const recycling = createRecycling();
  const vocabulary = createVocabulary({ db });

  const accessSlice = createAccessSlice({ db, pool, bus });
  const indexingSlice = createIndexingSlice({
    db,
    outbox,
    vocabulary,
    index,
    transcripts,
    vectoriser,
    telemetry,
    recycling,
    log,
  });
  const { indexing, refresh, counts } = indexingSlice;
  const { access } = accessSlice;
  const searchSlice = createSearchSlice({
    db,
    pool,
    index,
    vocabulary,
    access,
    collections,
    vectoriser,
    telemetry,
    minSimilarity: env.SEARCH_SIMILARITY_FLOOR,
    counts,
    log,
  });
  const { find, readMeaning, store } = searchSlice;
  const voicesSlice = createVoicesSlice({
    db,
    outbox,
    index: await openSpeakerIndex(env),
    sources: createMediaVoiceSources({ bus }),
    bus,
    log,
  });
  const { forgetVoicesOf, purgeVoices } = voicesSlice;
  return createService({
    ...base,
    recycling,
    slices: [
      database.slice,
      database.relay,
      accessSlice,
      indexingSlice,
      createErasureSlice({ db, outbox, indexing, index, forgetVoicesOf, purgeVoices }),
      createReindexSlice({ db, outbox, pool, index, indexing, refresh, transcripts, vectoriser, log }),
      searchSlice,
      createSavedSearchesSlice({ db }),
      createSuggestionsSlice({ db, access, vocabulary }),
      voicesSlice,
      createRetrievalSlice({ db, index, access, find, readMeaning, store }),
    ],
  });
}
