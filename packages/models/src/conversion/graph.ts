import type { Tensor } from './checkpoint.ts';

// Numbers of the fields and types in onnx.proto.
const types = { float: 1, int8: 3, int64: 7 };
const attributeTypes = { float: 1, int: 2, text: 3, ints: 7 };
const opset = 17;
const irVersion = 8;

type Attribute = number | string | readonly number[] | { readonly float: number };
export type Attributes = Readonly<Record<string, Attribute>>;
/** An input or output of a model, of floats unless `type` says otherwise; a dimension is a length or the name of a variable one. */
export type Port = {
  readonly name: string;
  readonly dims: readonly (number | string)[];
  readonly type?: keyof typeof types;
};

/** Collects the nodes and constants of an ONNX model. */
export class GraphBuilder {
  readonly #nodes: Buffer[] = [];
  readonly #constants: Buffer[] = [];
  #names = 0;

  /** Adds a node. @returns the name of its output. */
  node(type: string, inputs: readonly string[], attributes: Attributes = {}, output = this.#name()): string {
    const body = [
      ...inputs.map((name) => textField(1, name)),
      textField(2, output),
      textField(4, type),
      ...Object.entries(attributes).map(([name, value]) => bytesField(5, encodeAttribute(name, value))),
    ];
    this.#nodes.push(bytesField(1, Buffer.concat(body)));
    return output;
  }

  floats({ shape, values }: Tensor): string {
    return this.#constant(shape, types.float, bytesOf(values));
  }

  int8s({ shape, values }: { readonly shape: readonly number[]; readonly values: Int8Array }): string {
    return this.#constant(shape, types.int8, bytesOf(values));
  }

  ints(...values: readonly number[]): string {
    return this.#constant([values.length], types.int64, bytesOf(BigInt64Array.from(values.map(BigInt))));
  }

  scalar(value: number): string {
    return this.floats({ shape: [1], values: Float32Array.of(value) });
  }

  /** The serialized model. */
  build(
    inputs: readonly Port[],
    outputs: readonly Port[],
    metadata: Readonly<Record<string, string | number>>,
  ): Buffer {
    const graph = Buffer.concat([
      ...this.#nodes,
      textField(2, 'graph'),
      ...this.#constants,
      ...inputs.map((port) => bytesField(11, encodePort(port))),
      ...outputs.map((port) => bytesField(12, encodePort(port))),
    ]);
    const properties = Object.entries(metadata).map(([key, value]) =>
      bytesField(14, Buffer.concat([textField(1, key), textField(2, String(value))])),
    );
    const operators = Buffer.concat([textField(1, ''), varintField(2, opset)]);
    return Buffer.concat([
      varintField(1, irVersion),
      textField(2, 'overtone'),
      bytesField(7, graph),
      bytesField(8, operators),
      ...properties,
    ]);
  }

  #constant(shape: readonly number[], type: number, bytes: Buffer): string {
    const name = this.#name();
    const tensor = [packedInts(1, shape), varintField(2, type), textField(8, name), bytesField(9, bytes)];
    this.#constants.push(bytesField(5, Buffer.concat(tensor)));
    return name;
  }

  #name(): string {
    this.#names += 1;
    return `v${this.#names}`;
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

function encodeAttribute(name: string, value: Attribute): Buffer {
  return Buffer.concat([textField(1, name), ...encodeValue(value)]);
}

function encodeValue(value: Attribute): Buffer[] {
  if (typeof value === 'number') return [varintField(3, value), varintField(20, attributeTypes.int)];
  if (typeof value === 'string') return [textField(4, value), varintField(20, attributeTypes.text)];
  if (!('float' in value)) return [packedInts(8, value), varintField(20, attributeTypes.ints)];
  const bits = Buffer.alloc(5);
  bits.writeUInt8((2 << 3) | 5);
  bits.writeFloatLE(value.float, 1);
  return [bits, varintField(20, attributeTypes.float)];
}

function encodePort({ name, dims, type = 'float' }: Port): Buffer {
  const sizes = dims.map((dim) => bytesField(1, typeof dim === 'number' ? varintField(1, dim) : textField(2, dim)));
  const tensor = Buffer.concat([varintField(1, types[type]), bytesField(2, Buffer.concat(sizes))]);
  return Buffer.concat([textField(1, name), bytesField(2, bytesField(1, tensor))]);
}

/** Fields of the binary format of Protocol Buffers. */
function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

function bytesField(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text));
}

function packedInts(number: number, values: readonly number[]): Buffer {
  return bytesField(number, Buffer.concat(values.map(varint)));
}

/** Negative numbers take ten bytes, as their 64-bit two's complement. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}
