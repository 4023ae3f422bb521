import { describe, expect, it } from '@jest/globals';
import { catalogueSchema, readCatalogue, type CatalogueEntry } from './catalogue.ts';
import { suggestModel, suitableModels } from './suggestion.ts';

const hash = 'a'.repeat(64);
function entry(more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    name: 'tiny',
    title: 'Tiny',
    kind: 'vad',
    family: 'silero-vad',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [{ name: 'model.onnx', bytes: 10, sha256: hash, sources: ['https://example.org/model.onnx'] }],
    files: { model: { path: 'model.onnx', bytes: 10, sha256: hash } },
    ...more,
  };
}
function faultOf(model: unknown): string | undefined {
  return catalogueSchema.safeParse({ version: 1, models: [model] }).error?.issues[0]?.message;
}

describe('the catalogue', () => {
  it('of the product is valid, and every source has a secure address', async () => {
    const models = await readCatalogue();
    expect(models.length).toBeGreaterThan(0);
    const sources = models.flatMap(({ downloads }) => downloads.flatMap((download) => download.sources));
    expect(sources.filter((source) => !source.startsWith('https://'))).toEqual([]);
  });

  it('accepts a complete entry', () => {
    expect(faultOf(entry())).toBeUndefined();
  });

  it.each([
    ['a role without a file', { files: {} }, 'names no model'],
    ['a file without a download', { files: { model: { path: 'x.onnx', bytes: 1, sha256: hash } } }, 'no download has'],
    [
      'another hash than its download',
      { files: { model: { path: 'model.onnx', bytes: 10, sha256: 'b'.repeat(64) } } },
      'another size or hash',
    ],
    ['a name that is a path', { name: '../evil' }, 'Invalid string'],
    [
      'a file outside of its folder',
      { files: { model: { path: '../x', bytes: 10, sha256: hash } } },
      'leaves the folder',
    ],
  ])('rejects %s', (_, change, message) => {
    expect(faultOf({ ...entry(), ...change })).toContain(message);
  });

  it('rejects an entry without a hash, and an address that is no web address', () => {
    const [download] = entry().downloads;
    expect(faultOf({ ...entry(), downloads: [{ ...download, sha256: undefined }] })).toBeDefined();
    expect(faultOf({ ...entry(), downloads: [{ ...download, sources: ['file:///etc/passwd'] }] })).toBeDefined();
  });

  it('that cannot be read is named', async () => {
    await expect(readCatalogue('/nothing/catalogue.json')).rejects.toMatchObject({
      code: 'catalogue_invalid',
      message: expect.stringContaining('/nothing/catalogue.json'),
    });
  });
});

describe('the suggestion', () => {
  const gib = 1024 ** 3;
  const speech = (name: string, memory: number, bytes: number, factor: number | null = 0.2): CatalogueEntry =>
    entry({
      name,
      kind: 'asr',
      memory_mib: memory,
      cpu_real_time_factor: factor,
      files: { model: { path: 'model.onnx', bytes, sha256: hash } },
    });
  const catalogue = [entry(), speech('small', 500, 10), speech('large', 4_000, 1_000), speech('slow', 600, 5_000, 4)];
  const on = (cores: number, gibibytes: number, gpuMemoryMib: number | null = null) =>
    suggestModel({ cores, memoryBytes: gibibytes * gib, gpuMemoryMib }, catalogue);

  it('is the largest speech model that fits into memory and is fast enough', () => {
    expect(on(4, 4).entry?.name).toBe('small');
    expect(on(4, 16).entry?.name).toBe('large');
    expect(on(1, 2).entry).toBeNull();
  });

  it('allows models for a GPU that would be too slow without one', () => {
    expect(on(4, 16, 24_000)).toMatchObject({ entry: { name: 'slow' }, text: expect.stringContaining('on the GPU') });
  });

  it.each([
    [2, null, 'faster-whisper-base'],
    [8, null, 'faster-whisper-small'],
    [4, 24_000, 'faster-whisper-large-v3-turbo'],
    [4, 3_000, 'faster-whisper-small'],
  ])('names the measured model for %s cores and a GPU of %s MiB', async (cores, gpu, name) => {
    const found = suggestModel({ cores, memoryBytes: 32 * gib, gpuMemoryMib: gpu }, await readCatalogue());
    expect(found.entry?.name).toBe(name);
  });

  it('continues with the next smaller model, for a source that has not the first one', async () => {
    const models = suitableModels({ cores: 8, memoryBytes: 32 * gib, gpuMemoryMib: null }, await readCatalogue());
    expect(models.slice(0, 2).map(({ name }) => name)).toEqual(['faster-whisper-small', 'faster-whisper-base']);
  });

  it('names what suits a machine also when the catalogue has nothing for it', () => {
    const { text, entry: found } = suggestModel({ cores: 8, memoryBytes: 16 * gib, gpuMemoryMib: null }, []);
    expect(found).toBeNull();
    expect(text).toContain('Whisper small');
  });
});
