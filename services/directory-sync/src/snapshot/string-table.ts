/** A list of distinct strings, each identified by a number. */
export type StringTable = {
  /** @returns the number of the string; the existing number when it is in the list. */
  add: (text: string) => number;
  /** @returns -1 when the string is not in the list. */
  find: (text: string) => number;
  at: (number: number) => string;
  size: () => number;
};

/**
 * Stores the names of a large directory in a few blocks of memory. As strings and maps they would be millions of
 * objects, which need several times the memory and are traversed by every garbage collection during a sync run.
 */
export function createStringTable(): StringTable {
  let bytes = Buffer.allocUnsafeSlow(1 << 16);
  let usedBytes = 0;
  /** End offset and hash of each string. */
  let ends = new Uint32Array(1 << 10);
  let hashes = new Uint32Array(1 << 10);
  let count = 0;
  /** Hash table of numbers plus one, with linear probing; at most half full. */
  let slots = new Uint32Array(1 << 11);

  const at = (number: number): string => bytes.toString('utf8', number === 0 ? 0 : ends[number - 1], ends[number]);
  const slotOf = (text: string, hash: number): number => {
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let number = slots[slot] ?? 0; number !== 0; number = slots[slot] ?? 0) {
      if (hashes[number - 1] === hash && at(number - 1) === text) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = (): void => {
    ends = doubleSize(ends);
    hashes = doubleSize(hashes);
    slots = new Uint32Array(2 * slots.length);
    const mask = slots.length - 1;
    for (let number = 0; number < count; number++) {
      let slot = (hashes[number] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
  };
  const write = (text: string): void => {
    // A UTF-16 code unit needs at most three bytes.
    const needed = usedBytes + 3 * text.length;
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length));
      bytes.copy(larger, 0, 0, usedBytes);
      bytes = larger;
    }
    usedBytes += bytes.write(text, usedBytes, 'utf8');
  };

  return {
    add: (text) => {
      const hash = hashOf(text);
      const slot = slotOf(text, hash);
      const known = slots[slot] ?? 0;
      if (known !== 0) return known - 1;
      write(text);
      ends[count] = usedBytes;
      hashes[count] = hash;
      slots[slot] = ++count;
      if (count === ends.length) grow();
      return count - 1;
    },
    find: (text) => (slots[slotOf(text, hashOf(text))] ?? 0) - 1,
    at,
    size: () => count,
  };
}

function doubleSize(old: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * old.length);
  larger.set(old);
  return larger;
}

// FNV-1a
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
