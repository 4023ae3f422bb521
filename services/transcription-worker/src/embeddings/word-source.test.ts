import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { VectorEntry } from './vector-file.ts';
import { readWordVectors } from './word-source.ts';

const entries = [
  { word: 'the', vector: [0.5, -1] },
  { word: ']', vector: [1e-7, 2] },
  { word: '"\\', vector: [3, 4] },
  { word: 'café', vector: [5, 6] },
];
const source = JSON.stringify({
  dimensions: 2,
  words: entries.map(({ word }) => word),
  vectors: Object.fromEntries(
    entries.map(({ word, vector }) => [word, [...vector, ...Array<number>(98).fill(0), 7, 8]]),
  ),
  unkVector: [0],
});

async function read(text: string, partSize: number): Promise<VectorEntry[]> {
  const parts = text.match(new RegExp(`[^]{1,${partSize}}`, 'g')) ?? [];
  const found: VectorEntry[] = [];
  for await (const entry of readWordVectors(Readable.from(parts))) found.push(entry);
  return found;
}

describe('the source of the word vectors', () => {
  it('is read with its ranks, however its parts are divided', async () => {
    const expected = entries.map(({ word, vector }, rank) => ({
      word,
      rank,
      vector: [...vector, ...Array<number>(98).fill(0)],
    }));
    for (const size of [1, 7, 100, source.length]) expect(await read(source, size)).toEqual(expected);
  });

  it('is refused when it is cut off', async () => {
    await expect(read(source.slice(0, -40), 50)).rejects.toThrow('cut off');
  });
});
