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

/** A float tensor of one dimension, `name: float[length]`, as an input or output of the graph. */
function tensor(name: string, length: number): Buffer {
  const shape = field(2, field(1, field(1, length)));
  const type = field(1, Buffer.concat([field(1, 1), shape]));
  return Buffer.concat([field(1, name), field(2, type)]);
}

/** A valid ONNX model that copies its input, padded to `bytes` by its documentation string. */
export function createOnnxModel(bytes = 0): Buffer {
  const node = Buffer.concat([field(1, 'x'), field(2, 'y'), field(4, 'Identity')]);
  const graph = Buffer.concat([field(1, node), field(2, 'copy'), field(11, tensor('x', 4)), field(12, tensor('y', 4))]);
  const opset = field(8, Buffer.concat([field(1, ''), field(2, 13)]));
  const model = Buffer.concat([field(1, 8), field(2, 'overtone-test'), field(7, graph), opset]);
  const missing = bytes - model.length - 10;
  return missing <= 0 ? model : Buffer.concat([model, field(6, padding(missing))]);
}

/** Not constant, so that exchanged or repeated blocks change the hash. */
function padding(length: number): Buffer {
  const text = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz0123456789-');
  for (let at = 0; at + 8 < length; at += 4096) text.write(at.toString(36).padStart(8, '0'), at, 'latin1');
  return text;
}
