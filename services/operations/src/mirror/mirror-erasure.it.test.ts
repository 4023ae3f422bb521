import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { erasureEvents, type ErasureReport } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());
const service = await world.start();
cleanUpAfterFile(() => service.stop());
const folder = join(world.folder, 'mirror');
const mirror = createObjectStore({ OBJECT_STORE_DIR: folder, OBJECT_STORE_RESERVE_BYTES: 0, S3_REGION: '' });
const durable = 'operations-erase-mirrored';
const reports: ErasureReport[] = [];
world.nats.subscribe(erasureEvents.operations.subject, { callback: (_, message) => void reports.push(message.json()) });
await world.nats.flush();

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ['files/', 'derived/']) for await (const { key } of mirror.list(prefix)) found.push(key);
  return found;
}

function mediaErased(fileIds: string[], erasureId: string = randomUUID()) {
  const report = { erasureId, round: 1, counts: {}, objectHashes: [], fileIds, held: 0, complete: true };
  return world.nats.jetstream({ timeout: 30_000 }).publish(erasureEvents.media.subject, JSON.stringify(report));
}

function answers(count: number) {
  return waitFor(() => (reports.length >= count ? reports : undefined));
}

describe('files that were erased', () => {
  const [erased, kept] = [randomUUID(), randomUUID()];

  it('are answered without a mirror', async () => {
    await mediaErased([erased]);
    expect((await answers(1))[0]).toMatchObject({ complete: true, counts: { mirrored_files: 1, mirrored_objects: 0 } });
  });

  it('are deleted from the mirror, and no others', async () => {
    for (const id of [erased, kept])
      for (const key of [`files/${id}/original`, `derived/${id}/words.json`]) await world.objects.put(key, key);
    expect(await service.ask('PUT', '/media-mirror/settings', { destination: folder })).toMatchObject({ status: 200 });
    expect((await service.run('media-mirror')).status).toBe('success');
    expect(await keys()).toHaveLength(4);
    await mediaErased([erased]);
    expect((await answers(2))[1]).toMatchObject({ counts: { mirrored_files: 1, mirrored_objects: 2 } });
    expect((await keys()).every((key) => key.includes(kept))).toBe(true);
    expect(await world.sql('select key from mirror_object where key like $1', [`%${erased}%`])).toEqual([]);
  });

  it('delay the erasure while the disk of the mirror is missing, and nothing is written in its place', async () => {
    await rename(folder, `${folder}-away`);
    const erasureId = randomUUID();
    await mediaErased([kept], erasureId);
    await failedAttempt();
    expect(existsSync(folder)).toBe(false);
    await mkdir(folder);
    await failedAttempt();
    expect(await readdir(folder)).toEqual([]);
    expect(reports.filter((report) => report.erasureId === erasureId)).toEqual([]);
    await rmdir(folder);
    await rename(`${folder}-away`, folder);
    const report = await waitFor(() => reports.find((found) => found.erasureId === erasureId));
    expect(report).toMatchObject({ counts: { mirrored_files: 1, mirrored_objects: 2 } });
    expect(await keys()).toEqual([]);
  });
});

/** Waits for an attempt that begins after the call and fails: the message is delivered again. */
async function failedAttempt(): Promise<void> {
  const manager = await world.nats.jetstreamManager();
  const deliveries = async () => (await manager.consumers.info('EVENTS', durable)).delivered.consumer_seq;
  const before = await deliveries();
  await waitFor(async () => (await deliveries()) >= before + 2);
}
