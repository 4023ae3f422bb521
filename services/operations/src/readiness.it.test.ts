import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld } from '../test/world.ts';

const world = await stopAfterFile(createWorld());
const service = await world.start();
cleanUpAfterFile(() => service.stop());

describe('readiness', () => {
  it.each([
    ['backup', 'backup_destination'],
    ['media-mirror', 'media_mirror'],
  ])('is degraded while the disk of the scheduled %s is not mounted', async (panel, check) => {
    const folder = join(world.folder, panel);
    const change = async (changes: object) => {
      const { status, body } = await service.ask('PUT', `/${panel}/settings`, changes);
      expect({ status, body }).toMatchObject({ status: 200 });
    };
    const found = async () => {
      const { status, checks } = await service.readiness();
      return [status, checks[check]];
    };
    // At no time that comes while the test runs.
    await change({ destination: folder, schedule: '0 4 29 2 *', enabled: true });
    expect(await found()).toEqual([200, 'ok']);
    await rename(folder, `${folder}-away`);
    expect(await found()).toEqual([200, expect.stringMatching(/^error: destination_unavailable: .* is not there/)]);
    await mkdir(folder);
    expect(await found()).toEqual([
      200,
      expect.stringMatching(/^error: destination_unavailable: .* is its disk mounted/),
    ]);
    expect(await readdir(folder)).toEqual([]);
    await change({ enabled: false });
    expect(await found()).toEqual([200, 'ok']);
    await rmdir(folder);
    await rename(`${folder}-away`, folder);
    await change({ enabled: true });
    expect(await found()).toEqual([200, 'ok']);
  });
});
