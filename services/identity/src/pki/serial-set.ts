/** Serial numbers in one sorted block of memory: a list may have a million. Negative numbers are possible. */
export type SerialSet = {
  readonly count: number;
  /** 32-bit words per serial number. */
  readonly width: number;
  /** Big-endian numbers in two's complement, extended to the width by their sign; sorted as unsigned numbers. */
  readonly words: Uint32Array<ArrayBuffer>;
};

/** RFC 5280 section 4.1.2.2 allows 20 bytes; some authorities use more. */
const maxBytes = 64;

/** Collects serial numbers one after the other. */
export function createSerialCollector() {
  let bytes = Buffer.allocUnsafe(4096);
  let used = 0;
  let count = 0;
  let longest = 1;
  return {
    /** @throws Error: the number is longer than any serial number. */
    add: (source: Uint8Array, start: number, end: number): void => {
      const from = skipSignBytes(source, start, end);
      const length = end - from;
      if (length < 1 || length > maxBytes) throw new Error('a serial number has an impossible length');
      if (used + length + 1 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
      bytes[used] = length;
      bytes.set(source.subarray(from, end), used + 1);
      used += length + 1;
      count += 1;
      longest = Math.max(longest, length);
    },
    toSet: (): SerialSet => sort(bytes, count, Math.ceil(longest / 4)),
  };
}

/** @returns where the number begins without leading bytes that only repeat its sign. */
function skipSignBytes(bytes: Uint8Array, start: number, end: number): number {
  let from = start;
  while (from < end - 1) {
    const isNextNegative = (bytes[from + 1] as number) >= 0x80;
    if (bytes[from] !== (isNextNegative ? 0xff : 0)) break;
    from += 1;
  }
  return from;
}

/** In `packed`, each number follows a byte with its length. */
function sort(packed: Buffer, count: number, width: number): SerialSet {
  const unsorted = new Uint32Array(count * width);
  for (let i = 0, at = 0; i < count; i++) {
    const length = packed[at] as number;
    writeWords(unsorted, i * width, width, packed, at + 1, length);
    at += length + 1;
  }
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  order.sort((x, y) => compare(unsorted, x * width, unsorted, y * width, width));
  const words = new Uint32Array(count * width);
  order.forEach((from, i) => words.set(unsorted.subarray(from * width, (from + 1) * width), i * width));
  return { count, width, words };
}

function writeWords(words: Uint32Array, at: number, width: number, bytes: Uint8Array, from: number, length: number) {
  const padding = width * 4 - length;
  const sign = (bytes[from] as number) >= 0x80 ? 0xff : 0;
  for (let place = 0; place < width * 4; place++) {
    const byte = place < padding ? sign : (bytes[from + place - padding] as number);
    const word = at + (place >> 2);
    words[word] = ((words[word] as number) | (byte << (24 - 8 * (place & 3)))) >>> 0;
  }
}

function compare(x: Uint32Array, atX: number, y: Uint32Array, atY: number, width: number): number {
  for (let i = 0; i < width; i++) {
    const difference = (x[atX + i] as number) - (y[atY + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a serial number, given as the content of its DER integer, is in the set. */
export function hasSerial({ count, width, words }: SerialSet, serial: Uint8Array): boolean {
  const start = skipSignBytes(serial, 0, serial.length);
  const length = serial.length - start;
  if (length < 1 || length > width * 4) return false;
  const wanted = new Uint32Array(width);
  writeWords(wanted, 0, width, serial, start, length);
  let low = 0;
  let high = count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(words, middle * width, wanted, 0, width);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
