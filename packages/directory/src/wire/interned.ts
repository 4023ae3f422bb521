/**
 * A cache of parsed values by the bytes of their text, because the same few texts occur in many entries.
 * @param atMost above this size the cache is cleared.
 */
export function createInterned<T>(
  read: (text: string) => T,
  atMost: number,
): (bytes: Buffer, start: number, end: number) => T {
  const known = new Map<string, T>();
  return (bytes, start, end) => {
    // Latin-1 is faster to decode than UTF-8, and as unique as a key.
    const key = bytes.toString('latin1', start, end);
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = read(bytes.toString('utf8', start, end));
    if (known.size >= atMost) known.clear();
    known.set(key, value);
    return value;
  };
}
