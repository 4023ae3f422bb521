/** So long nothing more has come for a token. */
const quietMs = 120;
const atMostMs = 3_000;

type Gathering = { gathered: Promise<void>; touch: () => void };

/**
 * Holds requests for the same token until no more of them come: what was sent together is then all here, before any of
 * it is answered, and none of it can be mistaken for the replay of another.
 */
export const createGathering = () => {
  const waiting = new Map<string, Gathering>();
  const begin = (key: string): Gathering => {
    const latest = Date.now() + atMostMs;
    let touches = 0;
    let done = () => {};
    const gathered = new Promise<void>((resolve) => {
      done = () => {
        waiting.delete(key);
        resolve();
      };
    });
    const look = () => {
      const before = touches;
      setTimeout(() => {
        // A busy process runs its timers before it reads newly arrived input.
        setImmediate(() => setImmediate(() => (touches === before || Date.now() > latest ? done() : look())));
      }, quietMs);
    };
    look();
    return { gathered, touch: () => void (touches += 1) };
  };
  return (key: string): Promise<void> => {
    const running = waiting.get(key);
    running?.touch();
    const entry = running ?? begin(key);
    waiting.set(key, entry);
    return entry.gathered;
  };
};
