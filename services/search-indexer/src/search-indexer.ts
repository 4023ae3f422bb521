import { randomUUID } from 'node:crypto';
import { createEventDatabase } from '@overtone/database';
import {
  catchUp,
  createService,
  createServiceBase,
  createRecycling,
  periodic,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { createAccessStore } from './access/access.store.ts';
import { followAccess } from './access/follow-access.consumer.ts';
import { followMemberships } from './access/follow-memberships.consumer.ts';
import { createAccessLoader } from './access/load-access.service.ts';
import type { IndexerEnv } from './env.ts';
import { PrismaClient } from './generated/client.ts';
import { followEdits } from './indexing/follow-edits.consumer.ts';
import { followFiles } from './indexing/follow-files.consumer.ts';
import { hideFile } from './indexing/hide-file.consumer.ts';
import { restoreFile } from './indexing/restore-file.consumer.ts';
import { forgetFile } from './indexing/forget-file.consumer.ts';
import { indexingWorker } from './indexing/indexing.jobs.ts';
import { createIndexing } from './indexing/indexing.service.ts';
import { createIndexingStore } from './indexing/indexing.store.ts';
import { createRefresh } from './indexing/refresh.service.ts';
import { createUpstreamAccess } from './ports/upstream-access.adapter.ts';
import { openIndex } from './ports/open-index.ts';
import { createMediaTranscripts } from './ports/media-transcripts.adapter.ts';
import { createWorkerVectoriser } from './ports/worker-vectoriser.adapter.ts';
import { rebuildRoutes } from './rebuild/rebuild.routes.ts';
import { createRebuild } from './rebuild/rebuild.service.ts';
import { createRebuildStore } from './rebuild/rebuild.store.ts';
import { routesOfSearch } from './search/search.routes.ts';
import { similarityFloor } from './search/search.ts';
import { createSearch } from './search/search.service.ts';
import { createSearchStore } from './search/search.store.ts';
import { createTelemetry } from './telemetry.ts';

const hour = 3_600_000;

/** Indexes transcripts for keyword and semantic search, and serves searches. */
export async function createSearchIndexer(env: IndexerEnv): Promise<Service> {
  const base = createServiceBase('search-indexer', env);
  const { log, metrics, bus } = base;
  const telemetry = createTelemetry(metrics);
  const database = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));
  const { db, pool, outbox } = database;
  const workerId = `search-indexer-${randomUUID()}`;
  const recycling = createRecycling();

  const index = await openIndex(env, log);
  const vectoriser = createWorkerVectoriser({ bus });
  const transcripts = createMediaTranscripts({ bus });
  const store = createIndexingStore({ db });
  const searchStore = createSearchStore({ db });
  const indexing = createIndexing({ db, outbox, store, index, transcripts, vectoriser, telemetry, log });
  const refresh = createRefresh({ store, indexing, index, vectoriser, log });
  const rebuild = createRebuild({ index, indexing, transcripts, store: createRebuildStore({ db }), pool, log });
  const access = createAccessStore({ db });
  const loadAccess = createAccessLoader({ store: access, upstream: createUpstreamAccess({ bus }) });
  const search = createSearch({
    index,
    store: searchStore,
    access,
    vectoriser,
    telemetry,
    log,
    floor: env.SEARCH_SIMILARITY_FLOOR ?? similarityFloor,
  });
  const reconcile = async () => {
    if ((await refresh.reconcile()).rebuild) await rebuild.begin();
  };
  const indexPart: Part = {
    name: 'index',
    // Detects a lost index before the first file is written into an empty one.
    start: async () => {
      if (await refresh.isIndexLost().catch(() => false)) await rebuild.begin();
    },
    stop: () => index.close(),
  };

  return createService({
    ...base,
    recycling,
    slices: [
      database.slice,
      {
        parts: [indexPart],
        routes: [
          ...routesOfSearch({ search, store: searchStore, access, index, counts: store.counts }),
          ...rebuildRoutes({ rebuild }),
        ],
        consumers: [
          forgetFile({ indexing }),
          hideFile({ indexing, store }),
          restoreFile({ store }),
          followEdits({ store }),
          followFiles({ store, transcripts }),
          followAccess({ store: access }),
          followMemberships({ store: access }),
        ],
        jobs: [indexingWorker({ indexing, workerId, recycling })],
        periodics: [
          catchUp('load memberships and shares', hour, loadAccess),
          periodic('index due files', 500, (signal) => refresh.indexDue(signal)),
          periodic('mark files to index again', 30_000, reconcile),
          periodic('continue a rebuild', 1_000, (signal) => rebuild.continueRebuild(signal)),
          periodic('maintain the index', 15_000, () => index.maintain()),
        ],
        checks: { search: { critical: false, probe: () => index.ping() } },
      },
    ],
  });
}
