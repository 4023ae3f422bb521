import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchedPercent, isSpeechModelAwaited, readSpeechSetup, trackSpeechSetup } from './speech-setup.ts';

const minuteMs = 60_000;
let cacheDir = '';
beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'setup-'));
});
afterEach(() => rm(cacheDir, { recursive: true, force: true }));

describe('the fetch of the speech model', () => {
  it('is awaited while it runs, with the received share', async () => {
    const setup = trackSpeechSetup(cacheDir, 'faster-whisper-base');
    await setup.enter('model');
    const begun = (await readSpeechSetup(cacheDir))!;
    expect(isSpeechModelAwaited(begun)).toBe(true);
    expect([begun.state, fetchedPercent(begun)]).toEqual(['running', 0]);
    setup.receive(431, 1_000);
    const read = async () => fetchedPercent((await readSpeechSetup(cacheDir))!);
    while ((await read()) === 0) await sleep(20);
    expect(await read()).toBe(43);
    await setup.end();
    expect(isSpeechModelAwaited(await readSpeechSetup(cacheDir))).toBe(false);
  });

  it('is not awaited any more after its failure, while speakers are fetched, or after a quarter of an hour', async () => {
    const setup = trackSpeechSetup(cacheDir, 'faster-whisper-base');
    await setup.enter('model');
    const running = (await readSpeechSetup(cacheDir))!;
    expect(isSpeechModelAwaited(running, Date.parse(running.began_at) + 16 * minuteMs)).toBe(false);
    expect(isSpeechModelAwaited({ ...running, step: 'further' })).toBe(false);
    await setup.end(new Error('no network'));
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'failed', error: 'no network' });
    expect(isSpeechModelAwaited(await readSpeechSetup(cacheDir))).toBe(false);
  });

  it('counts as interrupted when its process does not write any more', async () => {
    const at = new Date(Date.now() - minuteMs).toISOString();
    const state = { state: 'running', step: 'model', model: 'x', received_bytes: 1, total_bytes: 2, error: null };
    await writeFile(join(cacheDir, '.speech-setup.json'), JSON.stringify({ ...state, began_at: at, at }));
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'failed' });
  });

  it('is unknown where nothing was fetched', async () => {
    expect(await readSpeechSetup(cacheDir)).toBeNull();
  });
});
