import {
  BackupError,
  createBackup,
  deleteAbandoned,
  deleteExpired,
  listBackups,
  type Destination,
  type Manifest,
} from '@overtone/backup';
import { DatabaseError } from 'pg';
import { givenPassphrase, openPlace } from '../backup/location.ts';
import { defaultBackupsPlace, openInstallation } from '../backup/open-installation.ts';
import { megabytes } from '../backup/sizes.ts';
import { postgresPrograms } from '../backup/with-postgres.ts';
import { productVersion } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

/** `to` is a folder or `s3://bucket/prefix`. */
export type BackupOptions = { data?: string; to?: string; encrypt?: boolean; beforeUpdate?: boolean };
export type BackupsOptions = { data?: string; from?: string; json?: boolean };

/** Backs up the database of the installation, running or not. */
export async function backup(options: BackupOptions): Promise<void> {
  const terminal = createTerminal();
  const installation = openInstallation(options);
  const passphrase = options.encrypt === true ? requirePassphrase() : undefined;
  const destination = openPlace(options.to ?? installation.backupsPlace());
  const from = Date.now();
  terminal.busy('dumping the database');
  const manifest = await refusing(
    async () =>
      await installation.withServer(
        async (urlOf) =>
          await createBackup({
            databaseUrl: urlOf(installation.database),
            programs: postgresPrograms(),
            destination,
            productVersion: productVersion(),
            encryptionKey: installation.encryptionKey(),
            passphrase,
            ...(options.beforeUpdate === true ? { label: 'before-update' } : {}),
          }),
      ),
  );
  await removeOldFiles(destination, terminal);
  destination.close();
  terminal.done(`${summaryOf(manifest)} in ${((Date.now() - from) / 1000).toFixed(1)} s`);
  terminal.line(`  ${destination.place}/${manifest.dump.file}`);
  terminal.line(
    `  recordings are not in it: ${manifest.objects.count}, ${megabytes(manifest.objects.bytes)}, in the object store`,
  );
  if (!manifest.dump.encrypted)
    terminal.line(`  keep ${installation.keyPlace} elsewhere, too: without it no stored secret can be read`);
}

/** Lists the backups of a place. */
export async function backups(options: BackupsOptions): Promise<void> {
  const destination = openPlace(options.from ?? defaultBackupsPlace(options));
  const { backups: found, unreadable } = await refusing(async () => await listBackupsIfThere(destination));
  destination.close();
  if (options.json === true) {
    const list = found.map(({ manifest }) => manifest);
    process.stdout.write(`${JSON.stringify({ place: destination.place, backups: list, unreadable }, undefined, 2)}\n`);
    return;
  }
  const terminal = createTerminal();
  if (found.length === 0) terminal.line(`There is no backup in ${destination.place}; make one with: ./overtone backup`);
  for (const { manifest } of found)
    terminal.done(`${manifest.dump.file}  ${manifest.created_at}  ${summaryOf(manifest)}`);
  for (const name of unreadable) terminal.fail(`${name} is damaged or its dump is not complete`);
}

/** The backups of a place, which need not exist. */
export async function listBackupsIfThere(destination: Destination): ReturnType<typeof listBackups> {
  return await listBackups(destination).catch((error: unknown) => {
    if (error instanceof BackupError && error.code === 'backup_missing') return { backups: [], unreadable: [] };
    throw error;
  });
}

/** Deletes what killed backups left behind, and all safety dumps except the newest of each kind. */
export async function removeOldFiles(destination: Destination, terminal: Terminal): Promise<void> {
  try {
    for (const name of await deleteAbandoned(destination)) terminal.warn(`${name} of an unfinished backup was deleted`);
    for (const name of await deleteExpired(destination)) terminal.done(`the old dump ${name} was deleted`);
  } catch (error) {
    terminal.warn(`Old files could not be deleted: ${messageOf(error)}`);
  }
}

/** Turns the failures of backups into refusals of a command. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BackupError) throw new Refusal(`${error.message} (${error.code})`, { cause: error });
    // Missing rights, a full disk or a damaged page are no bugs of the command.
    if (error instanceof DatabaseError)
      throw new Refusal(`The database reports: ${error.message} (database_error ${error.code ?? ''})`, {
        cause: error,
      });
    throw error;
  }
}

function requirePassphrase(): string {
  const passphrase = givenPassphrase();
  if (passphrase !== undefined) return passphrase;
  throw new Refusal(
    'An encrypted backup needs a passphrase; give it in OT_BACKUP_PASSPHRASE, or name its file in OT_BACKUP_PASSPHRASE_FILE.',
  );
}

function summaryOf({ dump, schema_version, tables }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const kind = dump.encrypted ? ', encrypted' : '';
  return `${megabytes(dump.bytes)}, schema v${schema_version}, ${rows} rows in ${tables.length} tables${kind}`;
}
