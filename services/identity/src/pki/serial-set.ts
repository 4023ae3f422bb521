/** Serial numbers in one sorted block of memory: a list may have a million. */
export type SerialSet = {
  readonly count: number;
  /** 32-bit words per serial number. */
  readonly width: number;
  /** Big-endian numbers, padded in front with zeros, in ascending order. */
  readonly words: Uint32Array<ArrayBuffer>;
};

/** RFC 5280 section 4.1.2.2 allows 20 bytes; more is read as far as any authority could mean it. */
const mostBytes = 64;

/** Collects serial numbers one after the other. */
export const createSerialCollector = () => {
  let bytes = Buffer.allocUnsafe(4096);
  let used = 0;
  let count = 0;
  let longest = 1;
  return {
    /** @throws Error: the number is longer than any serial number. */
    add: (source: Uint8Array, start: number, end: number): void => {
      let from = start;
      while (from < end - 1 && source[from] === 0) from += 1;
      const length = end - from;
      if (length < 1 || length > mostBytes) throw new Error('a serial number has an impossible length');
      if (used + length + 1 > bytes.length) bytes = Buffer.concat([bytes], bytes.length * 2);
      bytes[used] = length;
      bytes.set(source.subarray(from, end), used + 1);
      used += length + 1;
      count += 1;
      longest = Math.max(longest, length);
    },
    toSet: (): SerialSet => sort(bytes, count, Math.ceil(longest / 4)),
  };
};

/** `packed` holds each number after a byte with its length. */
const sort = (packed: Buffer, count: number, width: number): SerialSet => {
  const unsorted = new Uint32Array(count * width);
  for (let i = 0, at = 0; i < count; i++) {
    const length = packed[at] as number;
    writeWords(unsorted, i * width, width, packed, at + 1, length);
    at += length + 1;
  }
  const words = new Uint32Array(count * width);
  orderOf(unsorted, count, width).forEach((from, i) => {
    for (let word = 0; word < width; word++) words[i * width + word] = unsorted[from * width + word] as number;
  });
  return { count, width, words };
};

/** A radix sort from the last byte to the first: comparing a million numbers pair by pair takes ten times as long. */
const orderOf = (words: Uint32Array, count: number, width: number): Uint32Array => {
  let order = Uint32Array.from({ length: count }, (_, i) => i);
  let sorted = new Uint32Array(count);
  for (let place = width * 4 - 1; place >= 0; place--) {
    const shift = 24 - 8 * (place & 3);
    const byteOf = (i: number): number => ((words[i * width + (place >> 2)] as number) >>> shift) & 255;
    const starts = new Uint32Array(257);
    for (let i = 0; i < count; i++) starts[byteOf(i) + 1]! += 1;
    if (starts.includes(count, 1)) continue;
    for (let byte = 0; byte < 256; byte++) starts[byte + 1]! += starts[byte] as number;
    for (let at = 0; at < count; at++) sorted[starts[byteOf(order[at] as number)]!++] = order[at] as number;
    [order, sorted] = [sorted, order];
  }
  return order;
};

const writeWords = (words: Uint32Array, at: number, width: number, bytes: Uint8Array, from: number, length: number) => {
  for (let i = 0; i < length; i++) {
    const place = width * 4 - length + i;
    const word = at + (place >> 2);
    words[word] = ((words[word] as number) | ((bytes[from + i] as number) << (24 - 8 * (place & 3)))) >>> 0;
  }
};

const compare = (x: Uint32Array, atX: number, y: Uint32Array, atY: number, width: number): number => {
  for (let i = 0; i < width; i++) {
    const difference = (x[atX + i] as number) - (y[atY + i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
};

/** Whether a serial number, in hexadecimal without leading zeros, is in the set. */
export const hasSerial = ({ count, width, words }: SerialSet, serial: string): boolean => {
  const bytes = Buffer.from(serial.padStart(serial.length + (serial.length % 2), '0'), 'hex');
  if (bytes.length > width * 4) return false;
  const wanted = new Uint32Array(width);
  writeWords(wanted, 0, width, bytes, 0, bytes.length);
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
};
