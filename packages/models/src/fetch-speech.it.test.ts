import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFileServer } from '../test/file-server.ts';
import { content, entry, writeSpeechCatalogue } from '../test/speech-catalogue.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { fetchSpeech, planSpeech } from './fetch-speech.ts';
import { listInstalled } from './installed.ts';
import { isSpeechModelAwaited, markSpeechModelAwaited, readSpeechSetup } from './speech-setup.ts';

let folder = '';
let cacheDir = '';
let server: Awaited<ReturnType<typeof startFileServer>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'speech-'));
  cacheDir = join(folder, 'models');
  await mkdir(cacheDir);
  server = await startFileServer(content, ({ path }) => (path.startsWith('/gone') ? { status: 404 } : undefined));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function named(name: string, more: Partial<CatalogueEntry> = {}) {
  return entry(server.url, name, more);
}

async function environment(models: CatalogueEntry[], more: Record<string, string> = {}) {
  return { OT_MODEL_CATALOGUE: await writeSpeechCatalogue(folder, server.url, models), ...more };
}

async function setUp(env: Record<string, string>) {
  const plan = await planSpeech(cacheDir, env);
  if (plan) await fetchSpeech(plan, { cacheDir, env, say: () => undefined, signal: new AbortController().signal });
}

async function installed() {
  return (await listInstalled(cacheDir)).filter(({ fault }) => fault === null).map(({ name }) => name);
}

describe('the speech model of a fresh instance', () => {
  it('is the one that suits the machine, with the models for speakers and search', async () => {
    await setUp(await environment([named('tiny')]));
    expect(await installed()).toEqual(['tiny', 'campplus-zh-en', 'pyannote-segmentation-3.0', 'all-minilm-l6-v2']);
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'done', model: 'tiny' });
  });

  it('is awaited from before the services start, so that no other engine takes the first recordings', async () => {
    await markSpeechModelAwaited(cacheDir, 'tiny');
    const setup = await readSpeechSetup(cacheDir);
    expect(setup).toMatchObject({ state: 'running', model: 'tiny', step: 'environment' });
    expect(isSpeechModelAwaited(setup)).toBe(true);
  });

  it('is the next one that suits when no source has the first one', async () => {
    const gone = named('gone');
    await setUp(await environment([gone, named('tiny')]));
    expect(await installed()).toContain('tiny');
  });

  it('is the one that OT_SPEECH_MODEL names, also beside another one', async () => {
    const env = await environment([named('tiny'), named('named')]);
    await setUp({ ...env, OT_SPEECH_MODEL: 'tiny' });
    await setUp({ ...env, OT_SPEECH_MODEL: 'named' });
    expect(await installed()).toEqual(expect.arrayContaining(['tiny', 'named']));
    await expect(planSpeech(cacheDir, { ...env, OT_SPEECH_MODEL: 'other' })).rejects.toThrow('has no model other');
  });

  it.each([
    ['OT_SPEECH_MODEL says none', { OT_SPEECH_MODEL: 'none' }],
    ['an endpoint is configured', { ASR_OPENAI_BASE_URL: 'http://asr.internal/v1' }],
    ['another engine is configured', { ASR_ENGINE: 'pocketsphinx' }],
    ['the scripted engine is configured', { OT_SCRIPTED_ENGINE: '1' }],
  ])('is not fetched when %s', async (_, more) => {
    expect(await planSpeech(cacheDir, await environment([named('tiny')], more))).toBeUndefined();
  });

  it('is the one that suits the machine, too, when OT_SPEECH_MODEL says auto', async () => {
    const plan = await planSpeech(cacheDir, await environment([named('tiny')], { OT_SPEECH_MODEL: 'auto' }));
    expect(plan?.model).toBe('tiny');
  });

  it('is not fetched when one is installed, or when an earlier version was answered No', async () => {
    const env = await environment([named('tiny')]);
    await writeFile(join(cacheDir, '.speech-model-declined'), '');
    expect(await planSpeech(cacheDir, env)).toBeUndefined();
    await setUp({ ...env, OT_SPEECH_MODEL: 'tiny' });
    await rm(join(cacheDir, '.speech-model-declined'));
    expect(await planSpeech(cacheDir, env)).toBeUndefined();
  });

  it('is missing with a reason when no source has it, and what was installed stays', async () => {
    await expect(setUp(await environment([named('gone')]))).rejects.toThrow('404');
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'failed', step: 'model' });
    expect(await installed()).toEqual([]);
  });

  it('is used also when a model for speakers cannot be fetched, as are the other ones', async () => {
    const [download] = named('gone').downloads;
    const broken = named('pyannote-segmentation-3.0', {
      kind: 'segmentation',
      family: 'pyannote',
      downloads: download ? [download] : [],
    });
    const env = await environment([named('tiny'), broken]);
    await setUp(env);
    expect(await installed()).toEqual(['tiny', 'campplus-zh-en', 'all-minilm-l6-v2']);
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'done' });
  });
});
