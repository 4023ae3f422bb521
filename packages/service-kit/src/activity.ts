import { setTimeout as sleep } from 'node:timers/promises';

/** After this time without activity a process is at rest: what its last activity caused is done by then. */
const restAfterMs = 5_000;

let lastActivityAt = performance.now();
const sleepers = new Set<() => void>();

/** Called for each request, event and job that this process handles, and for each message that it publishes. */
export function recordActivity(): void {
  lastActivityAt = performance.now();
  for (const wake of sleepers) wake();
}

/** Whether nothing has happened in this process for a while. */
export function isAtRest(): boolean {
  return performance.now() - lastActivityAt > restAfterMs;
}

/** Sleeps until the next activity, but no longer than `ms`. */
export async function sleepUntilActivity(ms: number, signal: AbortSignal): Promise<void> {
  const activity = new AbortController();
  const wake = (): void => activity.abort();
  sleepers.add(wake);
  await sleep(ms, undefined, { signal: AbortSignal.any([signal, activity.signal]) }).catch(() => {});
  sleepers.delete(wake);
}
