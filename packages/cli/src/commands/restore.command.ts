import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import {
  BackupError,
  backupNameOf,
  checkBackup,
  checkPassphrase,
  compareObjects,
  createBackup,
  openDestination,
  replay,
  swapDatabases,
  withClient,
  withdrawRights,
  type Destination,
  type Manifest,
  type Withdrawn,
} from '@overtone/backup';
import { migrationHead } from '@overtone/database/migrations';
import { readEnv } from '@overtone/service-kit/env';
import { givenPassphrase, openFile } from '../backup/location.ts';
import { keysAfterRestore, unreadableSecrets } from '../backup/recovery-keys.ts';
import { postgresPrograms, withPostgres } from '../backup/with-postgres.ts';
import { databaseName, maxWalMebibytes } from '../servers/postgres.ts';
import { replaceFile } from '../files.ts';
import { isLocked, withLock } from '../lock.ts';
import { dataFolder, productVersion, type DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { readInstance } from '../setup/instance.ts';
import { freeBytes } from '../setup/preflight.ts';
import { secretsIn } from '../setup/secrets.ts';
import { instanceLock, setupLock } from '../supervisor/run-instance.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { megabytes, refusing, removeOldFiles } from './backup.command.ts';
import { down } from './down.command.ts';
import { up } from './up.command.ts';

/** Options of `restore`. */
export type RestoreOptions = {
  readonly data?: string;
  readonly yes?: boolean;
  /** `false`: the present database is not saved first. */
  readonly safetyDump?: boolean;
  readonly migrateForward?: boolean;
  /** `false`: services stay stopped. */
  readonly restart?: boolean;
  /** A file with the keys of the backup: of an encrypted backup `<name>.keys.age`, or a copy of `encryption_key`. */
  readonly recoveryKeys?: string;
  /** Restores although the keys of the backup are lost. */
  readonly withoutKeys?: boolean;
  /** The address of an account that becomes an active super_admin. */
  readonly administrator?: string;
  /** `false`: directory accounts may sign in before the next directory sync run. */
  readonly awaitSync?: boolean;
};

/** Replaces the database of the instance by a backup; everything is checked before anything is touched. */
export async function restore(file: string, options: RestoreOptions): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  if (readInstance(folder) === undefined)
    throw new Refusal(
      process.env['DATABASE_URL'] === undefined
        ? `${folder.root} was not set up; start once with: ${command('up', options)}`
        : 'This command restores a data folder. How to restore the database of containers: docs/backup.md, Containers.',
    );
  const { destination, name } = openFile(file);
  const passphrase = givenPassphrase();
  const checked = await refusing(async () => {
    terminal.busy('checking the backup');
    const manifest = await checkBackup(destination, backupNameOf(name));
    checkVersion(manifest);
    await checkPassphrase(destination, manifest, passphrase);
    const present = secretsIn(folder.secrets).read('encryption_key');
    const keys = await keysAfterRestore({ manifest, destination, present, passphrase, ...options });
    checkSpace(manifest, folder, options.safetyDump !== false);
    return { manifest, keys };
  });
  const { manifest } = checked;
  terminal.done(`${manifest.name} is complete: ${megabytes(manifest.dump.bytes)}, schema v${manifest.schema_version}`);
  if (options.yes !== true) await confirm(manifest);
  terminal.busy('waiting for another command on this data folder');
  await withLock(setupLock(folder), async () => {
    // Under the lock: it would also stop the database of another restore.
    await down({ ...pickData(options) });
    if (await isLocked(instanceLock(folder)))
      throw new Refusal(
        'Overtone is still running, and nothing was replaced. Stop it with ./overtone down and try again.',
      );
    await refusing(
      async () =>
        await withPostgres(folder, async (urlOf) => {
          await replaceDatabase({ ...checked, destination, passphrase, folder, options, terminal, urlOf });
        }),
    );
  });
  destination.close();
  await startAgain(manifest, options, terminal);
}

type Replacement = {
  readonly manifest: Manifest;
  readonly keys: string;
  readonly destination: Destination;
  readonly passphrase: string | undefined;
  readonly folder: DataFolder;
  readonly options: RestoreOptions;
  readonly terminal: Terminal;
  readonly urlOf: (database: string) => string;
};

async function replaceDatabase({
  manifest,
  keys,
  destination,
  passphrase,
  folder,
  options,
  terminal,
  urlOf,
}: Replacement): Promise<void> {
  const target = { adminUrl: urlOf('postgres'), database: databaseName };
  const presentUrl = (await exists(target.adminUrl)) ? urlOf(databaseName) : undefined;
  const safetyDump = await dumpPresent(folder, presentUrl, options, terminal);
  let withdrawn: Withdrawn;
  try {
    terminal.busy('replaying the backup');
    const programs = postgresPrograms();
    const scratchUrl = await replay({ ...target, manifest, destination, programs, passphrase });
    terminal.done(`replayed and verified: ${manifest.tables.length} tables`);
    const awaitDirectorySync = options.awaitSync !== false;
    withdrawn = await withdrawRights({
      scratchUrl,
      presentUrl,
      backupName: manifest.name,
      backupCreatedAt: new Date(manifest.created_at),
      awaitDirectorySync,
      encryptionKey: keys,
      administrator: options.administrator,
    });
    // The broker, the caches and the index belong to the present database; all are rebuilt from any database.
    for (const state of [folder.nats, folder.redis, folder.search]) rmSync(state, { recursive: true, force: true });
    replaceFile(secretsIn(folder.secrets).file('encryption_key'), `${keys}\n`);
    await swapDatabases(target);
  } catch (error) {
    if (!(error instanceof BackupError) || error.code !== 'swap_unknown')
      terminal.warn(`The old database is in use if there was one; start it with: ${command('up', options)}`);
    if (safetyDump !== undefined) terminal.warn(`A dump of it is in ${folder.backups}/${safetyDump.dump.file}`);
    throw error;
  }
  // A version as old as the backup may open the data folder again.
  replaceFile(folder.version, `${manifest.product_version}\n`);
  report(manifest, withdrawn, terminal);
  // Not before the swap: the backup itself may be an old safety dump.
  if (safetyDump !== undefined) await removeOldFiles(openDestination({ folder: folder.backups }), terminal);
  if (options.withoutKeys === true) await reportSecrets(urlOf(databaseName), keys, terminal);
  await reportObjects(urlOf(databaseName), folder, terminal).catch((error: unknown) =>
    terminal.warn(`The objects could not be compared with the database: ${messageOf(error)}`),
  );
}

/** A command for the same data folder, as a person types it. */
function command(words: string, { data }: RestoreOptions): string {
  return `./overtone ${words}${data === undefined ? '' : ` --data '${data}'`}`;
}

function checkVersion(manifest: Manifest): void {
  if (manifest.schema_version <= migrationHead()) return;
  throw new Refusal(
    `This backup was made by a newer version (${manifest.product_version}, schema v${manifest.schema_version}; this is ` +
      `${productVersion()}, v${migrationHead()}). Nothing was touched. Install that version, then restore. (schema_too_new)`,
  );
}

function checkSpace(manifest: Manifest, folder: DataFolder, safetyDump: boolean): void {
  // Both databases and the log of the replay exist until the swap; the safety dump is about as large as the backup.
  const needed =
    manifest.database_bytes * 1.2 +
    (safetyDump ? manifest.dump.bytes * 1.5 : 0) +
    (maxWalMebibytes + 200) * 1024 * 1024;
  const free = freeBytes(folder.root);
  if (free >= needed) return;
  throw new Refusal(
    `The restore needs ${megabytes(needed)} on the disk of ${folder.root}, and ${megabytes(free)} are free. Nothing was touched. (space_short)`,
  );
}

async function confirm(manifest: Manifest): Promise<void> {
  if (!process.stdin.isTTY) throw new Refusal('Confirm with --yes when no terminal is there to ask.');
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await prompt.question(
    `The database ${databaseName} will be replaced by the backup of ${manifest.created_at}, and everybody is signed out.\n` +
      `Type the name of the database to go on: `,
  );
  prompt.close();
  if (typed.trim() !== databaseName) throw new Refusal('Not confirmed; nothing was touched.');
}

async function exists(adminUrl: string): Promise<boolean> {
  return await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    return (rowCount ?? 0) > 0;
  });
}

/** @returns undefined when there is nothing to save, or nobody wants it saved. */
async function dumpPresent(
  folder: DataFolder,
  databaseUrl: string | undefined,
  options: RestoreOptions,
  terminal: Terminal,
): Promise<Manifest | undefined> {
  if (options.safetyDump === false || databaseUrl === undefined) return undefined;
  terminal.busy('dumping the present database');
  try {
    if (!(await holdsSchema(databaseUrl))) {
      terminal.warn('The present database holds no schema of Overtone: there is nothing to dump');
      return undefined;
    }
    const safety = await createBackup({
      databaseUrl,
      programs: postgresPrograms(),
      destination: openDestination({ folder: folder.backups }),
      productVersion: productVersion(),
      encryptionKey: secretsIn(folder.secrets).read('encryption_key'),
      passphrase: givenPassphrase(),
      label: 'before-restore',
    });
    terminal.done(`the present database is in ${folder.backups}/${safety.dump.file}`);
    return safety;
  } catch (cause) {
    throw new Refusal(
      `The present database cannot be dumped: ${messageOf(cause)}\nNothing was replaced. Restore without its dump ` +
        `with --no-safety-dump, or start it again with: ${command('up', options)}`,
      { cause },
    );
  }
}

async function holdsSchema(databaseUrl: string): Promise<boolean> {
  return await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ found: boolean }>(
      `select to_regclass('schema_version') is not null as found`,
    );
    return rows[0]!.found;
  });
}

function report(manifest: Manifest, withdrawn: Withdrawn, terminal: Terminal): void {
  const {
    sessions,
    compared,
    unreadable,
    auditRecords,
    erasedAgain,
    unknownErasures,
    administrators,
    disabled,
    demoted,
  } = withdrawn;
  terminal.done(`the backup is in use; ${sessions} sessions of its time ended`);
  if (auditRecords > 0) terminal.done(`${auditRecords} audit records since the backup are kept`);
  if (erasedAgain > 0)
    terminal.warn(
      `${erasedAgain} erased persons are in this backup: they are erased again after the start (Administration > Erasures)`,
    );
  if (unknownErasures > 0)
    terminal.warn(
      `${unknownErasures} erasures were recorded with keys that are not in ENCRYPTION_KEY: whether these persons are in the backup is unknown`,
    );
  if (unreadable.length > 0)
    terminal.warn(
      `These tables of the database until now could not be read, and nothing was compared with them: ${unreadable.join(', ')}`,
    );
  if (!compared)
    terminal.warn(
      `There was no database of this installation to compare rights with: disable the accounts that were disabled after ${manifest.created_at}`,
    );
  if (administrators === 0)
    terminal.warn(
      'The backup has no active super_admin; make one of an account with: restore again, --administrator EMAIL',
    );
  for (const email of disabled)
    terminal.warn(`${email} stays disabled: the account was disabled or deleted after the backup`);
  for (const email of demoted) terminal.warn(`${email} keeps the lower role it was given after the backup`);
  reportWithdrawn(withdrawn, terminal);
}

function reportWithdrawn({ memberships, shares, mappings, switches, settings }: Withdrawn, terminal: Terminal): void {
  const removed = [
    [memberships, 'group memberships'],
    [shares, 'shares of files'],
    [mappings, 'group mappings'],
  ] as const;
  for (const [count, kind] of removed)
    if (count > 0) terminal.warn(`${count} ${kind} stay as they were removed or limited after the backup`);
  if (switches.length > 0) terminal.warn(`These sign-in methods stay as they were until now: ${switches.join(', ')}`);
  if (settings.length > 0)
    terminal.warn(`These sign-in settings are those of the backup, and were others until now: ${settings.join(', ')}`);
}

async function reportSecrets(databaseUrl: string, keys: string, terminal: Terminal): Promise<void> {
  for (const secret of await unreadableSecrets(databaseUrl, keys))
    terminal.warn(`${secret} cannot be read without the key of the backup: set it again`);
}

async function reportObjects(databaseUrl: string, folder: DataFolder, terminal: Terminal): Promise<void> {
  const { createObjectStore, objectStoreEnv } = await import('@overtone/object-store');
  const store = createObjectStore({ OBJECT_STORE_DIR: folder.objects, ...readEnv(objectStoreEnv) });
  const { missing, unknown } = await compareObjects(databaseUrl, store);
  store.close();
  for (const { title, key } of missing)
    terminal.warn(`the recording "${printable(title)}" is missing in the object store: ${key}`);
  for (const prefix of unknown)
    terminal.warn(`no recording of the backup names these objects; they are kept: ${prefix}`);
}

/** Titles come from people; a terminal must not execute them. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ');
}

async function startAgain(manifest: Manifest, options: RestoreOptions, terminal: Terminal): Promise<void> {
  const older = manifest.schema_version < migrationHead();
  if (options.restart !== false && (!older || options.migrateForward === true)) {
    await up({ ...pickData(options), detach: true });
    return;
  }
  terminal.warn(
    older
      ? `The services are stopped: the backup has schema v${manifest.schema_version}, this version has v${migrationHead()}.`
      : 'The services are stopped.',
  );
  if (older) {
    terminal.line(`  to go on with version ${manifest.product_version}: install it, then  ${command('up', options)}`);
    terminal.line(`  to migrate the backup to this version:  ${command('up', options)}`);
  } else terminal.line(`  start them with  ${command('up', options)}`);
}

function pickData({ data }: RestoreOptions): { data?: string } {
  return data === undefined ? {} : { data };
}
