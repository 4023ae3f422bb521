import { randomUUID } from 'node:crypto';
import { open, rename, stat } from 'node:fs/promises';

/**
 * Word vectors as one compact file: header, word offsets (sorted words), the words, their ranks, int8 vectors.
 * Read into four buffers within a second; looked up by binary search over bytes, so no object per word exists.
 */
const magic = 0x4f56_5431;
const headerBytes = 20;

export type WordVectors = {
  dim: number;
  size: number;
  /** Index of a lower-case word, or -1. */
  find: (word: string) => number;
  /** Adds `weight` times the unit vector of word `index` to `into`. */
  addTo: (into: Float32Array, index: number, weight: number) => void;
  /** 0 for the most frequent word. */
  rank: (index: number) => number;
};

export type VectorEntry = { word: string; rank: number; vector: readonly number[] };

/** Writes the file beside its name and renames it: a reader never sees half of one. Entries are not kept, only their bytes. */
export async function writeVectors(
  path: string,
  dim: number,
  entries: Iterable<VectorEntry> | AsyncIterable<VectorEntry>,
): Promise<void> {
  let words = Buffer.alloc(1024);
  let levels = new Int8Array(1024 * dim);
  const starts = [0];
  const rankOf: number[] = [];
  for await (const { word, rank, vector } of entries) {
    const [index, start] = [rankOf.length, starts.at(-1)!];
    const size = Buffer.byteLength(word);
    while (start + size > words.length) words = Buffer.concat([words, Buffer.alloc(words.length)]);
    words.write(word, start);
    starts.push(start + size);
    rankOf.push(rank);
    if ((index + 1) * dim > levels.length) levels = grown(levels);
    const largest = Math.max(1e-9, ...vector.map(Math.abs));
    for (let column = 0; column < dim; column++)
      levels[index * dim + column] = Math.round(((vector[column] ?? 0) / largest) * 127);
  }
  const order = Uint32Array.from(rankOf.keys()).sort((x, y) =>
    words.compare(words, starts[y], starts[y + 1], starts[x], starts[x + 1]),
  );
  const text = Buffer.concat(Array.from(order, (index) => words.subarray(starts[index], starts[index + 1])));
  const offsets = new Uint32Array(order.length + 1);
  const ranks = new Uint32Array(order.length);
  const vectors = new Int8Array(order.length * dim);
  for (const [i, index] of order.entries()) {
    offsets[i + 1] = offsets[i]! + starts[index + 1]! - starts[index]!;
    ranks[i] = rankOf[index]!;
    vectors.set(levels.subarray(index * dim, (index + 1) * dim), i * dim);
  }
  const header = Buffer.alloc(headerBytes);
  for (const [i, value] of [magic, 1, dim, order.length, text.length].entries()) header.writeUInt32LE(value, i * 4);
  // Containers that share the folder of models count their processes alike.
  const temporary = `${path}.${randomUUID()}.tmp`;
  const file = await open(temporary, 'w');
  for (const part of [header, bytesOf(offsets), bytesOf(ranks), text, bytesOf(vectors)]) await file.writeFile(part);
  await file.sync();
  await file.close();
  await rename(temporary, path);
}

function grown(array: Int8Array<ArrayBuffer>): Int8Array<ArrayBuffer> {
  const larger = new Int8Array(array.length * 2);
  larger.set(array);
  return larger;
}

function bytesOf(array: Uint32Array | Int8Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** @returns undefined when the file is missing, cut off or of another version. */
export async function readVectors(path: string): Promise<WordVectors | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (!info || info.size < headerBytes) return undefined;
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(headerBytes);
    await file.read(header, 0, headerBytes, 0);
    const [found, version, dim, size, textBytes] = [0, 4, 8, 12, 16].map((offset) => header.readUInt32LE(offset)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const expected = headerBytes + (size + 1) * 4 + size * 4 + textBytes + size * dim;
    if (found !== magic || version !== 1 || info.size !== expected) return undefined;
    let at = headerBytes;
    const take = async (bytes: number): Promise<ArrayBuffer> => {
      const part = new ArrayBuffer(bytes);
      await file.read(new Uint8Array(part), 0, bytes, at);
      at += bytes;
      return part;
    };
    const offsets = new Uint32Array(await take((size + 1) * 4));
    const ranks = new Uint32Array(await take(size * 4));
    const text = Buffer.from(await take(textBytes));
    return lookUp({ dim, size, offsets, ranks, text, vectors: new Int8Array(await take(size * dim)) });
  } finally {
    await file.close();
  }
}

type Parts = { dim: number; size: number; offsets: Uint32Array; ranks: Uint32Array; text: Buffer; vectors: Int8Array };

function lookUp({ dim, size, offsets, ranks, text, vectors }: Parts): WordVectors {
  return {
    dim,
    size,
    find: (word) => {
      const wanted = Buffer.from(word);
      let low = 0;
      let high = size - 1;
      while (low <= high) {
        const middle = (low + high) >> 1;
        const order = wanted.compare(text, offsets[middle], offsets[middle + 1]);
        if (order === 0) return middle;
        if (order < 0) high = middle - 1;
        else low = middle + 1;
      }
      return -1;
    },
    addTo: (into, index, weight) => {
      let sum = 0;
      const begin = index * dim;
      for (let column = 0; column < dim; column++) sum += (vectors[begin + column] ?? 0) ** 2;
      const scale = sum === 0 ? 0 : weight / Math.sqrt(sum);
      for (let column = 0; column < dim; column++)
        into[column] = (into[column] ?? 0) + (vectors[begin + column] ?? 0) * scale;
    },
    rank: (index) => ranks[index] ?? size,
  };
}
