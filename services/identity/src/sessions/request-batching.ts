/** A batch is complete when no further request arrives within this time. */
const quietMs = 120;
const maxBatchMs = 3_000;

type Batch = { complete: Promise<void>; touch: () => void };

/**
 * Delays requests for the same token until no more of them arrive. Requests that a client sent concurrently have then all
 * been received before the first is processed, and none of them is mistaken for a replay.
 */
export function createRequestBatching() {
  const batches = new Map<string, Batch>();
  const begin = (key: string): Batch => {
    const latest = Date.now() + maxBatchMs;
    let touches = 0;
    let done = () => {};
    const complete = new Promise<void>((resolve) => {
      done = () => {
        batches.delete(key);
        resolve();
      };
    });
    const waitForQuiet = () => {
      const before = touches;
      setTimeout(() => {
        // A busy process runs its timers before it reads newly arrived input.
        setImmediate(() => setImmediate(() => (touches === before || Date.now() > latest ? done() : waitForQuiet())));
      }, quietMs);
    };
    waitForQuiet();
    return { complete, touch: () => void (touches += 1) };
  };
  return (key: string): Promise<void> => {
    const running = batches.get(key);
    running?.touch();
    const entry = running ?? begin(key);
    batches.set(key, entry);
    return entry.complete;
  };
}
