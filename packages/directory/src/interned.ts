/**
 * What a text stands for, by its bytes: the same few texts come again with every entry, and each is read once.
 * @param atMost when there are more than so many, all are forgotten.
 */
export function createInterned<T>(
  read: (text: string) => T,
  atMost: number,
): (bytes: Buffer, start: number, end: number) => T {
  const known = new Map<string, T>();
  return (bytes, start, end) => {
    // One character for each byte: quicker to make than the text, and as good a name for it.
    const key = bytes.toString('latin1', start, end);
    const found = known.get(key);
    if (found !== undefined) return found;
    const value = read(bytes.toString('utf8', start, end));
    if (known.size >= atMost) known.clear();
    known.set(key, value);
    return value;
  };
}
