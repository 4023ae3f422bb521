import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A protobuf field: a number as varint, text and bytes with their length. */
function field(number: number, value: number | string | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const content = Buffer.from(value as string);
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

const elementTypes = { float: 1, int64: 7 };

/** A tensor as an input or output of the graph; a dimension is a length or the name of a variable one. */
function tensor(
  name: string,
  dims: readonly (number | string)[],
  element: keyof typeof elementTypes = 'float',
): Buffer {
  const sizes = dims.map((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)));
  const type = field(1, Buffer.concat([field(1, elementTypes[element]), field(2, Buffer.concat(sizes))]));
  return Buffer.concat([field(1, name), field(2, type)]);
}

function modelOf(graph: Buffer): Buffer {
  const opset = field(8, Buffer.concat([field(1, ''), field(2, 13)]));
  return Buffer.concat([field(1, 8), field(2, 'overtone-test'), field(7, graph), opset]);
}

/** A valid ONNX model that copies its input, padded to `bytes` by its documentation string. */
export function createOnnxModel(bytes = 0): Buffer {
  const node = Buffer.concat([field(1, 'x'), field(2, 'y'), field(4, 'Identity')]);
  const [input, output] = [field(11, tensor('x', [4])), field(12, tensor('y', [4]))];
  const model = modelOf(Buffer.concat([field(1, node), field(2, 'copy'), input, output]));
  const missing = bytes - model.length - 10;
  return missing <= 0 ? model : Buffer.concat([model, field(6, padding(missing))]);
}

/** Not constant, so that exchanged or repeated blocks change the hash. */
function padding(length: number): Buffer {
  const text = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz0123456789-');
  for (let at = 0; at + 8 < length; at += 4096) text.write(at.toString(36).padStart(8, '0'), at, 'latin1');
  return text;
}

/** A valid ONNX model that returns for each token id its row of the table, as `output`. */
function createTableModel(table: readonly (readonly number[])[], output: string): Buffer {
  const width = table[0]?.length ?? 0;
  const values = Buffer.from(Float32Array.from(table.flat()).buffer);
  const dims = [table.length, width].map((size) => field(1, size));
  const weights = field(5, Buffer.concat([...dims, field(2, elementTypes.float), field(8, 'table'), field(9, values)]));
  const node = field(
    1,
    Buffer.concat([field(1, 'table'), field(1, 'input_ids'), field(2, output), field(4, 'Gather')]),
  );
  const ids = field(11, tensor('input_ids', ['batch', 'tokens'], 'int64'));
  const result = field(12, tensor(output, ['batch', 'tokens', width]));
  return modelOf(Buffer.concat([node, field(2, 'table'), weights, ids, result]));
}

type TextModel = {
  /** The output of each word; of all others zeros. */
  words: Readonly<Record<string, readonly number[]>>;
  output: 'last_hidden_state' | 'logits';
  /** Contents of `config.json`. */
  config?: object;
};

/** Writes the folder of a small text model: an ONNX file, a WordPiece tokenizer in lower case, and its configuration. */
export async function writeTextModel(folder: string, { words, output, config = {} }: TextModel): Promise<void> {
  const width = Object.values(words)[0]?.length ?? 0;
  const zeros = Array.from({ length: width }, () => 0);
  const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
  const vocabulary = [...specials, ...Object.keys(words)];
  const special = (id: number) => ({
    id,
    content: specials[id],
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  const piece = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  const text = { Sequence: { id: 'A', type_id: 0 } };
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((_, id) => special(id)),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [piece('[CLS]'), text, piece('[SEP]')],
      pair: [piece('[CLS]'), text, piece('[SEP]')],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  };
  await mkdir(folder, { recursive: true });
  const table = [...specials.map(() => zeros), ...Object.values(words)];
  await writeFile(join(folder, 'model.onnx'), createTableModel(table, output));
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
}
