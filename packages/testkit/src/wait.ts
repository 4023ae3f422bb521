import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until the predicate gives something truthy and returns it; what it throws counts as "not yet".
 * @throws with the last error, or the last value, on timeout.
 */
export async function waitFor<T>(
  predicate: () => T | Promise<T>,
  { timeoutMs = 300_000, intervalMs = 20 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Awaited<NonNullable<T>>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const value = await predicate();
      if (value) return value as Awaited<NonNullable<T>>;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const cause = last instanceof Error ? last : new Error(`last value: ${JSON.stringify(last)}`);
      throw new Error(`Not within ${timeoutMs} ms: ${cause.message}`, { cause });
    }
    await sleep(intervalMs);
  }
}
