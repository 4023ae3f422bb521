/** Work on one key is done one after the other; different keys do not wait for each other. */
export const createTurns = () => {
  const last = new Map<string, Promise<unknown>>();
  return {
    of: <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
      const settled = mine.catch(() => {});
      last.set(key, settled);
      void settled.then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
      return mine;
    },
  };
};
