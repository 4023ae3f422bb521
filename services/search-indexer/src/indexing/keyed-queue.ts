/** Runs work on one key sequentially and work on different keys concurrently. */
export function createKeyedQueue() {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const result = (last.get(key) ?? Promise.resolve()).then(work, work);
      const settled = result.catch(() => {});
      last.set(key, settled);
      void settled.then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
      return result;
    },
  };
}
