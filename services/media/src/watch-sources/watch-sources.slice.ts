import { mediaRoutes } from '@overtone/contracts';
import { createSettingsStore, type Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import {
  handle,
  periodic,
  restingPeriodic,
  type KeyRing,
  type Log,
  type Metrics,
  type Slice,
} from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';
import { actorOf } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';
import { watchSourceGauges } from '../telemetry.ts';
import type { Uploads } from '../uploads/uploads.store.ts';
import { createBucketPlace } from './bucket-place.adapter.ts';
import { createFolderPlace } from './folder-place.adapter.ts';
import { createScanner } from './scanner.service.ts';
import { createTakes } from './take.service.ts';
import { createWatchViews } from './watch-sources.read-model.ts';
import { createWatchSources, type OpenPlace } from './watch-sources.service.ts';
import { readKey, removeOldDecisions } from './watch-sources.store.ts';

type WatchDeps = {
  db: Db;
  outbox: Outbox;
  objects: ObjectStore;
  uploads: Uploads;
  people: People;
  guard: OutboundGuard;
  metrics: Metrics;
  keyRing: () => KeyRing;
  roots: readonly string[];
  log: Log;
};

const checkEveryMs = 2_000;
const hour = 3_600_000;

/** Watch sources: folders and buckets whose recordings are imported. One replica scans a source at a time. */
export function createWatchSourcesSlice(deps: WatchDeps): Slice {
  const { db, outbox, objects, uploads, people, guard, metrics, keyRing, roots, log } = deps;
  const keys = createSettingsStore({ table: 'media_settings', keyRing });
  const openPlace: OpenPlace = (settings, secretKey, onChange) =>
    settings.kind === 's3'
      ? createBucketPlace({ settings, secretKey: secretKey ?? '', guard })
      : createFolderPlace({
          path: settings.path,
          moveTo: settings.after === 'move' ? settings.move_to : '',
          roots,
          pollingOnly: settings.polling_only,
          onChange,
        });
  const views = createWatchViews({ db, keys, roots });
  const sources = createWatchSources({ db, outbox, keys, people, guard, roots, openPlace });
  const scanner = createScanner({
    db,
    people,
    takes: createTakes({ db, uploads, objects }),
    openPlace: async ({ id, settings }, onChange) => openPlace(settings, await readKey(db, keys, id), onChange),
    maxBytes: uploads.maxBytes,
    log,
  });
  watchSourceGauges(metrics, views.availability);
  return {
    routes: [
      handle(mediaRoutes.watchSources, () => views.list()),
      handle(mediaRoutes.createWatchSource, (request) => sources.create(actorOf(request), request.body)),
      handle(mediaRoutes.updateWatchSource, (request) =>
        sources.update(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.deleteWatchSource, (request) => sources.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.testWatchSource, ({ body }) => sources.test(body)),
      handle(mediaRoutes.scanWatchSource, ({ params }) => sources.requestScan(params.uuid)),
      handle(mediaRoutes.watchDecisions, ({ params, query }) => views.decisions(params.uuid, query)),
    ],
    checks: { watch_sources: { critical: false, probe: views.requireAvailable } },
    parts: [{ name: 'watch sources', start: async () => {}, stop: scanner.stop }],
    periodics: [
      restingPeriodic('scan watch sources', checkEveryMs, scanner.check, scanner.nextCheck),
      periodic('remove old watch decisions', hour, () => removeOldDecisions(db)),
    ],
  };
}
