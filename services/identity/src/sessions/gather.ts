/** So long nothing more has come for a token. */
const quietMs = 40;
const atMostMs = 500;

/**
 * Holds requests for the same token until no more of them come: what was sent together is then all here, before any of
 * it is answered, and none of it can be mistaken for the replay of another.
 */
export const createGathering = () => {
  const waiting = new Map<string, { gathered: Promise<void>; touch: () => void }>();
  const begin = (key: string) => {
    const latest = Date.now() + atMostMs;
    let timer: NodeJS.Timeout | undefined;
    let done = () => {};
    const gathered = new Promise<void>((resolve) => {
      done = () => {
        waiting.delete(key);
        resolve();
      };
    });
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(done, Math.max(0, Math.min(quietMs, latest - Date.now())));
    };
    const entry = { gathered, touch };
    waiting.set(key, entry);
    return entry;
  };
  return (key: string): Promise<void> => {
    const entry = waiting.get(key) ?? begin(key);
    entry.touch();
    return entry.gathered;
  };
};
