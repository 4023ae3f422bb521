import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryOf, pullModel, readCatalogue } from '@overtone/models';
import { createLog } from '@overtone/service-kit';
import { childEnvironment } from '../env.ts';
import { createTextModels, type TextModels } from './text-models.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

/** Pulls a model of the catalogue for the tests of a `describe`. */
function useModel(model: string): () => TextModels {
  let cacheDir = '';
  let models: TextModels;
  beforeAll(async () => {
    cacheDir = await mkdtemp(join(tmpdir(), 'text-models-'));
    const entry = entryOf(await readCatalogue(), model);
    await pullModel({ cacheDir, entry, acceptLicence: false });
    models = createTextModels({ modelCacheDir: cacheDir, allowUnverified: false, env: childEnvironment(), log });
  }, 1_800_000);
  afterAll(async () => {
    await models.part.stop();
    await rm(cacheDir, { recursive: true, force: true });
  });
  return () => models;
}

function cosine(x: Float32Array, y: Float32Array): number {
  return x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
}

describe('all-MiniLM-L6-v2 in the conversion of the product', () => {
  const models = useModel('all-minilm-l6-v2');
  it('has the similarities that its publisher states', async () => {
    const [name = ''] = await models().names('sentences');
    const texts = ['The weather is lovely today.', "It's so sunny outside!", 'He drove to the stadium.'];
    const { vectors } = await models().embed(name, texts, 'document');
    const [weather, sun, stadium] = vectors as [Float32Array, Float32Array, Float32Array];
    expect(vectors.map(({ length }) => length)).toEqual([384, 384, 384]);
    // https://sbert.net/docs/quickstart.html
    expect(cosine(weather, sun)).toBeCloseTo(0.666, 1.7);
    expect(cosine(weather, stadium)).toBeCloseTo(0.1046, 1.7);
    expect(cosine(sun, stadium)).toBeCloseTo(0.1411, 1.7);
  });
});

describe('multilingual-e5-small in the conversion of the product', () => {
  const models = useModel('multilingual-e5-small');

  it.each([
    ['Wie lange dauert die Lieferung?', 'The delivery takes three days.'],
    ['How long does the delivery take?', 'Доставка занимает три дня.'],
    ['¿Cuánto tarda la entrega?', '配送需要三天时间。'],
    ['Wo schläft die Katze?', 'Le chat dort sur le canapé.'],
  ])('finds the answer to %s in another language', async (question, answer) => {
    const [name = ''] = await models().names('sentences');
    expect(name).toMatch(/^multilingual-e5-small@/);
    const others = ['The report is ready.', 'Il pleut depuis ce matin.', 'Мы переносим совещание на вторник.'];
    const asked = await models().embed(name, [question], 'query');
    const { vectors } = await models().embed(name, [answer, ...others], 'document');
    const [found = 0, ...rest] = vectors.map((vector) => cosine(vector, asked.vectors[0] as Float32Array));
    expect(found - Math.max(...rest)).toBeGreaterThan(0.02);
  });
});
