import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSafetensors } from './safetensors.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safetensors-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const values = Float32Array.of(1.5, -2, 0.25, 4);
const header = {
  __metadata__: { format: 'pt' },
  weight: { dtype: 'F32', shape: [2, 2], data_offsets: [8, 24] },
  ids: { dtype: 'I64', shape: [1], data_offsets: [0, 8] },
};

async function write(content: unknown, { data = Buffer.from(values.buffer), length = NaN } = {}): Promise<string> {
  const text = Buffer.from(JSON.stringify(content));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(Number.isNaN(length) ? text.length : length));
  const path = join(folder, 'model.safetensors');
  await writeFile(path, Buffer.concat([size, text, Buffer.alloc(8), data]));
  return path;
}

describe('a safetensors file', () => {
  it('gives its tensors of 32-bit floats by name, and leaves out the others', async () => {
    const tensors = await readSafetensors(await write(header));
    expect([...tensors]).toEqual([['weight', { shape: [2, 2], values }]]);
  });

  it.each([
    ['is cut off', header, { data: Buffer.from(values.buffer).subarray(4) }],
    ['says that its header is longer than the file', header, { length: 1e6 }],
    ['says that its header is larger than any memory', header, { length: 2 ** 52 }],
    ['has a tensor whose shape and bytes differ', { weight: { ...header.weight, shape: [2, 3] } }, {}],
    ['has a tensor beyond its end', { weight: { ...header.weight, data_offsets: [2 ** 40, 2 ** 40 + 16] } }, {}],
    ['has a header that is a list', [1], {}],
  ])('is refused when it %s', async (_, content, more) => {
    await expect(readSafetensors(await write(content, more))).rejects.toThrow();
  });
});
