import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Less than the time of a test, so that a wait that fails names what was seen. */
const mostMs = 300_000;

/**
 * Waits until the predicate gives something truthy and returns it; what it throws counts as "not yet".
 * @param timeoutMs on a quiet machine; longer in proportion on one with more work than processors.
 * @throws with the last error, or the last value, on timeout.
 */
export async function waitFor<T>(
  predicate: () => T | Promise<T>,
  { timeoutMs = 120_000, intervalMs = 20 }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<Awaited<NonNullable<T>>> {
  const started = Date.now();
  for (;;) {
    let last: unknown;
    try {
      const value = await predicate();
      if (value) return value as Awaited<NonNullable<T>>;
      last = value;
    } catch (error) {
      last = error;
    }
    const limitMs = Math.max(timeoutMs, Math.min(timeoutMs * workPerProcessor(), mostMs));
    if (Date.now() - started > limitMs) {
      const cause = last instanceof Error ? last : new Error(`last value: ${JSON.stringify(last)}`);
      throw new Error(`Not within ${Math.round(limitMs)} ms: ${cause.message}`, { cause });
    }
    await sleep(intervalMs);
  }
}

/** Processes that want to run for each processor, in the last minute; at least one. */
function workPerProcessor(): number {
  return Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());
}
