import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { createObjectStore } from '@overtone/object-store';
import { settingsByKey, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { createWorld } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());
const mirror = join(world.folder, 'mirror');
const keys = ['files/a/original', 'files/a/thumbnail', 'files/b/original', 'derived/a/run/words.json'];
for (const key of keys) await world.objects.put(key, `content of ${key}`, { contentType: 'text/plain' });
await world.objects.put('uploads/c/part', 'unfinished');
let service = await world.start();
cleanUpAfterFile(() => service.stop());
const s3 = await stopAfterFile(startS3());

async function change(json: unknown) {
  return await service.ask('PUT', '/media-mirror/settings', json);
}

/** The file of an object below a store's folder. */
function fileIn(folder: string, key: string): string {
  return join(folder, 'objects', key);
}

const nothingDone = { copied: 0, bytes_copied: 0, missing: 0, differing: 0, failed: 0 };

describe('the settings of the media mirror', () => {
  it('have the defaults of the specification', async () => {
    const { body } = await service.ask('GET', '/media-mirror/settings');
    expect(settingsByKey(body)).toMatchObject({
      enabled: { value: false },
      schedule: { value: '30 3 * * *' },
      throttle_mb_per_second: { value: null, unit: 'MB/s' },
    });
  });

  it.each([
    ['the object store itself', () => join(world.folder, 'objects')],
    ['a folder in the object store', () => join(world.folder, 'objects', 'objects', 'mirror')],
    ['a folder around the object store', () => world.folder],
  ])('refuse %s as the destination', async (_what, destination) => {
    const changes = { destination: destination() };
    expect(await change(changes)).toMatchObject({ status: 400, body: { code: 'destination_same' } });
    const tested = await service.ask('POST', '/media-mirror/test', changes);
    expect(tested).toMatchObject({ status: 200, body: { ok: false, error_code: 'destination_same' } });
  });

  it('refuse a folder that cannot be written', async () => {
    expect(await change({ destination: '/proc/nothing' })).toMatchObject({
      status: 400,
      body: { code: 'destination_unavailable' },
    });
  });

  it('have an empty report before the first run', async () => {
    const { body } = await service.ask('GET', '/media-mirror/report');
    expect(body).toEqual({ run: null, names: { missing: [], differing: [], failed: [] } });
  });
});

describe('a run of the media mirror', () => {
  it('copies every object with its type, in the layout of the object store', async () => {
    expect(await change({ destination: mirror })).toMatchObject({ status: 200 });
    const run = await service.run('media-mirror');
    expect(run).toMatchObject({ status: 'success', copied: 4, already_there: 0, missing: 0, differing: 0, failed: 0 });
    const store = createObjectStore({ OBJECT_STORE_DIR: mirror, S3_REGION: '' });
    for (const key of keys) {
      const object = await store.get(key);
      expect([object.contentType, await text(object.stream)]).toEqual(['text/plain', `content of ${key}`]);
    }
    await expect(store.head('uploads/c/part')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('reads no object that has not changed', async () => {
    // Another content under the same version would be noticed if it were read.
    const file = fileIn(join(world.folder, 'objects'), keys[0]!);
    const content = await readFile(file);
    const write = async (bytes: Buffer | string): Promise<void> => {
      await writeFile(file, bytes);
      await utimes(file, 1_000_000_000, 1_000_000_000);
    };
    await write(content);
    expect(await service.run('media-mirror')).toMatchObject({ ...nothingDone, already_there: 4 });
    await write('X'.repeat(content.length));
    expect(await service.run('media-mirror')).toMatchObject({ ...nothingDone, status: 'success', already_there: 4 });
    await write(content);
  });

  it('compares the content of an object whose version changed, and copies it only when it differs', async () => {
    await world.objects.put(keys[0]!, `content of ${keys[0]}`, { contentType: 'text/plain' });
    expect(await service.run('media-mirror')).toMatchObject({ ...nothingDone, already_there: 4 });
    await world.objects.put(keys[0]!, `CONTENT of ${keys[0]}`, { contentType: 'text/plain' });
    expect(await service.run('media-mirror')).toMatchObject({ copied: 1, differing: 1, already_there: 3 });
    expect(await readFile(fileIn(mirror, keys[0]!), 'utf8')).toBe(`CONTENT of ${keys[0]}`);
  });

  it('copies again what was cut off or deleted in the mirror, and names what differed', async () => {
    await truncate(fileIn(mirror, keys[1]!), 3);
    const store = createObjectStore({ OBJECT_STORE_DIR: mirror, S3_REGION: '' });
    await store.delete(keys[2]!);
    expect(await service.run('media-mirror')).toMatchObject({ copied: 2, differing: 1, already_there: 2 });
    const { body } = await service.ask('GET', '/media-mirror/report');
    expect(body['names']).toEqual({ missing: [], differing: [keys[1]], failed: [] });
    expect(await readFile(fileIn(mirror, keys[1]!), 'utf8')).toBe(`content of ${keys[1]}`);
  });

  it('compares what was in the mirror before it was known, and copies only what differs', async () => {
    await world.sql('delete from mirror_object');
    await writeFile(fileIn(mirror, keys[3]!), 'x'.repeat(`content of ${keys[3]}`.length));
    expect(await service.run('media-mirror')).toMatchObject({ copied: 1, differing: 1, already_there: 3 });
  });

  it('deletes nothing, and names the objects of the database that the store does not have', async () => {
    for (const key of [keys[0]!, keys[2]!, 'files/gone/original']) await world.nameObject(key);
    await world.objects.delete(keys[2]!);
    const run = await service.run('media-mirror');
    expect(run).toMatchObject({ status: 'success', copied: 0, already_there: 3, missing: 2 });
    const { body } = await service.ask('GET', '/media-mirror/report');
    expect(body).toMatchObject({ run: { uuid: run.uuid }, names: { missing: [keys[2], 'files/gone/original'] } });
    expect(existsSync(fileIn(mirror, keys[2]!))).toBe(true);
  });

  it('is counted by the metrics', async () => {
    await service.stop();
    service = await world.start();
    const metrics = await service.metrics();
    expect(metrics).toMatch(/^media_mirror_last_status 1$/m);
    expect(metrics).toMatch(/^media_mirror_objects 4$/m);
    const counted = await world.sql<{ count: number }>('select count(*)::int as count from mirror_run');
    expect(metrics).toContain(`\nmedia_mirror_runs_total{result="success"} ${counted[0]!.count}\n`);
  });
});

describe('a run of the media mirror that is killed', () => {
  it('continues where it was, within its limit of bytes a second', async () => {
    for (let i = 0; i < 10; i += 1) await world.objects.put(`files/large${i}/original`, randomBytes(100_000));
    await change({ throttle_mb_per_second: 0.1 });
    await service.stop();
    const killed = await world.startProcess();
    const startedAt = Date.now();
    await killed.ask('POST', '/media-mirror/run');
    const mirrored = async () =>
      (
        await world.sql<{ count: number }>(
          `select count(*)::int as count from mirror_object where key like 'files/large%'`,
        )
      )[0]!.count;
    await waitFor(async () => (await mirrored()) >= 2);
    expect(Date.now() - startedAt).toBeGreaterThan(1_500);
    await killed.kill();
    const done = await mirrored();
    expect(done).toBeLessThan(10);
    await world.sql(`update mirror_run set lease_until = now() - interval '1 second' where status = 'running'`);
    service = await world.start();
    await waitFor(async () => (await service.runs('media-mirror'))[0]?.error_code === 'interrupted');
    await change({ throttle_mb_per_second: null });
    const run = await service.run('media-mirror');
    // An object whose copy was complete when the process was killed, but not recorded, is compared.
    expect(Number(run['copied'])).toBeLessThanOrEqual(10 - done);
    expect(run).toMatchObject({ status: 'success', differing: 0, failed: 0 });
    const store = createObjectStore({ OBJECT_STORE_DIR: mirror, S3_REGION: '' });
    for (let i = 0; i < 10; i += 1) expect((await store.head(`files/large${i}/original`)).bytes).toBe(100_000);
  });
});

describe('the schedule of the media mirror', () => {
  it('starts a run when one is due and it is switched on', async () => {
    await change({ enabled: true, schedule: '0 4 * * *' });
    await world.sql(
      `update operations_settings set updated_at = '2026-01-01T00:00:00Z' where key in ('mirror.enabled', 'mirror.schedule')`,
    );
    const scheduled = () =>
      world.sql<{ due: Date }>(
        `select scheduled_for as due from mirror_run where trigger = 'schedule' and status = 'success'`,
      );
    await waitFor(async () => (await scheduled()).length > 0);
    expect(await scheduled()).toEqual([{ due: new Date('2026-01-01T04:00:00Z') }]);
    const status = async () => (await service.ask('GET', '/media-mirror/status')).body['next_due'];
    expect(await status()).toMatch(/T04:00:00/);
    await change({ enabled: false });
    expect(await status()).toBeNull();
  });
});

describe('a full destination', () => {
  it('ends the run with its code and the names, and leaves no part of an object', async () => {
    await world.objects.put('files/huge/original', randomBytes(2 * 1024 * 1024));
    await service.stop();
    const limited = await world.startProcess({}, 'ulimit -f 1024');
    const run = await limited.run('media-mirror');
    expect(run).toMatchObject({ status: 'failed', error_code: 'destination_full', failed: 1 });
    expect((await limited.ask('GET', '/media-mirror/report')).body).toMatchObject({
      names: { failed: [{ key: 'files/huge/original' }] },
    });
    expect(existsSync(fileIn(mirror, 'files/huge/original'))).toBe(false);
    await limited.kill('SIGTERM');
    service = await world.start();
    expect(await service.run('media-mirror')).toMatchObject({ status: 'success', copied: 1 });
  });
});

describe('a mirror in a bucket', () => {
  it('receives every object, and nothing the second time', async () => {
    const changed = await change({
      destination_type: 's3',
      s3_endpoint_url: s3.url,
      s3_bucket: s3.bucket,
      s3_access_key_id: s3.accessKeyId,
      s3_secret_key: s3.secretAccessKey,
    });
    expect(settingsByKey(changed.body)['s3_secret_key']).toMatchObject({ value: null, is_set: true });
    const first = await service.run('media-mirror');
    expect(first).toMatchObject({ status: 'success', copied: 14, failed: 0, differing: 0 });
    const second = await service.run('media-mirror');
    expect(second).toMatchObject({ status: 'success', copied: 0, already_there: 14 });
  });
});
