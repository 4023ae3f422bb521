import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { databaseRoles } from '@overtone/database/migrate';
import type { Client } from 'pg';
import { withClient } from './client.ts';
import { clearReplay, scratchOf, urlOf, type RestoreTarget } from './databases.ts';
import { differences, hashTables } from '@overtone/database/content';
import { readText, type Destination } from './destination.ts';
import { decrypt } from './encryption.ts';
import { BackupError } from './errors.ts';
import { refuseForeignCode } from './executable-objects.ts';
import { manifestEnding, readManifest, type Manifest } from './manifest.ts';
import { start, type Programs } from './programs.ts';
import { createReplayRole, retireReplayRole } from './replay-role.ts';

/** Name of the backup from the name of one of its files. */
export function backupNameOf(file: string): string {
  return file.replace(/(\.manifest\.json|\.dump(\.age)?|\.keys\.age)$/, '');
}

/**
 * The manifest of a backup whose dump is complete and unaltered. Reads the whole dump once.
 * @throws BackupError backup_missing, manifest_invalid, backup_damaged.
 */
export async function checkBackup(destination: Destination, name: string): Promise<Manifest> {
  const manifest = readManifest(
    await readText(destination, `${name}${manifestEnding}`).catch((cause: unknown) => {
      if (!(cause instanceof BackupError) || cause.code !== 'backup_missing') throw cause;
      throw new BackupError(
        'backup_missing',
        `${cause.message} A backup is all files of its name: the dump, the manifest and, when it is encrypted, the keys.`,
        { cause },
      );
    }),
  );
  if (manifest.name !== name || manifest.dump.file !== `${name}.dump${manifest.dump.encrypted ? '.age' : ''}`)
    throw new BackupError('manifest_invalid', `The manifest of ${name} describes another backup.`);
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of await destination.get(manifest.dump.file)) {
    hash.update(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
  }
  if (bytes !== manifest.dump.bytes)
    throw new BackupError(
      'backup_damaged',
      `${manifest.dump.file} has ${bytes} bytes, its manifest says ${manifest.dump.bytes}; the backup is not complete.`,
    );
  if (hash.digest('hex') !== manifest.dump.sha256)
    throw new BackupError('backup_damaged', `${manifest.dump.file} was altered after the backup was made.`);
  return manifest;
}

export type ReplayOptions = RestoreTarget & {
  readonly manifest: Manifest;
  readonly destination: Destination;
  readonly programs: Programs;
  readonly passphrase?: string | undefined;
};

/**
 * Replays a dump into a new database beside the one in use, in one transaction that ends at the first error, as a role
 * without rights on the server; refuses code that is not the product's, and verifies the rows and the content of every
 * table. @returns the URL of the new database, which `swapDatabases` puts into use.
 * @throws BackupError replay_failed, schema_foreign, content_differs, passphrase_missing, passphrase_wrong; the database in
 * use is untouched then, and the new one is dropped.
 */
export async function replay(options: ReplayOptions): Promise<string> {
  const { manifest, adminUrl, database } = options;
  const scratch = scratchOf(database);
  const scratchUrl = urlOf(adminUrl, scratch);
  await withClient(adminUrl, async (client) => {
    await clearReplay(client, database);
    await ensureRoles(client);
    await client.query(`create database ${client.escapeIdentifier(scratch)} template template0`);
  });
  try {
    await replayDump(
      options,
      await withClient(scratchUrl, async (client) => await createReplayRole(client, database, scratchUrl)),
    );
    await withClient(scratchUrl, async (client) => {
      // Before anything of the dump is read or written with the rights of the owner.
      await refuseForeignCode(client, options, manifest.schema_version);
      await retireReplayRole(client, database);
    });
    const found = await withClient(scratchUrl, hashTables);
    const different = differences(manifest.tables, found);
    if (different.length > 0)
      throw new BackupError('content_differs', `The replayed data differs from the backup: ${different.join(', ')}.`);
    return scratchUrl;
  } catch (error) {
    // The next restore or start drops it when that fails here.
    await withClient(adminUrl, async (client) => await clearReplay(client, database)).catch(() => undefined);
    throw error;
  }
}

/** Decrypts the beginning of an encrypted dump. @throws BackupError passphrase_missing, passphrase_wrong. */
export async function checkPassphrase(
  destination: Destination,
  manifest: Manifest,
  passphrase: string | undefined,
): Promise<void> {
  if (!manifest.dump.encrypted) return;
  // The loop ends after the first block, and closes the stream.
  const dump = await openDump(destination, manifest, passphrase);
  for await (const block of dump) if (block) break;
}

async function replayDump(
  { manifest, destination, programs, passphrase }: ReplayOptions,
  scratchUrl: string,
): Promise<void> {
  const args = [
    '--single-transaction',
    '--exit-on-error',
    // Everything belongs to the role that restores, which need not be the one of the backup.
    '--no-owner',
    `--dbname=${decodeURIComponent(new URL(scratchUrl).pathname.slice(1))}`,
  ];
  const dump = await openDump(destination, manifest, passphrase);
  const { child, ended } = start(programs.pgRestore, args, scratchUrl);
  const written = pipeline(dump, child.stdin!);
  const [stream, program] = await Promise.allSettled([written, ended]);
  const reason: unknown = [stream, program]
    .flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
    .find((error, _index, errors) => errors.length === 1 || !isClosedInput(error));
  if (reason === undefined) return;
  if (reason instanceof BackupError) throw reason;
  throw new BackupError('replay_failed', `The backup cannot be replayed: ${(reason as Error).message}`, {
    cause: reason,
  });
}

/** The program closes its input when it fails; its own message says why. Any other error of the stream came first. */
function isClosedInput(error: unknown): boolean {
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as { code?: string }).code ?? '');
}

async function openDump(
  destination: Destination,
  { dump }: Manifest,
  passphrase: string | undefined,
): Promise<Readable> {
  if (dump.encrypted && passphrase === undefined)
    throw new BackupError('passphrase_missing', 'This backup is encrypted; its passphrase is needed.');
  const stored = await destination.get(dump.file);
  return dump.encrypted ? await decrypt(stored, passphrase!) : stored;
}

/** The dump grants rights to the services' roles; they get their passwords at the next start. */
async function ensureRoles(client: Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>('select rolname from pg_roles');
  for (const role of databaseRoles)
    if (!rows.some(({ rolname }) => rolname === role)) await client.query(`create role ${role} login`);
}
