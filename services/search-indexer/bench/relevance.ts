import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { searchRoutes } from '@overtone/contracts';
import { createDatabase as connect, createOutbox } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase } from '@overtone/testkit';
import { createAccessStore } from '../src/access/access.store.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createIndexStates } from '../src/indexing/index-states.store.ts';
import { createIndexing } from '../src/indexing/indexing.service.ts';
import { createLanceIndex } from '../src/ports/lancedb.adapter.ts';
import type { TextVectors } from '@overtone/service-kit';
import type { Vectoriser } from '../src/ports/vectoriser.ts';
import { createRetrieval } from '../src/retrieval/retrieval.service.ts';
import { createRetrievalStore } from '../src/retrieval/retrieval.store.ts';
import { createExclusions } from '../src/search/exclusions.service.ts';
import { createLegs } from '../src/search/legs.service.ts';
import { createCompounds } from '../src/search/compounds.service.ts';
import { createCorrections } from '../src/search/corrections.service.ts';
import { createSearch } from '../src/search/search.service.ts';
import { createSearchStore } from '../src/search/search.store.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { createVocabulary } from '../src/vocabulary/vocabulary.store.ts';
import { stemOf, splitWords } from '../src/tokenize/tokenize.ts';
import { createLibrary, type Recording } from '../test/library.ts';

export { readMeetings, type Meetings, type Question } from './meetings.ts';
export { rankByBm25 } from './plain-bm25.ts';

/** Vectors of texts, all zeros for a text without known words. */
export type Embed = (
  texts: readonly string[],
  kind: 'query' | 'document',
) => Promise<{ model: string; dim: number; vectors: Float32Array[] }>;
export type Relevance = Awaited<ReturnType<typeof openRelevance>>;

/** The stems of a text, as the index has them. */
export function stemsOf(text: string): string[] {
  return splitWords(text).map((word) => stemOf(word.text, 'en'));
}

/** The service's own indexing, search and retrieval over recordings, with a real database and index. */
export async function openRelevance(folder: string, recordings: readonly Recording[], embed: Embed) {
  const [database, directory] = await Promise.all([createDatabase(), mkdtemp(join(folder, 'relevance-'))]);
  const log = createLog('search-indexer', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
  const metrics = createMetrics();
  const telemetry = createTelemetry(metrics);
  const env = { DATABASE_URL: database.urlFor('search_indexer'), DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 4 };
  const { db, pool, part } = connect({ env, name: 'bench', metrics, log }, (options) => new PrismaClient(options));
  const index = createLanceIndex({ directory, log });
  const vectoriser = vectoriserOf(embed);
  const library = createLibrary();
  const vocabulary = createVocabulary({ db });
  const indexing = createIndexing({
    db,
    outbox: createOutbox('search-indexer'),
    states: createIndexStates({ db }),
    vocabulary,
    index,
    transcripts: library.transcripts,
    vectoriser,
    telemetry,
    log,
  });
  const { signal } = new AbortController();
  // A build in progress is not searched; its promotion completes the indices.
  const build = await index.beginBuild('building', await modelOf(embed));
  for (const recording of recordings) {
    library.put(recording);
    const outcome = await indexing.indexFile(recording.file.fileId, { signal, onlyBuild: build });
    // Without vectors the figures would be those of the words.
    if (!('semantic' in outcome && outcome.semantic)) throw new Error(`${recording.file.title} has no vectors`);
  }
  await index.promote();
  const store = createSearchStore({ db, pool });
  const access = createAccessStore({ db, pool });
  const legs = createLegs({ index, store, vectoriser, telemetry, log, minSimilarity: 0.3 });
  const noCollection = async () => null;
  const { search } = createSearch({
    index,
    store,
    collections: { filesOf: noCollection, filesNamed: noCollection, countFiles: async () => [] },
    access,
    ...legs,
    correct: createCorrections({ index, vocabulary }),
    filesWith: createExclusions({ index }),
    findCompounds: createCompounds({ vocabulary }),
    telemetry,
    log,
  });
  const searcher = { userId: recordings[0]?.file.ownerId ?? '', canSeeAll: false };
  return {
    /** The files that a search shows on its first page, best first. */
    rank: async (text: string, mode: 'keyword' | 'semantic' | 'hybrid'): Promise<string[]> => {
      const query = searchRoutes.search.query.parse({ q: text.slice(0, 500), search_mode: mode });
      return (await search(query, searcher)).results.map(({ file_uuid }) => file_uuid);
    },
    retrieve: createRetrieval({ index, store: { ...store, ...createRetrievalStore({ db }) }, access, ...legs }),
    reader: { userId: searcher.userId, role: 'user' as const },
    stop: async (): Promise<void> => {
      await index.close();
      await part.stop();
      await Promise.all([database.drop(), rm(directory, { recursive: true, force: true })]);
    },
  };
}

async function modelOf(embed: Embed) {
  const { model: name, dim } = await embed(['model'], 'query');
  return { name, dim };
}

function vectoriserOf(embed: Embed): Vectoriser {
  const vectorsOf = async (texts: readonly string[], kind: 'query' | 'document'): Promise<TextVectors> => {
    const { model, dim, vectors } = await embed(texts, kind);
    return {
      model: { name: model, dim },
      vectors: vectors.map((vector) => (vector.some((x) => x !== 0) ? vector : null)),
    };
  };
  return {
    documents: (texts) => vectorsOf(texts, 'document'),
    query: async (text) => {
      const { model, vectors } = await vectorsOf([text], 'query');
      return { model, vector: vectors[0] ?? null };
    },
    model: async () => (await embed(['model'], 'query')).model,
  };
}
