import { mirrorRoutes, operationsJobs, type MirrorSettings } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { concurrencyOf, worker, type Recycling } from '@overtone/jobs';
import type { ObjectStore } from '@overtone/object-store';
import {
  conflict,
  handle,
  invalid,
  notFound,
  periodic,
  type Bus,
  type Log,
  type Route,
  type Slice,
} from '@overtone/service-kit';
import { createSettingsService, type SettingsService } from '../change-settings.ts';
import type { Db } from '../database.ts';
import type { OperationsEnv } from '../env.ts';
import { recordOperation } from '../operator.ts';
import { checkScheduleEveryMs, createRunner, createScheduler, scheduleStatus, toRun } from '../runs/runs.ts';
import { createRunStore } from '../runs/runs.store.ts';
import { mirrorGroup } from '../settings/settings.store.ts';
import { hasDestination, type Secrets, type Stored } from '../settings/settings.ts';
import { createMirrorPerformer, openMirror, type MirrorRow } from './mirror.ts';
import { mirrorStore } from './mirror.store.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  env: OperationsEnv;
  objects: ObjectStore;
  worker: { workerId: string; recycling: Recycling };
};
type RouteDeps = Pick<Deps, 'db' | 'outbox'> & {
  settings: SettingsService<MirrorSettings>;
  putJob: (runId: string) => Promise<void>;
};

const store = createRunStore<MirrorRow>('mirror_run');
const jobs = { mirror: operationsJobs.mirror };

/** The mirror of the media: settings, runs, and the job that copies objects. */
export function createMirrorSlice({ db, outbox, bus, log, env, objects, worker: about }: Deps): Slice {
  const open = (values: MirrorSettings, secrets: Secrets) => openMirror(values, secrets, env);
  const settings = createSettingsService({
    db,
    outbox,
    keyRing: () => env.keys().ring,
    group: mirrorGroup,
    open,
    action: 'mirror_settings_changed',
  });
  const scheduler = createScheduler({ db, bus, store, job: jobs.mirror }, settings.read);
  const perform = createMirrorPerformer({ db, log, objects, store, readSettings: settings.read, open });
  const run = createRunner({ db, log, store }, perform);
  return {
    routes: [...settingsRoutes(settings), ...runRoutes({ db, outbox, settings, putJob: scheduler.put })],
    jobs: [
      worker(
        jobs,
        { mirror: ({ runId }, { signal }) => run(runId, signal).then(() => ({})) },
        { ...about, concurrency: concurrencyOf(jobs) },
      ),
    ],
    periodics: [periodic('media mirror schedule', checkScheduleEveryMs, () => scheduler.check())],
  };
}

function settingsRoutes(settings: SettingsService<MirrorSettings>): Route[] {
  return [
    handle(mirrorRoutes.mirrorSettings, async () => toAnswer(await settings.read())),
    handle(mirrorRoutes.updateMirrorSettings, async (request) =>
      toAnswer(await settings.change(request, request.body)),
    ),
    handle(mirrorRoutes.testMirror, ({ body }) => settings.test(body)),
  ];
}

function runRoutes({ db, outbox, settings, putJob }: RouteDeps): Route[] {
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
      objects: await mirrorStore.count(db),
      destination_status: await settings.test(),
    })),
    handle(mirrorRoutes.mirrorReport, async () => {
      const last = await store.last(db);
      if (!last) throw notFound('No run has ended yet');
      return { ...toMirrorRun(last), names: last.report };
    }),
  ];
}

function toAnswer({ settings, secrets }: Stored<MirrorSettings>) {
  return { ...settings, s3_secret_key: null, s3_secret_key_is_set: secrets.s3_secret_key !== null };
}

function toMirrorRun(row: MirrorRow) {
  const { copied, already_there, missing, differing, failed } = row;
  return { ...toRun(row), copied, bytes_copied: Number(row.bytes_copied), already_there, missing, differing, failed };
}
