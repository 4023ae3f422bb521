import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { trackSpeechSetup } from '@overtone/models';
import { waitFor } from '@overtone/testkit';
import { startWorld, type World } from '../../test/world.ts';

let world: World;
let folder = '';
let setup: ReturnType<typeof trackSpeechSetup>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'awaited-'));
  setup = trackSpeechSetup(folder, 'faster-whisper-base');
  await setup.enter('model');
  setup.receive(43, 100);
  world = await startWorld({ MODEL_CACHE_DIR: folder, OT_SCRIPTED_ENGINE: undefined });
});
afterAll(async () => {
  await setup.end();
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

async function heartbeat() {
  const [found] = await world.capabilities();
  return found;
}

describe('a worker whose speech model is being fetched', () => {
  it('offers no engine, and reports the fetched share', async () => {
    const waiting = await waitFor(async () => {
      const value = await heartbeat();
      return value?.speechModelPercent === 43 ? value : undefined;
    });
    expect(waiting).toMatchObject({ engine: null, engineNote: 'The speech model is being fetched (43 %)' });
  });

  it('transcribes with PocketSphinx when the fetch failed', async () => {
    await setup.end(new Error('no network'));
    const ready = await waitFor(async () => {
      const value = await heartbeat();
      return value?.engine ? value : undefined;
    });
    expect(ready).toMatchObject({ engine: { provider: 'pocketsphinx' }, speechModelPercent: null });
  });
});
