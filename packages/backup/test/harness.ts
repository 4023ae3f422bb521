import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '@overtone/testkit';
import { startS3, type S3Server } from '@overtone/testkit/s3';
import type { BackupOptions } from '../src/backup.ts';
import { withClient } from '../src/client.ts';
import { hashTables, type TableContent } from '@overtone/database/content';
import { openDestination, type Destination } from '../src/destination.ts';
import type { RestoreTarget } from '../src/databases.ts';
import { encryptionKey } from './encryption-key.ts';
import { programs } from './programs.ts';

export const passphrase = 'correct horse battery staple';

/** A database with rows in several tables, among them texts and numbers that are easily altered on the way. */
export async function createFilledDatabase(files = 20): Promise<TestDatabase> {
  const database = await createDatabase();
  await withClient(database.url, async (client) => {
    await client.query(`insert into "user" (email) select 'user' || n || '@example.org' from generate_series(1, 5) n`);
    await client.query(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size, duration)
       select (select uuid from "user" limit 1), n || '.wav', 'Größe ' || n, 'files/' || n, 'audio/wav', 1000 + n, n / 3.0
       from generate_series(1, $1::int) n`,
      [files],
    );
    await client.query(
      `insert into transcript_segment (media_file_id, position, start_time, end_time, text)
       select uuid, 1, 0.1, 1e-7, E'line\\nbreak\\ttab \\\\ "quoted"' from media_file`,
    );
  });
  return database;
}

/** The content of every table of a database. */
export async function contentOf(url: string): Promise<TableContent[]> {
  return await withClient(url, hashTables);
}

/** The options of a backup of a test database. */
export function backupOptions(database: TestDatabase, destination: Destination): BackupOptions {
  return { databaseUrl: database.url, programs, destination, productVersion: '0.5.0', encryptionKey };
}

/** A test database as the target of a restore. */
export function targetOf(database: Pick<TestDatabase, 'url'>): RestoreTarget {
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  return { adminUrl: url.href, database: name };
}

/** An empty folder, and how to open it as a destination. */
export async function createFolderDestination(): Promise<{
  folder: string;
  destination: Destination;
  remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-backup-'));
  return {
    folder,
    destination: openDestination({ folder }),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** A bucket of a real S3 server as a destination. */
export function bucketDestination(
  { url, bucket, accessKeyId, secretAccessKey }: S3Server,
  prefix: string,
): Destination {
  return openDestination({ s3: { endpoint: url, region: 'us-east-1', bucket, prefix, accessKeyId, secretAccessKey } });
}

export { encryptionKey, programs, startS3, type S3Server };
