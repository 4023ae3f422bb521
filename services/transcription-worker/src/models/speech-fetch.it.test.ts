import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { listInstalled, readSpeechSetup } from '@overtone/models';
import { startFileServer } from '@overtone/models/test-file-server';
import { content, entry, writeSpeechCatalogue } from '@overtone/models/test-speech-catalogue';
import { createLog } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { createSpeechFetch, type SpeechFetchEnv } from './speech-fetch.ts';

let folder = '';
let cacheDir = '';
let fault: Parameters<typeof startFileServer>[1];
let server: Awaited<ReturnType<typeof startFileServer>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speech-fetch-'));
  cacheDir = join(folder, 'models');
  fault = undefined;
  server = await startFileServer(content, (request, count) => fault?.(request, count));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function worker(more: Partial<SpeechFetchEnv> = {}) {
  const env: SpeechFetchEnv = {
    MODEL_CACHE_DIR: cacheDir,
    OT_SPEECH_MODEL: 'auto',
    OT_SPEECH_ENVIRONMENT: join(folder, 'no-environment'),
    OT_MODEL_CATALOGUE: await writeSpeechCatalogue(folder, server.url, [entry(server.url, 'tiny')]),
    OT_MODEL_MIRROR: undefined,
    OT_OUTBOUND_ALLOWED_RANGES: '127.0.0.0/8',
    NODE_USE_ENV_PROXY: false,
    ASR_ENGINE: undefined,
    ASR_OPENAI_BASE_URL: undefined,
    OT_SCRIPTED_ENGINE: undefined,
    ...more,
  };
  return createSpeechFetch({ env, log: createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' }) });
}

async function installed() {
  return (await listInstalled(cacheDir)).map(({ name }) => name).toSorted();
}

describe('a worker in a container', () => {
  it('fetches the speech model that suits, and those for speakers and search', async () => {
    const part = await worker();
    await part.start();
    await waitFor(async () => (await readSpeechSetup(cacheDir))?.state === 'done');
    expect(await installed()).toEqual(['all-minilm-l6-v2', 'campplus-zh-en', 'pyannote-segmentation-3.0', 'tiny']);
    await part.stop();
  });

  it('fetches nothing when OT_SPEECH_MODEL is none', async () => {
    const part = await worker({ OT_SPEECH_MODEL: 'none' });
    await part.start();
    await part.stop();
    expect(server.seen).toEqual([]);
    expect(await readSpeechSetup(cacheDir)).toBeNull();
  });

  it('reports a failure when no source has the model, and continues without one', async () => {
    fault = () => ({ status: 404 });
    const part = await worker();
    await part.start();
    await waitFor(async () => (await readSpeechSetup(cacheDir))?.state === 'failed');
    await part.stop();
    expect(await installed()).toEqual([]);
  });

  it('ends its fetch when it stops, and continues it after the next start', async () => {
    fault = (_, count) => (count === 1 ? { silentAfter: 100_000 } : undefined);
    const first = await worker();
    await first.start();
    await waitFor(async () => ((await readSpeechSetup(cacheDir))?.received_bytes ?? 0) > 0);
    await first.stop();
    const second = await worker();
    await second.start();
    await waitFor(async () => (await readSpeechSetup(cacheDir))?.state === 'done');
    await second.stop();
    expect(server.seen.find(({ path, range }) => path === '/tiny' && range !== null)).toBeDefined();
  });

  it('leaves the fetch to another one that shares the folder', async () => {
    fault = ({ path }) => (path === '/tiny' ? { silentAfter: 100_000 } : undefined);
    const [first, second] = [await worker(), await worker()];
    await first.start();
    await waitFor(() => server.seen.length === 1);
    await second.start();
    await waitFor(async () => ((await readSpeechSetup(cacheDir))?.received_bytes ?? 0) > 0);
    await second.stop();
    expect(server.seen).toHaveLength(1);
    expect((await readSpeechSetup(cacheDir))?.state).toBe('running');
    await first.stop();
  });
});
