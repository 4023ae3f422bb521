import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCatalogue, type CatalogueEntry } from '../src/catalogue.ts';

/** Every file of a test's models. */
export const content = Buffer.alloc(200_000, 'speech');
const file = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };

/** A speech model, whose only file is that of a test's server. */
export function entry(url: string, name: string, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
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
    downloads: [{ name: 'model.onnx', ...file, sources: [`${url}/${name}`] }],
    files: filesOf(['encoder', 'decoder', 'tokens', 'model']),
    ...more,
  };
}

function filesOf(roles: readonly string[]): CatalogueEntry['files'] {
  return Object.fromEntries(roles.map((role) => [role, { path: 'model.onnx', ...file }]));
}

/**
 * Writes a catalogue whose models all come from a test's server; those of the product that are not named need too much memory.
 * @returns its path, for OT_MODEL_CATALOGUE
 */
export async function writeSpeechCatalogue(folder: string, url: string, models: CatalogueEntry[]): Promise<string> {
  const further = [
    entry(url, 'pyannote-segmentation-3.0', { kind: 'segmentation', family: 'pyannote' }),
    entry(url, 'campplus-zh-en', { kind: 'embedding', family: 'speaker-embedding' }),
    entry(url, 'all-minilm-l6-v2', {
      kind: 'sentences',
      family: 'sentence-transformer',
      files: filesOf(['model', 'tokenizer', 'config']),
    }),
  ].filter(({ name }) => models.every((model) => model.name !== name));
  const named = new Set([...models, ...further].map(({ name }) => name));
  const others = (await readCatalogue()).filter(({ name }) => !named.has(name));
  const tooLarge = others.map((model) => ({ ...model, memory_mib: 1_000_000_000 }));
  const path = join(folder, 'catalogue.json');
  await writeFile(path, JSON.stringify({ version: 1, models: [...models, ...further, ...tooLarge] }));
  return path;
}
