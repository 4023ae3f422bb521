import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `read` repeatedly until it returns a value other than undefined, null and false. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | null | false>,
  limitMs = 120_000,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined && value !== null && value !== false) return value;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs / 1000} s`, { cause: last });
    await sleep(everyMs);
  }
}
