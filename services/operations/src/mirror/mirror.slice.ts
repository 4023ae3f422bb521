import {
  erasureEvents,
  mirrorGroup,
  mirrorRoutes,
  operationsJobs,
  type MirrorReport,
  type MirrorSettings,
} from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { conflict, consumer, handle, invalid, type Bus, type Log, type Route } from '@overtone/service-kit';
import type { CheckDestination } from '../allowed-destination.ts';
import { createSettingsService, type SettingsService } from '../change-settings.ts';
import type { Db } from '../database.ts';
import { shared } from '../destination.ts';
import type { OperationsEnv } from '../env.ts';
import { createRunner, createScheduler, scheduleStatus, toRun } from '../runs/runs.ts';
import { createRunStore } from '../runs/runs.store.ts';
import { hasDestination, type Secrets } from '../settings/settings.ts';
import { createMirrorPerformer, type MirrorRow } from './mirror.ts';
import { createMirrorErasure } from './mirror-erasure.service.ts';
import { mirrorStore } from './mirror.store.ts';
import { openMirror } from './open-mirror.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  env: OperationsEnv;
  checkDestination: CheckDestination;
  objects: ObjectStore;
};
type RouteDeps = Pick<Deps, 'db' | 'outbox' | 'env'> & {
  settings: SettingsService<MirrorSettings>;
  putJob: (runId: string) => Promise<void>;
};

const store = createRunStore<MirrorRow>('mirror_run');
const emptyReport: MirrorReport = { missing: [], differing: [], failed: [] };

/** The mirror of the media: settings, runs, and the job that copies objects. */
export function createMirrorSlice({ db, outbox, bus, log, env, objects, checkDestination }: Deps) {
  const open = (values: MirrorSettings, secrets: Secrets) => openMirror(values, secrets, env);
  const settings = createSettingsService({
    db,
    outbox,
    keyRing: () => env.keys().ring,
    group: mirrorGroup,
    open,
    action: 'mirror_settings_changed',
    checkDestination,
  });
  const scheduler = createScheduler({ db, outbox, bus, log, store, job: operationsJobs.mirror }, settings.read);
  const perform = createMirrorPerformer({ db, log, objects, store, readSettings: settings.read, open });
  return {
    routes: [...settingsRoutes(settings), ...runRoutes({ db, outbox, env, settings, putJob: scheduler.put })],
    run: createRunner({ db, outbox, log, store }, perform),
    consumers: [
      /** Media erased files of a person: deletes them from the mirror, which otherwise keeps what was deleted. */
      consumer(
        erasureEvents.media,
        'erase-mirrored',
        createMirrorErasure({ db, outbox, readSettings: settings.read, open }),
      ),
    ],
    periodics: [scheduler.periodic],
    checks: { media_mirror: { critical: false, probe: shared(settings.requireFolder) } },
  };
}

function settingsRoutes(settings: SettingsService<MirrorSettings>): Route[] {
  const show = async () => ({ settings: await settings.items() });
  return [
    handle(mirrorRoutes.mirrorSettings, show),
    handle(mirrorRoutes.updateMirrorSettings, async (request) => {
      await settings.change(request, request.body);
      return await show();
    }),
    handle(mirrorRoutes.testMirror, ({ body }) => settings.test(body)),
  ];
}

function runRoutes({ db, outbox, env, settings, putJob }: RouteDeps): Route[] {
  return [
    handle(mirrorRoutes.runMirror, async (request) => {
      const stored = await settings.read();
      if (!hasDestination(stored.settings, stored.secrets))
        throw invalid('destination_missing', 'There is no destination yet.');
      const runId = await db.$transaction(async (tx) => {
        const id = await store.enqueue(tx, null);
        if (id === null) throw conflict('mirror_running', 'A run is queued or in progress. Wait until it has ended.');
        await recordOperation({ tx, outbox, request }, 'mirror_run', { run: id });
        return id;
      });
      // The periodic check enqueues a run whose job was not accepted.
      await putJob(runId).catch(() => undefined);
      return { run_id: runId, status: 'queued' as const, message: 'The run is queued' };
    }),
    handle(mirrorRoutes.mirrorRuns, async ({ query: { page, page_size: size } }) => {
      const { rows, total } = await store.page(db, page, size);
      return { items: rows.map(toMirrorRun), total, page, page_size: size };
    }),
    handle(mirrorRoutes.mirrorStatus, async () => ({
      ...(await scheduleStatus({ db, store }, await settings.read(), toMirrorRun)),
      data_folder: env.OT_DATA_FOLDER ?? null,
      objects: await mirrorStore.count(db),
      destination_status: await settings.probe(),
    })),
    handle(mirrorRoutes.mirrorReport, async () => {
      const last = await store.last(db);
      return { run: last && toMirrorRun(last), names: last?.report ?? emptyReport };
    }),
  ];
}

function toMirrorRun(row: MirrorRow) {
  const { copied, already_there, missing, differing, failed } = row;
  return { ...toRun(row), copied, bytes_copied: Number(row.bytes_copied), already_there, missing, differing, failed };
}
