/** Reads a value at most once in `ms` and shares it between all readers; a failed read is not kept. */
export function cachedFor<T>(ms: number, read: () => Promise<T>, now: () => number = Date.now) {
  let cached: { at: number; value: Promise<T> } | undefined;
  return {
    get: (): Promise<T> => {
      if (cached && now() - cached.at < ms) return cached.value;
      const entry = { at: now(), value: read() };
      cached = entry;
      entry.value.catch(() => {
        if (cached === entry) cached = undefined;
      });
      return entry.value;
    },
    /** The next reader reads again. */
    clear: (): void => {
      cached = undefined;
    },
  };
}
