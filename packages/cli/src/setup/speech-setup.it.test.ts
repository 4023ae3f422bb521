import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  isSpeechModelAwaited,
  listInstalled,
  markSpeechModelAwaited,
  readCatalogue,
  readSpeechSetup,
  type CatalogueEntry,
} from '@overtone/models';
import { startFileServer } from '@overtone/models/test-file-server';
import { planSpeech, setUpSpeech } from './speech-setup.ts';

const content = Buffer.alloc(200_000, 'speech');
const sha256 = createHash('sha256').update(content).digest('hex');
const bytes = content.length;
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

function entry(name: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    name,
    title: name,
    kind: 'asr',
    family: 'whisper',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [{ name: 'model.onnx', bytes, sha256, sources: [`${server.url}/${name}`] }],
    files: Object.fromEntries(
      ['encoder', 'decoder', 'tokens', 'model'].map((role) => [role, { path: 'model.onnx', bytes, sha256 }]),
    ),
    ...more,
  };
}

/** A catalogue whose models all come from the test's server; those of the product that are not named need too much memory. */
async function environment(models: CatalogueEntry[], more: Record<string, string> = {}) {
  const further = [
    entry('pyannote-segmentation-3.0', { kind: 'segmentation', family: 'pyannote' }),
    entry('campplus-zh-en', { kind: 'embedding', family: 'speaker-embedding' }),
    entry('all-minilm-l6-v2', {
      kind: 'sentences',
      family: 'sentence-transformer',
      files: Object.fromEntries(
        ['model', 'tokenizer', 'config'].map((role) => [role, { path: 'model.onnx', bytes, sha256 }]),
      ),
    }),
  ];
  const named = new Set([...models, ...further].map(({ name }) => name));
  const others = (await readCatalogue()).filter(({ name }) => !named.has(name));
  const tooLarge = others.map((model) => ({ ...model, memory_mib: 1_000_000_000 }));
  const file = join(folder, 'catalogue.json');
  await writeFile(file, JSON.stringify({ version: 1, models: [...models, ...further, ...tooLarge] }));
  return { OT_MODEL_CATALOGUE: file, ...more };
}

async function fetchSpeech(env: Record<string, string>) {
  const plan = await planSpeech(cacheDir, env);
  if (plan) await setUpSpeech(plan, { cacheDir, env, say: () => undefined, signal: new AbortController().signal });
}

async function installed() {
  return (await listInstalled(cacheDir)).filter(({ fault }) => fault === null).map(({ name }) => name);
}

describe('the speech model of a fresh instance', () => {
  it('is the one that suits the machine, with the models for speakers and search', async () => {
    await fetchSpeech(await environment([entry('tiny')]));
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
    const large = 2 * bytes;
    const gone = entry('gone', {
      downloads: [{ name: 'model.onnx', bytes: large, sha256, sources: [`${server.url}/gone`] }],
      files: Object.fromEntries(
        ['encoder', 'decoder', 'tokens'].map((role) => [role, { path: 'model.onnx', bytes: large, sha256 }]),
      ),
    });
    await fetchSpeech(await environment([gone, entry('tiny')]));
    expect(await installed()).toContain('tiny');
  });

  it('is the one that OT_SPEECH_MODEL names, also beside another one', async () => {
    const env = await environment([entry('tiny'), entry('named')]);
    await fetchSpeech({ ...env, OT_SPEECH_MODEL: 'tiny' });
    await fetchSpeech({ ...env, OT_SPEECH_MODEL: 'named' });
    expect(await installed()).toEqual(expect.arrayContaining(['tiny', 'named']));
    await expect(planSpeech(cacheDir, { ...env, OT_SPEECH_MODEL: 'other' })).rejects.toThrow('has no model other');
  });

  it.each([
    ['OT_SPEECH_MODEL says none', { OT_SPEECH_MODEL: 'none' }],
    ['an endpoint is configured', { ASR_OPENAI_BASE_URL: 'http://asr.internal/v1' }],
    ['another engine is configured', { ASR_ENGINE: 'pocketsphinx' }],
    ['the scripted engine is configured', { OT_SCRIPTED_ENGINE: '1' }],
  ])('is not fetched when %s', async (_, more) => {
    expect(await planSpeech(cacheDir, await environment([entry('tiny')], more))).toBeUndefined();
  });

  it('is not fetched when one is installed, or when an earlier version was answered No', async () => {
    const env = await environment([entry('tiny')]);
    await writeFile(join(cacheDir, '.speech-model-declined'), '');
    expect(await planSpeech(cacheDir, env)).toBeUndefined();
    await fetchSpeech({ ...env, OT_SPEECH_MODEL: 'tiny' });
    await rm(join(cacheDir, '.speech-model-declined'));
    expect(await planSpeech(cacheDir, env)).toBeUndefined();
  });

  it('is missing with a reason when no source has it, and what was installed stays', async () => {
    await expect(fetchSpeech(await environment([entry('gone')]))).rejects.toThrow('404');
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'failed', step: 'model' });
    expect(await installed()).toEqual([]);
  });

  it('is used also when a model for speakers cannot be fetched, as are the other ones', async () => {
    const env = await environment([entry('tiny')]);
    const broken = entry('pyannote-segmentation-3.0', {
      kind: 'segmentation',
      family: 'pyannote',
      downloads: [{ name: 'model.onnx', bytes, sha256, sources: [`${server.url}/gone`] }],
    });
    const catalogue = JSON.parse(await readFile(env.OT_MODEL_CATALOGUE, 'utf8')) as {
      version: number;
      models: CatalogueEntry[];
    };
    const models = catalogue.models.map((model) => (model.name === broken.name ? broken : model));
    await writeFile(env.OT_MODEL_CATALOGUE, JSON.stringify({ ...catalogue, models }));
    await fetchSpeech(env);
    expect(await installed()).toEqual(['tiny', 'campplus-zh-en', 'all-minilm-l6-v2']);
    expect(await readSpeechSetup(cacheDir)).toMatchObject({ state: 'done' });
  });
});
