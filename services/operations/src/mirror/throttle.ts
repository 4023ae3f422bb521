import { setTimeout as sleep } from 'node:timers/promises';

/** Passes the chunks of several streams on, altogether at most so many bytes a second. */
export function createThrottle(bytesPerSecond: number | null, signal: AbortSignal) {
  let freeAt = Date.now();
  return async function* throttle(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      if (bytesPerSecond !== null) {
        const now = Date.now();
        freeAt = Math.max(freeAt, now) + (chunk.length / bytesPerSecond) * 1_000;
        if (freeAt - now > 1) await sleep(freeAt - now, undefined, { signal });
      }
      yield chunk;
    }
  };
}

export type Throttle = ReturnType<typeof createThrottle>;
