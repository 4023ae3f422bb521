import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readVectors, writeVectors, type WordVectors } from './vector-file.ts';
import { vectorOf } from './word-vectoriser.ts';

const entries = [
  { word: 'the', rank: 0, vector: [1, 1, 0] },
  { word: 'deadline', rank: 4000, vector: [0, 1, 0.1] },
  { word: 'date', rank: 900, vector: [0, 0.9, 0.2] },
  { word: 'pasta', rank: 9000, vector: [0, 0, 1] },
  { word: 'café', rank: 9500, vector: [-1, 0, 0] },
];

function cosine(left: Float32Array, right: Float32Array) {
  return left.reduce((sum, x, i) => sum + x * (right[i] ?? 0), 0);
}
const path = join(await mkdtemp(join(tmpdir(), 'ot-vectors-')), 'v.bin');
await writeVectors(path, 3, entries);
const vectors = (await readVectors(path)) as WordVectors;

describe('word vectors', () => {
  it('finds every word with any byte encoding, and no others', () => {
    expect(entries.every((entry) => vectors.rank(vectors.find(entry.word)) === entry.rank)).toBe(true);
    expect(vectors.find('dead')).toBe(-1);
  });

  it('rejects a truncated file', async () => {
    const cut = `${path}.cut`;
    await writeFile(cut, (await readFile(path)).subarray(0, -1));
    expect(await readVectors(cut)).toBeUndefined();
  });

  it('writes a complete file also with concurrent writers in one folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ot-vectors-'));
    const shared = join(folder, 'v.bin');
    await Promise.all([1, 2, 3].map(() => writeVectors(shared, 3, entries)));
    expect((await readVectors(shared))?.find('date')).toBe(vectors.find('date'));
    expect(await readdir(folder)).toEqual(['v.bin']);
  });

  it('returns similar vectors for texts of similar meaning', () => {
    const of = (text: string) => vectorOf(vectors, undefined, text);
    expect(cosine(of('the date'), of('The DEADLINE!'))).toBeGreaterThan(0.9);
    expect(cosine(of('the date'), of('the pasta'))).toBeLessThan(0.5);
  });

  it('gives frequent words a low weight', () => {
    const of = (text: string) => vectorOf(vectors, undefined, text);
    expect(cosine(of('the pasta'), of('pasta'))).toBeGreaterThan(0.95);
  });

  it('is all zeros when no word is known, and normalised otherwise', () => {
    expect([...vectorOf(vectors, undefined, 'xyzzy')]).toEqual([0, 0, 0]);
    const vector = vectorOf(vectors, undefined, 'the pasta date');
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });
});
