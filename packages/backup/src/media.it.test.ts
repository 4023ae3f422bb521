import { createHash } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createObjectStore, type ObjectStore } from '@overtone/object-store';
import { createDatabase, type TestDatabase } from '@overtone/testkit';
import { createFolder, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { withClient } from './client.ts';
import { restoreMedia } from './media.ts';

const s3 = await stopAfterFile(startS3());

function folderStore(folder: string): ObjectStore {
  return createObjectStore({ OBJECT_STORE_DIR: folder, OBJECT_STORE_RESERVE_BYTES: 0, S3_REGION: '' });
}

function bucketStore(): ObjectStore {
  return createObjectStore({
    S3_ENDPOINT: s3.url,
    S3_REGION: 'us-east-1',
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  });
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

// A new recording in each test: the bucket is the same in all of them.
describe.each(['folder', 'S3'] as const)('recordings from a mirror in: %s', (kind) => {
  let database: TestDatabase;
  let folder: string;
  let mirror: ObjectStore;
  let target: ObjectStore;
  let id: string;
  beforeEach(async () => {
    database = await createDatabase();
    folder = await createFolder();
    mirror = kind === 'S3' ? bucketStore() : folderStore(join(folder, 'mirror'));
    target = folderStore(join(folder, 'objects'));
    id = await addRecording('the recording');
    await mirror.put(`files/${id}/original`, 'the recording', { contentType: 'audio/wav' });
    await mirror.put(`derived/${id}/run/words.json`, 'the words', { contentType: 'application/json' });
  });
  afterEach(async () => {
    mirror.close();
    target.close();
    await database.drop();
  });
  const sql = async (statement: string, values: unknown[] = []) =>
    await withClient(database.url, async (client) => (await client.query<{ uuid: string }>(statement, values)).rows);
  const addRecording = async (content: string): Promise<string> => {
    const [row] = await sql(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size, file_hash)
       values (gen_random_uuid(), 'a.wav', 'a', 'files/x', 'audio/wav', $1, $2) returning uuid`,
      [content.length, hashOf(content)],
    );
    await sql(`update media_file set object_key = 'files/' || uuid || '/original' where uuid = $1`, [row!.uuid]);
    return row!.uuid;
  };
  const restore = async () => await restoreMedia({ databaseUrl: database.url, mirror, target });
  const contentOf = async (key: string): Promise<string> => await text((await target.get(key)).stream);

  it('are copied with what was derived from them, with their types', async () => {
    expect(await restore()).toEqual({
      copied: 2,
      bytes: 22,
      alreadyThere: 0,
      unverified: 1,
      differing: [],
      failed: [],
    });
    expect(await contentOf(`files/${id}/original`)).toBe('the recording');
    expect((await target.head(`derived/${id}/run/words.json`)).contentType).toBe('application/json');
  });

  it('are not read again by a second call', async () => {
    await restore();
    expect(await restore()).toMatchObject({ copied: 0, alreadyThere: 2 });
  });

  it('stay as they are where they are there', async () => {
    await target.put(`files/${id}/original`, 'THE RECORDING');
    await target.put(`derived/${id}/run/words.json`, 'newer words');
    expect(await restore()).toMatchObject({ copied: 0, alreadyThere: 2 });
    expect(await contentOf(`files/${id}/original`)).toBe('THE RECORDING');
    expect(await contentOf(`derived/${id}/run/words.json`)).toBe('newer words');
  });

  it('replace a recording that was cut off', async () => {
    await target.put(`files/${id}/original`, 'the recording');
    await truncate(join(folder, 'objects', 'objects', 'files', id, 'original'), 3);
    expect(await restore()).toMatchObject({ copied: 2, differing: [] });
    expect(await contentOf(`files/${id}/original`)).toBe('the recording');
  });

  it.each([
    ['of the same size', 'THE RECORDING'],
    ['of another size', 'the rec'],
  ])('are not used with another content %s, and named', async (_size, content) => {
    await mirror.put(`files/${id}/original`, content);
    expect(await restore()).toMatchObject({ copied: 1, differing: [`files/${id}/original`] });
    await expect(target.head(`files/${id}/original`)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are compared with the hash that the mirror has recorded, where the recording itself has none', async () => {
    const key = `derived/${id}/run/words.json`;
    const record = `insert into mirror_object (key, bytes, etag, sha256, destination) values ($1, 9, '', $2, 'm')
      on conflict (key) do update set sha256 = excluded.sha256`;
    await sql(record, [key, hashOf('other words')]);
    expect(await restore()).toMatchObject({ copied: 1, differing: [key] });
    await sql(record, [key, hashOf('the words')]);
    expect(await restore()).toMatchObject({ copied: 1, unverified: 0, differing: [] });
  });

  it('that the database does not name stay in the mirror', async () => {
    await mirror.put('files/00000000-0000-4000-8000-000000000000/original', 'unknown');
    expect(await restore()).toMatchObject({ copied: 2 });
  });

  it('continue where a call was ended by a full disk, and name what failed', async () => {
    const full: Pick<ObjectStore, 'head' | 'put'> = {
      head: async (key) => await target.head(key),
      put: async (key, body, options) => {
        if (key.startsWith('derived/')) throw Object.assign(new Error('no space'), { code: 'storage_full' });
        return await target.put(key, body, options);
      },
    };
    await expect(restoreMedia({ databaseUrl: database.url, mirror, target: full })).rejects.toThrow('no space');
    expect(await restore()).toMatchObject({ copied: 1, alreadyThere: 1 });
  });
});

it('copies from the mirror of a database that has no table of mirrored objects', async () => {
  const database = await createDatabase();
  const folder = await createFolder();
  const [mirror, target] = [folderStore(join(folder, 'mirror')), folderStore(join(folder, 'objects'))];
  await withClient(database.url, async (client) => {
    await client.query('drop table mirror_object');
    await client.query(
      `insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size)
       values ('00000000-0000-4000-8000-000000000001', gen_random_uuid(), 'a', 'a',
         'files/00000000-0000-4000-8000-000000000001/original', 'audio/wav', 1)`,
    );
  });
  await mirror.put('files/00000000-0000-4000-8000-000000000001/original', 'a');
  expect(await restoreMedia({ databaseUrl: database.url, mirror, target })).toMatchObject({ copied: 1, unverified: 1 });
  await database.drop();
});
