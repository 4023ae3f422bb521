import { createBackup, deleteExpired, openDestination, BackupError, type Destination } from '@overtone/backup';
import type { BackupSettings } from '@overtone/contracts';
import { version, type Log } from '@overtone/service-kit';
import { requireChosenFolder } from '../allowed-destination.ts';
import type { Db } from '../database.ts';
import type { OperationsEnv } from '../env.ts';
import { Prisma } from '../generated/client.ts';
import type { Perform } from '../runs/runs.ts';
import type { RunRow, RunStore } from '../runs/runs.store.ts';
import { hasDestination, type Secrets, type Stored } from '../settings/settings.ts';

export type BackupRow = RunRow & { name: string | null; bytes: bigint | null };

/** @returns undefined while none is set. */
export function openBackupDestination(settings: BackupSettings, secrets: Secrets): Destination | undefined {
  if (!hasDestination(settings, secrets)) return undefined;
  if (settings.destination_type === 'folder') {
    const folder = settings.destination;
    const opened = openDestination({ folder });
    return {
      ...opened,
      probe: async () => await requireChosenFolder(folder),
      // A backup takes hours, and its disk may be gone in between.
      put: async (name, body) => {
        await requireChosenFolder(folder);
        await opened.put(name, body);
      },
    };
  }
  return openDestination({
    s3: {
      endpoint: settings.s3_endpoint_url,
      region: settings.s3_region,
      bucket: settings.s3_bucket,
      prefix: settings.s3_prefix,
      accessKeyId: settings.s3_access_key_id,
      secretAccessKey: secrets.s3_secret_key ?? '',
    },
  });
}

type Deps = {
  db: Db;
  log: Log;
  env: Pick<OperationsEnv, 'DATABASE_URL' | 'keys' | 'programs'>;
  store: RunStore<BackupRow>;
  readSettings: () => Promise<Stored<BackupSettings>>;
};

/** Makes one backup, and deletes those that the retention no longer keeps. */
export function createBackupPerformer({ db, log, env, store, readSettings }: Deps): Perform {
  return async (runId, signal) => {
    const { settings, secrets } = await readSettings();
    const destination = openBackupDestination(settings, secrets);
    if (!destination) throw new BackupError('destination_unavailable', 'There is no destination.');
    try {
      await store.setDestination(db, runId, destination.place);
      // A folder that vanished is not created on another disk.
      await destination.probe();
      const programs = env.programs();
      if (!programs)
        throw new BackupError('program_missing', 'pg_dump is not installed; set PG_BIN_DIR to its folder.');
      if (settings.encrypt && secrets.passphrase === null)
        throw new BackupError('passphrase_missing', 'The passphrase is not set, or its key is missing.');
      const { name, dump } = await createBackup({
        databaseUrl: env.DATABASE_URL,
        programs,
        destination,
        productVersion: version,
        encryptionKey: env.keys().text,
        passphrase: settings.encrypt ? secrets.passphrase! : undefined,
        signal,
      });
      log.info({ run: runId, backup: name, bytes: dump.bytes }, 'backup complete');
      const columns = [Prisma.sql`name = ${name}`, Prisma.sql`bytes = ${dump.bytes}`];
      const warning = await deleteOld(destination, settings);
      return { columns, ...(warning === undefined ? {} : { warning }) };
    } finally {
      destination.close();
    }
  };
}

/** @returns why it failed: the backup itself is complete. */
async function deleteOld(destination: Destination, settings: BackupSettings): Promise<unknown> {
  const { retention_daily: daily, retention_weekly: weekly, retention_monthly: monthly } = settings;
  return await deleteExpired(destination, { daily, weekly, monthly }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
