import { erasureEvents, erasureRoutes } from '@overtone/contracts';
import { catchUp, consumer, handle, periodic, type Metrics, type Slice } from '@overtone/service-kit';
import { requestContextOf } from '../users/users.ts';
import { createErasures, type ErasureDeps } from './erasure.service.ts';
import { erasureStore } from './erasure.store.ts';

const minute = 60_000;

/** Erases persons from every service, and keeps the ledger that proves it. */
export function createErasureSlice({ metrics, ...deps }: ErasureDeps & { metrics: Metrics }): Slice {
  watchOpenErasures(metrics, deps);
  const erasures = createErasures(deps);
  return {
    routes: [
      handle(erasureRoutes.previewErasure, (request) =>
        erasures.preview(request.params.uuid, requestContextOf(request)),
      ),
      handle(erasureRoutes.orderErasure, (request) =>
        erasures.order(request.params.uuid, request.body.confirm_email, requestContextOf(request)),
      ),
      handle(erasureRoutes.erasures, ({ query }) => erasures.page(query.page, query.page_size)),
      handle(erasureRoutes.findErasure, ({ body }) => erasures.findByAddress(body.email)),
      handle(erasureRoutes.erasureHashes, ({ params, query }) =>
        erasures.hashes(params.uuid, query.page, query.page_size),
      ),
      handle(erasureRoutes.retryErasure, (request) => erasures.retry(request.params.uuid, requestContextOf(request))),
    ],
    consumers: [
      /** Media erased files, uploads, shares and tags, or could not because of a legal hold. */
      consumer(erasureEvents.media, 'record-erasure-media', (report, { id }) => erasures.record('media', report, id)),
      /** Search entries of the person are deleted. */
      consumer(erasureEvents['search-indexer'], 'record-erasure-search-indexer', (report, { id }) =>
        erasures.record('search-indexer', report, id),
      ),
      /** Runs and tasks of the person are deleted. */
      consumer(erasureEvents['transcription-dispatcher'], 'record-erasure-transcription-dispatcher', (report, { id }) =>
        erasures.record('transcription-dispatcher', report, id),
      ),
      /** Decisions of sync runs about the person are deleted. */
      consumer(erasureEvents['directory-sync'], 'record-erasure-directory-sync', (report, { id }) =>
        erasures.record('directory-sync', report, id),
      ),
      /** Recordings of the person are deleted from the mirror. */
      consumer(erasureEvents.insights, 'record-erasure-insights', (report, { id }) =>
        erasures.record('insights', report, id),
      ),
      consumer(erasureEvents.operations, 'record-erasure-operations', (report, { id }) =>
        erasures.record('operations', report, id),
      ),
    ],
    periodics: [
      periodic('send unanswered erasure orders', minute / 6, erasures.sendUnanswered),
      catchUp('erase restored accounts again', 24 * 60 * minute, erasures.reopenRestored),
    ],
  };
}

function watchOpenErasures(metrics: Metrics, { db }: Pick<ErasureDeps, 'db'>): void {
  const gauges = [
    { name: 'erasures_open', help: 'Erasures of persons that are not done', label: 'status' },
    { name: 'erasures_oldest_open_seconds', help: 'Age of the oldest one, or 0', label: 'status' },
  ];
  metrics.watch(gauges, async () => {
    const open = await erasureStore.listOpen(db);
    return ['running', 'held'].flatMap((status) => {
      const found = open.find((row) => row.status === status);
      return [
        { name: 'erasures_open', of: status, value: found?.count ?? 0 },
        { name: 'erasures_oldest_open_seconds', of: status, value: found?.seconds ?? 0 },
      ];
    });
  });
}
