import {
  BackupError,
  backupNameOf,
  checkBackup,
  checkPassphrase,
  compareObjects,
  createBackup,
  databaseExists,
  replay,
  swapDatabases,
  withClient,
  withdrawRights,
  type Destination,
  type Manifest,
  type Withdrawn,
} from '@overtone/backup';
import { migrationHead } from '@overtone/database/migrations';
import type { Installation, UrlOf } from '../backup/installation.ts';
import { givenPassphrase, openFile, openPlace } from '../backup/location.ts';
import { copyFromMirror, tryToCopyFromMirror } from '../backup/media-mirror.ts';
import { keysAfterRestore, requireKnownMaker, unreadableSecrets } from '../backup/recovery-keys.ts';
import { openInstallation } from '../backup/open-installation.ts';
import { printable, reportWithdrawn } from '../backup/restore-report.ts';
import { megabytes } from '../backup/sizes.ts';
import { postgresPrograms } from '../backup/with-postgres.ts';
import { productVersion } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { ask, createTerminal, type Terminal } from '../terminal.ts';
import { refusing, removeOldFiles } from './backup.command.ts';

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
  /** Restores although no key of the installation proves who made the backup. */
  readonly acceptUnverifiedBackup?: boolean;
  /** The address of an account that becomes an active super_admin. */
  readonly administrator?: string;
  /** Copies missing objects from the media mirror; without a backup nothing else is done. */
  readonly mediaFromMirror?: boolean;
  /** A folder or `s3://bucket` to copy them from, instead of the mirror of the settings. */
  readonly mirror?: string;
  /** Keeps memberships, shares and group mappings of the backup that have ended since. */
  readonly keepRightsOfBackup?: boolean;
  /** `false`: directory accounts may sign in before the next directory sync run. */
  readonly awaitSync?: boolean;
};

/**
 * Replaces the database of the installation by a backup; everything is checked before anything is touched. Without a file,
 * only recordings are copied from the media mirror.
 */
export async function restore(file: string | undefined, options: RestoreOptions): Promise<void> {
  const terminal = createTerminal();
  const installation = openInstallation(options);
  if (file === undefined) return await restoreRecordings({ installation, options, terminal });
  const { destination, name } = openFile(file);
  const passphrase = givenPassphrase();
  const checked = await refusing(async () => {
    terminal.busy('checking the backup');
    const manifest = await checkBackup(destination, backupNameOf(name));
    checkVersion(manifest);
    await checkPassphrase(destination, manifest, passphrase);
    const present = installation.encryptionKey();
    const keys = await keysAfterRestore({ manifest, destination, present, passphrase, ...options });
    requireKnownMaker(manifest, keys, options);
    await installation.checkRestore({ manifest, keys, safetyDump: options.safetyDump !== false });
    return { manifest, keys };
  });
  const { manifest } = checked;
  terminal.done(`${manifest.name} is complete: ${megabytes(manifest.dump.bytes)}, schema v${manifest.schema_version}`);
  if (options.yes !== true) await confirm(manifest, installation);
  terminal.busy('waiting for another command on this installation');
  await refusing(
    async () =>
      await installation.withServicesStopped(
        async (urlOf) =>
          await replaceDatabase({ ...checked, destination, passphrase, installation, options, terminal, urlOf }),
      ),
  );
  destination.close();
  await startAgain({ manifest, installation, options, terminal });
}

async function restoreRecordings({
  installation,
  options,
  terminal,
}: Pick<Replacement, 'installation' | 'options' | 'terminal'>) {
  if (!wantsMedia(options))
    throw new Refusal('Name a file of a backup, or copy missing recordings with --media-from-mirror.');
  const complete = await refusing(
    async () =>
      await installation.withServer(async (urlOf) =>
        copyFromMirror({
          databaseUrl: urlOf(installation.database),
          objectStore: installation.objectStore,
          keys: installation.encryptionKey(),
          place: options.mirror,
          terminal,
        }),
      ),
  );
  if (!complete) process.exitCode = 1;
}

function wantsMedia({ mediaFromMirror, mirror }: RestoreOptions): boolean {
  return mediaFromMirror === true || mirror !== undefined;
}

type Replacement = {
  readonly manifest: Manifest;
  readonly keys: string;
  readonly destination: Destination;
  readonly passphrase: string | undefined;
  readonly installation: Installation;
  readonly options: RestoreOptions;
  readonly terminal: Terminal;
  readonly urlOf: UrlOf;
};

async function replaceDatabase(replacement: Replacement): Promise<void> {
  const { manifest, keys, destination, passphrase, installation, options, terminal, urlOf } = replacement;
  const { database } = installation;
  const target = { adminUrl: urlOf('postgres'), database };
  const presentUrl = (await databaseExists(target)) ? urlOf(database) : undefined;
  const safetyDump = await dumpPresent(presentUrl, replacement);
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
      confirmKeptRights:
        options.keepRightsOfBackup === true
          ? async (rights) => await confirmKeptRights(rights, options, terminal)
          : undefined,
    });
    await installation.prepareSwap(keys, terminal);
    await swapDatabases(target);
  } catch (error) {
    if (!(error instanceof BackupError) || error.code !== 'swap_unknown')
      terminal.warn(`The old database is in use if there was one; start it with: ${startLine(installation)}`);
    if (safetyDump !== undefined) terminal.warn(`A dump of it is in ${placeOf(safetyDump, installation)}`);
    throw error;
  }
  installation.recordVersion(manifest.product_version);
  reportWithdrawn(manifest, withdrawn, terminal);
  // Not before the swap: the backup itself may be an old safety dump.
  if (safetyDump !== undefined) await removeOldDumps(installation, terminal);
  if (options.withoutKeys === true) await reportSecrets(urlOf(database), keys, terminal);
  const { objectStore } = installation;
  const media = { databaseUrl: urlOf(database), objectStore, keys, place: options.mirror, terminal };
  // The database is restored already: what fails here can be repeated.
  if (wantsMedia(options) && !(await tryToCopyFromMirror(media))) process.exitCode = 1;
  await reportObjects(urlOf(database), installation, terminal).catch((error: unknown) =>
    terminal.warn(`The objects could not be compared with the database: ${messageOf(error)}`),
  );
}

function startLine({ startCommands }: Installation): string {
  return startCommands.join(' && ');
}

function placeOf({ dump }: Manifest, installation: Installation): string {
  return `${installation.backupsPlace()}/${dump.file}`;
}

async function removeOldDumps(installation: Installation, terminal: Terminal): Promise<void> {
  const backups = openPlace(installation.backupsPlace());
  await removeOldFiles(backups, terminal);
  backups.close();
}

function checkVersion(manifest: Manifest): void {
  if (manifest.schema_version <= migrationHead()) return;
  throw new Refusal(
    `This backup was made by a newer version (${manifest.product_version}, schema v${manifest.schema_version}; this is ` +
      `${productVersion()}, v${migrationHead()}). Nothing was touched. Install that version, then restore. (schema_too_new)`,
  );
}

async function confirm(manifest: Manifest, { database }: Installation): Promise<void> {
  if (!process.stdin.isTTY) throw new Refusal('Confirm with --yes when no terminal is there to ask.');
  const typed = await ask(
    `The database ${database} will be replaced by the backup of ${manifest.created_at}, and everybody is signed out.\n` +
      `Type the name of the database to go on: `,
  );
  if (typed?.trim() !== database) throw new Refusal('Not confirmed; nothing was touched.');
}

/** Shows what comes back although it has ended since the backup. @throws Refusal unless a person confirms it. */
async function confirmKeptRights(
  rights: readonly string[],
  { yes }: RestoreOptions,
  terminal: Terminal,
): Promise<void> {
  if (rights.length === 0) return;
  terminal.warn('These rights have ended since the backup, and come back:');
  for (const right of rights) terminal.line(`  ${printable(right)}`);
  if (yes === true) return;
  if ((await ask('Type "keep" to keep them: '))?.trim() !== 'keep')
    throw new Refusal('Not confirmed; nothing was replaced. Without --keep-rights-of-backup these rights stay ended.');
}

/** @returns undefined when there is nothing to save, or the caller does not want it saved. */
async function dumpPresent(
  databaseUrl: string | undefined,
  { installation, options, terminal }: Replacement,
): Promise<Manifest | undefined> {
  if (options.safetyDump === false || databaseUrl === undefined) return undefined;
  terminal.busy('dumping the present database');
  try {
    if (!(await holdsSchema(databaseUrl))) {
      terminal.warn('The present database holds no schema of Overtone: there is nothing to dump');
      return undefined;
    }
    const destination = openPlace(installation.backupsPlace());
    const safety = await createBackup({
      databaseUrl,
      programs: postgresPrograms(),
      destination,
      productVersion: productVersion(),
      encryptionKey: installation.encryptionKey(),
      passphrase: givenPassphrase(),
      label: 'before-restore',
    }).finally(() => destination.close());
    terminal.done(`the present database is in ${placeOf(safety, installation)}`);
    return safety;
  } catch (cause) {
    throw new Refusal(
      `The present database cannot be dumped: ${messageOf(cause)}\nNothing was replaced. Restore without its dump ` +
        `with --no-safety-dump, or start it again with: ${startLine(installation)}`,
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

async function reportSecrets(databaseUrl: string, keys: string, terminal: Terminal): Promise<void> {
  for (const secret of await unreadableSecrets(databaseUrl, keys))
    terminal.warn(`${secret} cannot be read without the key of the backup: set it again`);
}

async function reportObjects(databaseUrl: string, installation: Installation, terminal: Terminal): Promise<void> {
  const { createObjectStore } = await import('@overtone/object-store');
  const store = createObjectStore(installation.objectStore());
  const { missing, unknown } = await compareObjects(databaseUrl, store).finally(() => store.close());
  for (const { title, key } of missing)
    terminal.warn(`the recording "${printable(title)}" is missing in the object store: ${key}`);
  for (const prefix of unknown)
    terminal.warn(`no recording of the backup names these objects; they are kept: ${prefix}`);
}

type Restored = Pick<Replacement, 'manifest' | 'installation' | 'options' | 'terminal'>;

async function startAgain({ manifest, installation, options, terminal }: Restored): Promise<void> {
  const { start, startCommands } = installation;
  const older = manifest.schema_version < migrationHead();
  if (start !== undefined && options.restart !== false && (!older || options.migrateForward === true))
    return await start();
  terminal.warn(
    older
      ? `The services are stopped: the backup has schema v${manifest.schema_version}, this version has v${migrationHead()}.`
      : 'The services are stopped.',
  );
  if (older)
    terminal.line(`  to go on with version ${manifest.product_version}: install it, then  ${startCommands[0]}`);
  const [first, ...more] = startCommands;
  terminal.line(`  ${older ? 'to migrate the backup to this version:' : 'start them with'}  ${first}`);
  for (const command of more) terminal.line(`  ${command}`);
}
