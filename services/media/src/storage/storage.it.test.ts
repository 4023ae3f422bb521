import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { transcribed } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav } from '../../test/start-media.ts';

const media = await startMedia();

async function storageIs(state: string): Promise<void> {
  await waitFor(async () => {
    const response = await fetch(`${media.internal}/health/ready`);
    const { checks } = (await response.json()) as { checks: Record<string, string> };
    return checks['object_storage']?.includes(state);
  });
}

it('an empty folder in place of the recordings is reported, and not taken for an empty library', async () => {
  await storageIs('ok');
  await transcribed(media);
  await storageIs('ok');
  await rename(join(media.folder, 'objects'), join(media.folder, 'elsewhere'));
  await storageIs('storage_unavailable');
  const owner = newUser();
  const refused = await media.upload(owner, wav(1));
  expect([refused.status, refused.body.code]).toEqual([503, 'storage_unavailable']);
  expect(existsSync(join(media.folder, 'objects'))).toBe(false);
  await rename(join(media.folder, 'elsewhere'), join(media.folder, 'objects'));
  await storageIs('ok');
  expect((await media.upload(owner, wav(1))).status).toBe(201);
});
