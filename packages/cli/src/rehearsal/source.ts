import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  backupNameOf,
  checkBackup,
  checkPassphrase,
  listBackups,
  replay,
  swapDatabases,
  withClient,
  type Destination,
} from '@overtone/backup';
import { keysAfterRestore, requireKnownMaker } from '../backup/recovery-keys.ts';
import { givenPassphrase, openFile, openPlace } from '../backup/location.ts';
import { postgresPrograms } from '../backup/with-postgres.ts';
import { productFolder, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { databaseName } from '../servers/postgres.ts';
import { secretsIn } from '../setup/secrets.ts';

/** What a rehearsal begins with: a backup, or the database of a release. */
export type Source = {
  readonly title: string;
  /** The size of the database in bytes, where it is known. */
  readonly bytes: number;
  /** The text of ENCRYPTION_KEY for this database; undefined when it is unknown. */
  readonly keys: string | undefined;
  /** Creates the database on a server that does not have it. `urlOf` is the owner's address of a database there. */
  readonly load: (urlOf: (database: string) => string) => Promise<void>;
};

const releases = join(productFolder, 'packages', 'database', 'releases');

export type SourceOptions = { from?: string; acceptUnverifiedBackup?: boolean };

/**
 * Opens `from`: a release (`v0.5.0`), a file of a backup, or the newest backup of the instance when it is undefined. The
 * whole backup is checked. @throws Refusal, BackupError.
 */
export async function openSource(options: SourceOptions, folder: DataFolder): Promise<Source> {
  const { from } = options;
  if (from !== undefined && /^v\d+\.\d+\.\d+$/.test(from)) return openRelease(from);
  const secrets = secretsIn(folder.secrets);
  if (!existsSync(secrets.file('encryption_key')))
    throw new Refusal(`${folder.root} was not set up; start with: ./overtone up`);
  const { destination, name } = from === undefined ? await newestBackup(folder) : openFile(from);
  const manifest = await checkBackup(destination, backupNameOf(name));
  const passphrase = givenPassphrase();
  await checkPassphrase(destination, manifest, passphrase);
  const keys = await keysAfterRestore({ manifest, destination, present: secrets.read('encryption_key'), passphrase });
  requireKnownMaker(manifest, keys, options);
  return {
    title: `the backup ${manifest.name} (schema v${manifest.schema_version})`,
    bytes: manifest.database_bytes,
    keys,
    load: async (urlOf) => {
      const target = { adminUrl: urlOf('postgres'), database: databaseName };
      await replay({ ...target, manifest, destination, programs: postgresPrograms(), passphrase });
      await swapDatabases(target);
      destination.close();
    },
  };
}

async function newestBackup(folder: DataFolder): Promise<{ destination: Destination; name: string }> {
  const destination = openPlace(folder.backups);
  const { backups } = existsSync(folder.backups) ? await listBackups(destination) : { backups: [] };
  const newest = backups
    .map(({ manifest }) => manifest)
    .toSorted((left, right) => left.created_at.localeCompare(right.created_at))
    .at(-1);
  if (newest !== undefined) return { destination, name: newest.name };
  throw new Refusal(
    `There is no backup in ${folder.backups}. Make one with ./overtone backup, or name a file or a release with --from.`,
  );
}

function openRelease(release: string): Source {
  const file = join(releases, `${release}.sql.gz`);
  if (!existsSync(file)) {
    const known = readdirSync(releases).flatMap((name) => /^(v.*)\.sql\.gz$/.exec(name)?.[1] ?? []);
    throw new Refusal(`There is no database of ${release}; there are: ${known.toSorted().join(', ')}.`);
  }
  return {
    title: `a database of ${release}`,
    bytes: 0,
    keys: undefined,
    load: async (urlOf) => {
      await withClient(urlOf('postgres'), async (client) => {
        await client.query(`create database ${databaseName} template template0`);
      });
      await runScript(file, urlOf(databaseName));
    },
  };
}

async function runScript(file: string, url: string): Promise<void> {
  const psql = join(postgresPrograms().pgDump, '..', 'psql');
  const args = ['--quiet', '--no-psqlrc', '--set=ON_ERROR_STOP=1', '--single-transaction', `--dbname=${url}`];
  const child = spawn(psql, args, { stdio: ['pipe', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [, code] = await Promise.all([
    pipeline(createReadStream(file), createGunzip(), child.stdin).catch(() => undefined),
    ended,
  ]);
  if (code !== 0) throw new Refusal(`The database of the release cannot be loaded: ${complaint.trim()}`);
}
