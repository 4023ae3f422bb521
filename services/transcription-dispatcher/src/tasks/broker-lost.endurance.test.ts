import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { expectProcessedOnce } from '../../test/once.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();

it('delivers signals and events after the broker has lost its messages, but not the positions of its consumers', async () => {
  await world.worker();
  for (const earlier of [await world.upload(), await world.upload()]) await world.becomes(earlier.fileId, 'completed');
  // Allowed: the broker stores the positions with a delay and does not show it.
  await sleep(1_000);
  await world.nats.kill9();
  for (const path of await readdir(world.nats.folder, { recursive: true }))
    if (/streams\/(JOBS|EVENTS)\/msgs$/.test(path)) await rm(join(world.nats.folder, path), { recursive: true });
  await world.nats.restart();
  const file = await waitFor(() => world.upload());
  await expectProcessedOnce(world, file.fileId);
});
