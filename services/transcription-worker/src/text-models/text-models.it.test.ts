import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { wordVectorModel } from '@overtone/contracts';
import { importModel } from '@overtone/models';
import { writeTextModel } from '@overtone/models/test-models';
import { createLog } from '@overtone/service-kit';
import { createLocalVectoriser } from '../embeddings/embeddings.ts';
import { childEnvironment } from '../env.ts';
import { createTextModels, type TextModels } from './text-models.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const folders: string[] = [];
const opened: TextModels[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'text-models-'));
  folders.push(folder);
  return folder;
}

function open(modelCacheDir: string): TextModels {
  const models = createTextModels({ modelCacheDir, allowUnverified: false, env: childEnvironment(), log });
  opened.push(models);
  return models;
}

function notAsked(): Promise<never> {
  return Promise.reject(new Error('not asked'));
}

const meanings = { budget: [3, 0], money: [4, 0], dog: [0, 2], query: [0, 0], passage: [5, 5], ':': [0, 0] };

async function importSentences(
  cacheDir: string,
  name: string,
  more?: (folder: string) => Promise<void>,
): Promise<void> {
  const from = join(await newFolder(), name);
  await writeTextModel(from, { words: meanings, output: 'last_hidden_state' });
  await more?.(from);
  await importModel({ cacheDir, from });
}

const person = [0, 5];
const other = [5, 0];
const labels = { id2label: { 0: 'O', 1: 'B-PER' } };
const names = { quill: person, '##feather': other, mary: person, jane: person, monday: other, '-': other };

async function importNames(cacheDir: string): Promise<void> {
  const from = join(await newFolder(), 'tiny-names');
  await writeTextModel(from, { words: names, output: 'logits', config: labels });
  await importModel({ cacheDir, from });
}

afterAll(async () => {
  for (const models of opened) await models.part.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

describe('a sentence model', () => {
  let cacheDir = '';
  let models: TextModels;
  // The last one that was installed comes first.
  let [current, former, weighted] = ['', '', ''];
  beforeAll(async () => {
    cacheDir = await newFolder();
    await importSentences(cacheDir, 'weighted', async (from) => {
      await mkdir(join(from, '1_Pooling'));
      await writeFile(
        join(from, '1_Pooling', 'config.json'),
        JSON.stringify({ pooling_mode_weightedmean_tokens: true }),
      );
    });
    await importSentences(cacheDir, 'tiny');
    await importSentences(cacheDir, 'tiny-e5');
    models = open(cacheDir);
    [current = '', former = '', weighted = ''] = await models.names('sentences');
  });
  const embed = async (texts: string[]) =>
    (await models.embed(former, texts, 'document')).vectors.map((vector) => [...vector]);

  it('returns the normalised mean of the tokens of each text, the same in a batch as alone', async () => {
    const texts = ['budget dog dog', 'money', 'the Budget, please', ...Array.from({ length: 20 }, () => 'dog dog dog')];
    const together = await embed(texts);
    // The means are (3, 4) and (1, 0), up to their length.
    expect(together[0]).toEqual([expect.closeTo(0.6, 5), expect.closeTo(0.8, 5)]);
    expect(together.slice(1, 3)).toEqual([
      [1, 0],
      [1, 0],
    ]);
    for (const [i, text] of texts.slice(0, 4).entries()) expect((await embed([text]))[0]).toEqual(together[i]);
  });

  it('gives way to the one that was installed last, and still serves by its name', async () => {
    expect([current, former]).toEqual([expect.stringMatching(/^tiny-e5@/), expect.stringMatching(/^tiny@/)]);
    const vectoriser = createLocalVectoriser(models, { embed: notAsked }, notAsked);
    expect((await vectoriser.embed(['dog'], 'query')).model).toBe(current);
    const byFormer = await vectoriser.embed(['dog'], 'query', former);
    expect([byFormer.model, ...(byFormer.vectors[0] ?? [])]).toEqual([former, 0, 1]);
    // The family's prefix of a passage is part of its text.
    expect([...((await vectoriser.embed(['budget'], 'query')).vectors[0] ?? [])]).toEqual([1, 0]);
    expect((await vectoriser.embed(['budget'], 'document')).vectors[0]?.[1]).toBeGreaterThan(0.3);
  });

  it('is left out for word vectors when none is installed, and for the index of word vectors', async () => {
    const words = { embed: async () => ({ model: wordVectorModel, dim: 0, vectors: [] }) };
    const none = createLocalVectoriser(open(await newFolder()), words, async () => false);
    expect((await none.embed(['x'], 'query')).model).toBe(wordVectorModel);
    const indexed = createLocalVectoriser(models, words, notAsked);
    expect((await indexed.embed(['x'], 'query', wordVectorModel)).model).toBe(wordVectorModel);
  });

  it('is waited for while it is fetched, instead of an index of word vectors', async () => {
    const vectoriser = createLocalVectoriser(open(await newFolder()), { embed: notAsked }, async () => true);
    await expect(vectoriser.embed(['x'], 'document')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is not used before it was verified', async () => {
    const folder = await newFolder();
    await writeTextModel(join(folder, 'sentences', 'by-hand'), { words: meanings, output: 'last_hidden_state' });
    expect(await open(folder).names('sentences')).toEqual([]);
  });

  it('fails instead of giving way when its files differ from those that were verified', async () => {
    const folder = await newFolder();
    await importSentences(folder, 'tiny');
    await appendFile(join(folder, 'sentences', 'tiny', 'model.onnx'), 'x');
    const changed = open(folder);
    const [first = ''] = await changed.names('sentences');
    await expect(changed.embed(first, ['dog'], 'query')).rejects.toMatchObject({ code: 'model_invalid' });
  });

  it('fails when its pooling is not supported', async () => {
    await expect(models.embed(weighted, ['dog'], 'query')).rejects.toMatchObject({ code: 'model_invalid' });
  });
});

describe('a names model', () => {
  let models: TextModels;
  let name = '';
  beforeAll(async () => {
    const cacheDir = await newFolder();
    await importNames(cacheDir);
    models = open(cacheDir);
    [name = ''] = await models.names('names');
  });
  const find = async (texts: string[]) =>
    (await models.findNames(name, texts)).map((ranges, i) => ranges.map(([start, end]) => texts[i]?.slice(start, end)));

  it('finds whole names at their exact characters, also after signs of several code units and accents', async () => {
    const texts = ['😀 e\u0301 Mary Quillfeather, on Monday', '', 'quillfeather', '(Mary-Jane) and "jane".'];
    expect(await find(texts)).toEqual([['Mary Quillfeather'], [], ['quillfeather'], ['Mary-Jane', 'jane']]);
  });

  it('finds the names of a text that is longer than the model reads, also where two parts meet', async () => {
    const words = Array.from({ length: 900 }, (_, i) => (i % 50 === 0 ? 'Quillfeather' : 'monday'));
    const found = await find([words.join(' '), 'then Mary']);
    expect(found[0]).toEqual(Array.from({ length: 18 }, () => 'Quillfeather'));
    expect(found[1]).toEqual(['Mary']);
  });

  it('fails for a model of another name', async () => {
    await expect(models.findNames('gone@0', ['Mary'])).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is not reported as missing when the folder of models cannot be read', async () => {
    const gone = open(join(await newFolder(), 'not-mounted'));
    await expect(gone.names('names')).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('is recognised by its labels when it is imported', async () => {
    const from = join(await newFolder(), 'labelled');
    await writeTextModel(from, { words: names, output: 'logits', config: labels });
    expect(JSON.parse(await readFile(join(from, 'config.json'), 'utf8'))).toEqual(labels);
    const cacheDir = await newFolder();
    expect(await importModel({ cacheDir, from })).toEqual({ kind: 'names', name: 'labelled' });
  });
});
