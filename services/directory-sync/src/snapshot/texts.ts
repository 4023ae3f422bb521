/** A list of texts, each known by its number, that are found again by what they say. */
export type Texts = {
  /** @returns the number of the text; of one that is in the list already its own. */
  add: (text: string) => number;
  /** @returns -1 for one that is not in the list. */
  find: (text: string) => number;
  at: (number: number) => string;
  size: () => number;
};

// FNV-1a
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};
const grown = (old: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(2 * old.length);
  larger.set(old);
  return larger;
};

/**
 * Keeps a large directory's names in a few blocks of memory: as strings and maps they would be millions of objects, which
 * cost several times as much and are copied and walked by every collection while a pass lasts.
 */
export const createTexts = (): Texts => {
  let bytes = Buffer.allocUnsafeSlow(1 << 16);
  let used = 0;
  /** Where each text ends, and what it hashes to. */
  let ends = new Uint32Array(1 << 10);
  let hashes = new Uint32Array(1 << 10);
  let count = 0;
  /** Numbers plus one by hash, with the next free place for those that meet; at most half full. */
  let places = new Uint32Array(1 << 11);

  const at = (n: number): string => bytes.toString('utf8', n === 0 ? 0 : ends[n - 1], ends[n]);
  const placeOf = (text: string, hash: number): number => {
    const mask = places.length - 1;
    let place = hash & mask;
    for (let n = places[place] ?? 0; n !== 0; n = places[place] ?? 0) {
      if (hashes[n - 1] === hash && at(n - 1) === text) return place;
      place = (place + 1) & mask;
    }
    return place;
  };
  const widen = (): void => {
    ends = grown(ends);
    hashes = grown(hashes);
    places = new Uint32Array(2 * places.length);
    const mask = places.length - 1;
    for (let n = 0; n < count; n++) {
      let place = (hashes[n] ?? 0) & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      places[place] = n + 1;
    }
  };
  const write = (text: string): void => {
    // A character takes three bytes at most.
    const needed = used + 3 * text.length;
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * bytes.length));
      bytes.copy(larger, 0, 0, used);
      bytes = larger;
    }
    used += bytes.write(text, used, 'utf8');
  };

  return {
    add: (text) => {
      const hash = hashOf(text);
      const place = placeOf(text, hash);
      const known = places[place] ?? 0;
      if (known !== 0) return known - 1;
      write(text);
      ends[count] = used;
      hashes[count] = hash;
      places[place] = ++count;
      if (count === ends.length) widen();
      return count - 1;
    },
    find: (text) => (places[placeOf(text, hashOf(text))] ?? 0) - 1,
    at,
    size: () => count,
  };
};
