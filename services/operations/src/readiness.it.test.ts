import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
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

  it('ends, and requests are answered with 503, while an empty database is in place of the right one', async () => {
    const settings = async () => {
      const { status, body } = await service.ask('GET', '/backup/settings');
      return [status, body['code']];
    };
    expect(await settings()).toEqual([200, undefined]);
    await world.sql('alter schema public rename to away');
    await world.sql('create schema public');
    await world.sql('grant usage on schema public to public');
    const { status, checks } = await service.readiness();
    expect([status, checks['database']]).toEqual([503, expect.stringMatching(/^error: database_unavailable/)]);
    expect(await settings()).toEqual([503, 'database_unavailable']);
    await world.sql('drop schema public cascade');
    await world.sql('alter schema away rename to public');
    await waitFor(async () => (await service.readiness()).status === 200);
    await waitFor(async () => (await settings())[0] === 200);
  });
});
