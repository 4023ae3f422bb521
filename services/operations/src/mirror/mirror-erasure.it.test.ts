import { randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
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
const reports: ErasureReport[] = [];
world.nats.subscribe(erasureEvents.operations.subject, { callback: (_, message) => void reports.push(message.json()) });

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ['files/', 'derived/']) for await (const { key } of mirror.list(prefix)) found.push(key);
  return found;
}

function mediaErased(fileIds: string[], erasureId: string = randomUUID()) {
  const report = { erasureId, round: 1, counts: {}, objectHashes: [], fileIds, held: 0, complete: true };
  return world.nats.jetstream().publish(erasureEvents.media.subject, JSON.stringify(report));
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
    await service.ask('PUT', '/media-mirror/settings', { destination: folder });
    expect((await service.run('media-mirror')).status).toBe('success');
    expect(await keys()).toHaveLength(4);
    await mediaErased([erased]);
    expect((await answers(2))[1]).toMatchObject({ counts: { mirrored_files: 1, mirrored_objects: 2 } });
    expect((await keys()).every((key) => key.includes(kept))).toBe(true);
    expect(await world.sql('select key from mirror_object where key like $1', [`%${erased}%`])).toEqual([]);
  });

  it('delay the erasure while the mirror cannot be reached', async () => {
    await rename(folder, `${folder}-away`);
    await world.sql(`update operations_settings set value = '"/proc/nothing"' where key = 'mirror.destination'`);
    const count = reports.length;
    await mediaErased([kept]);
    // Allowed: nothing announces that no report follows.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(reports).toHaveLength(count);
  });
});
