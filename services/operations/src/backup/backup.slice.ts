import { listBackups, type Manifest } from '@overtone/backup';
import { backupGroup, backupRoutes, operationsJobs, type BackupSettings } from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import { conflict, handle, invalid, type Bus, type Log, type Route } from '@overtone/service-kit';
import type { CheckDestination } from '../allowed-destination.ts';
import { createSettingsService, type SettingsService } from '../change-settings.ts';
import type { Db } from '../database.ts';
import { notSet, shared } from '../destination.ts';
import type { OperationsEnv } from '../env.ts';
import { createRunner, createScheduler, scheduleStatus, toRun } from '../runs/runs.ts';
import { createRunStore } from '../runs/runs.store.ts';
import { hasDestination } from '../settings/settings.ts';
import { createBackupPerformer, openBackupDestination, type BackupRow } from './backup.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  env: OperationsEnv;
  checkDestination: CheckDestination;
};
type RouteDeps = Pick<Deps, 'db' | 'outbox' | 'env'> & {
  settings: SettingsService<BackupSettings>;
  putJob: (runId: string) => Promise<void>;
};

const store = createRunStore<BackupRow>('backup_run');

/** Backups of the database: settings, runs, and the job that makes one. */
export function createBackupSlice({ db, outbox, bus, log, env, checkDestination }: Deps) {
  const settings = createSettingsService({
    db,
    outbox,
    keyRing: () => env.keys().ring,
    group: backupGroup,
    open: openBackupDestination,
    action: 'backup_settings_changed',
    checkDestination,
  });
  const scheduler = createScheduler({ db, outbox, bus, log, store, job: operationsJobs.backup }, settings.read);
  const perform = createBackupPerformer({ db, log, env, store, readSettings: settings.read });
  return {
    routes: [...settingsRoutes(settings), ...runRoutes({ db, outbox, env, settings, putJob: scheduler.put })],
    run: createRunner({ db, outbox, log, store }, perform),
    periodics: [scheduler.periodic],
    checks: { backup_destination: { critical: false, probe: shared(settings.requireFolder) } },
  };
}

function settingsRoutes(settings: SettingsService<BackupSettings>): Route[] {
  const show = async () => ({ settings: await settings.items() });
  return [
    handle(backupRoutes.backupSettings, show),
    handle(backupRoutes.updateBackupSettings, async (request) => {
      await settings.change(request, request.body);
      return await show();
    }),
    handle(backupRoutes.testBackup, ({ body }) => settings.test(body)),
  ];
}

function runRoutes({ db, outbox, env, settings, putJob }: RouteDeps): Route[] {
  return [
    handle(backupRoutes.runBackup, async (request) => {
      const stored = await settings.read();
      if (!hasDestination(stored.settings, stored.secrets))
        throw invalid('destination_missing', 'There is no destination yet.');
      const runId = await db.$transaction(async (tx) => {
        const id = await store.enqueue(tx, null);
        if (id === null) throw conflict('backup_running', 'A backup is queued or running. Wait until it has ended.');
        await recordOperation({ tx, outbox, request }, 'backup_run', { run: id });
        return id;
      });
      // The periodic check enqueues a run whose job was not accepted.
      await putJob(runId).catch(() => undefined);
      return { run_id: runId, status: 'queued' as const, message: 'The backup is queued' };
    }),
    handle(backupRoutes.backupRuns, async ({ query: { page, page_size: size } }) => {
      const { rows, total } = await store.page(db, page, size);
      return { items: rows.map(toBackupRun), total, page, page_size: size };
    }),
    handle(backupRoutes.backups, async () => {
      const destinationStatus = await settings.probe();
      const stored = await settings.read();
      const destination = openBackupDestination(stored.settings, stored.secrets);
      if (!destination || !destinationStatus.ok)
        return { backups: [], unreadable: [], destination_status: destination ? destinationStatus : notSet };
      const { backups, unreadable } = await listBackups(destination).finally(() => destination.close());
      return {
        backups: backups.map(({ manifest }) => toBackup(manifest)),
        unreadable,
        destination_status: destinationStatus,
      };
    }),
    handle(backupRoutes.backupStatus, async () => ({
      ...(await scheduleStatus({ db, store }, await settings.read(), toBackupRun)),
      data_folder: env.OT_DATA_FOLDER ?? null,
      pg_dump_available: env.programs() !== undefined,
      destination_status: await settings.probe(),
    })),
  ];
}

function toBackupRun(row: BackupRow) {
  return { ...toRun(row), name: row.name, size_bytes: row.bytes === null ? null : Number(row.bytes) };
}

function toBackup({ name, dump, created_at, product_version, schema_version }: Manifest) {
  const { file: filename, bytes, encrypted } = dump;
  return { name, filename, size_bytes: bytes, created_at, encrypted, product_version, schema_version };
}
