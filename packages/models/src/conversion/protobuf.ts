/** Fields of the binary format of Protocol Buffers. */
export function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

export function bytesField(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(content.length), content]);
}

export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text));
}

export function packedInts(number: number, values: readonly number[]): Buffer {
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
