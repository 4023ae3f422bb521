import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { DatabaseError, type Client } from 'pg';
import { hashTables } from '@overtone/database/content';
import { readText, type Destination } from './destination.ts';
import { encrypt } from './encryption.ts';
import { BackupError } from './errors.ts';
import { keyFingerprints } from './keys.ts';
import { manifestEnding, readManifest, writeManifest, type Manifest } from './manifest.ts';
import { start, type Programs } from './programs.ts';
import { withClient } from './client.ts';
import { expired, expiredSafetyDumps, safetyLabelOf, type Retention } from './retention.ts';

export type BackupOptions = {
  /** Of a role that may read everything. */
  readonly databaseUrl: string;
  readonly programs: Programs;
  readonly destination: Destination;
  readonly productVersion: string;
  /** The text of ENCRYPTION_KEY. An encrypted backup contains it; of others only its fingerprints are stored. */
  readonly encryptionKey: string;
  /** Encrypts the dump. */
  readonly passphrase?: string | undefined;
  /** Precedes the time in the name. */
  readonly label?: string;
  readonly signal?: AbortSignal;
};

/** A complete backup at a destination. */
export type StoredBackup = { readonly manifest: Manifest; readonly bytes: number };

export const keysEnding = '.keys.age';

/**
 * Dumps the database as of one moment while it is used, and writes the manifest last. Memory is constant.
 * @throws BackupError; nothing of the dump stays behind then.
 */
export async function createBackup(options: BackupOptions): Promise<Manifest> {
  const { destination, databaseUrl, passphrase, encryptionKey, label = 'overtone', productVersion } = options;
  const createdAt = new Date();
  // Several instances may share a destination, and a schedule.
  const name = `${label}-${createdAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
  const file = `${name}.dump${passphrase === undefined ? '' : '.age'}`;
  const finished: string[] = [];
  const put = async (fileName: string, body: Readable | string): Promise<void> => {
    await destination.put(fileName, body);
    finished.unshift(fileName);
  };
  try {
    return await withClient(databaseUrl, async (client) => {
      await client.query('begin isolation level repeatable read, read only');
      const { rows } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
      // The hashes are computed beside the dump, in the same snapshot.
      const [dump, content] = await bothOf(
        writeDump(options, async (body) => await put(file, body), rows[0]!.snapshot),
        describe(client),
      );
      options.signal?.throwIfAborted();
      const manifest: Manifest = {
        format: 1,
        name,
        product_version: productVersion,
        created_at: createdAt.toISOString(),
        ...content,
        encryption_keys: keyFingerprints(encryptionKey),
        dump: { file, encrypted: passphrase !== undefined, ...dump },
      };
      if (passphrase !== undefined)
        await put(`${name}${keysEnding}`, await encrypt(textStream(encryptionKey), passphrase));
      await put(`${name}${manifestEnding}`, writeManifest(manifest, encryptionKey));
      return manifest;
    });
  } catch (error) {
    // Only files of this call, newest first: what was not finished is removed by the destination itself.
    for (const leftover of finished) await destination.delete(leftover).catch(() => undefined);
    throw error;
  }
}

/** The complete backups at a destination, newest first, and the names of manifests that cannot be read. */
export async function listBackups(
  destination: Destination,
): Promise<{ backups: StoredBackup[]; unreadable: string[] }> {
  const files = await destination.list();
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes]));
  const backups: StoredBackup[] = [];
  const unreadable: string[] = [];
  for (const { name } of files.filter((entry) => entry.name.endsWith(manifestEnding))) {
    try {
      const manifest = readManifest(await readText(destination, name));
      const bytes = sizes.get(manifest.dump.file);
      if (bytes === manifest.dump.bytes) backups.push({ manifest, bytes });
      else unreadable.push(name);
    } catch (error) {
      if (!(error instanceof BackupError) || error.code !== 'manifest_invalid') throw error;
      unreadable.push(name);
    }
  }
  backups.sort((left, right) => right.manifest.created_at.localeCompare(left.manifest.created_at));
  return { backups, unreadable: unreadable.sort() };
}

/**
 * Deletes the backups that the retention no longer keeps; without a retention only safety dumps. @returns their names.
 */
export async function deleteExpired(destination: Destination, retention?: Retention): Promise<string[]> {
  const { backups } = await listBackups(destination);
  const dated = backups.map(({ manifest }) => ({ name: manifest.name, createdAt: new Date(manifest.created_at) }));
  const regular = dated.filter(({ name }) => safetyLabelOf(name) === undefined);
  const names = [...expiredSafetyDumps(dated), ...(retention === undefined ? [] : expired(regular, retention))];
  for (const { manifest } of backups.filter((backup) => names.includes(backup.manifest.name))) {
    // The manifest first: without it the rest is no backup any more.
    for (const file of [`${manifest.name}${manifestEnding}`, manifest.dump.file, `${manifest.name}${keysEnding}`])
      await destination.delete(file);
  }
  return names;
}

/** A file of a backup by this program, and the time in its name. */
const backupFile = /^(.+-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[0-9a-f]{6})\.(?:dump|dump\.age|keys\.age)$/;
/** Files of this age without a manifest belong to no running backup. */
const abandonedAfterMs = 24 * 3_600_000;

/** Deletes the files of backups that were killed more than a day ago. @returns their names. */
export async function deleteAbandoned(destination: Destination): Promise<string[]> {
  const names = (await destination.list()).map(({ name }) => name);
  const complete = new Set(names.filter((name) => name.endsWith(manifestEnding)));
  const abandoned = names.filter((name) => {
    const [, backup, year, month, day, hour, minute, second] = backupFile.exec(name) ?? [];
    if (backup === undefined || complete.has(`${backup}${manifestEnding}`)) return false;
    const begun = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    return Date.now() - begun > abandonedAfterMs;
  });
  for (const name of abandoned) await destination.delete(name);
  return abandoned;
}

async function describe(
  client: Client,
): Promise<Pick<Manifest, 'schema_version' | 'database_bytes' | 'tables' | 'objects'>> {
  try {
    return await describeSnapshot(client);
  } catch (cause) {
    if (!(cause instanceof DatabaseError)) throw cause;
    throw new BackupError('dump_failed', `The database cannot be read: ${cause.message}`, { cause });
  }
}

async function describeSnapshot(client: Client): ReturnType<typeof describe> {
  const { rows } = await client.query<{ version: number; size: string; count: string; bytes: string }>(
    `select (select max(version) from schema_version) as version, pg_database_size(current_database()) as size,
       (select count(*) from media_file) as count, (select coalesce(sum(file_size), 0) from media_file) as bytes`,
  );
  const { version, size, count, bytes } = rows[0]!;
  return {
    schema_version: version,
    database_bytes: Number(size),
    tables: await hashTables(client),
    objects: { count: Number(count), bytes: Number(bytes) },
  };
}

async function writeDump(
  { databaseUrl, programs, passphrase, signal }: BackupOptions,
  put: (body: Readable) => Promise<void>,
  snapshot: string,
): Promise<Pick<Manifest['dump'], 'bytes' | 'sha256'>> {
  // An event of the past is not sent to a new listener.
  signal?.throwIfAborted();
  // The fastest compression: the text of transcripts is small, and the processor is what people wait for.
  const args = ['--format=custom', '--compress=1', `--snapshot=${snapshot}`];
  const { child, ended } = start(programs.pgDump, args, databaseUrl);
  const abort = (): void => void child.kill('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const dump = Readable.from(completeOnly(child.stdout!, ended), { objectMode: false });
    const stored = passphrase === undefined ? dump : await encrypt(dump, passphrase);
    const hash = createHash('sha256');
    let bytes = 0;
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of stored) {
        hash.update(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        yield chunk as Buffer;
      }
    };
    await put(Readable.from(measured(), { objectMode: false }));
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    signal?.removeEventListener('abort', abort);
    child.kill('SIGTERM');
  }
}

/** The output of a program, which fails when the program did: a dump that was cut off must not look complete. */
async function* completeOnly(output: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  for await (const chunk of output) yield chunk as Buffer;
  await ended.catch((cause: Error) => {
    if (cause instanceof BackupError) throw cause;
    throw new BackupError('dump_failed', `The dump failed: ${cause.message}`, { cause });
  });
}

function textStream(text: string): Readable {
  return Readable.from([Buffer.from(text)]);
}

/** Both results, after both have ended, so that no work continues after a failure. The error of the second is reported first. */
async function bothOf<First, Second>(first: Promise<First>, second: Promise<Second>): Promise<[First, Second]> {
  await Promise.allSettled([first, second]);
  const secondResult = await second;
  return [await first, secondResult];
}
