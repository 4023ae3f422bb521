import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';

const defaultLimitMs = 30_000;
/** For what follows jobs and events, or the restart of a process: it waits for other work of the machine. */
export const jobLimitMs = 120_000;

/** Calls `read` repeatedly until it returns a value other than undefined, null and false. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | null | false>,
  limitMs = defaultLimitMs,
  everyMs = 100,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let last: unknown;
  for (;;) {
    try {
      const value = await read();
      if (value !== undefined && value !== null && value !== false) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const seen = last instanceof Error ? last.message : inspect(last);
      throw new Error(`${what}: not within ${limitMs / 1000} s; seen last: ${seen}`, { cause: last });
    }
    await sleep(everyMs);
  }
}
