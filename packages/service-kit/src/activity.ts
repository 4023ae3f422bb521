import { setTimeout as sleep } from 'node:timers/promises';
import { currentService } from './current-service.ts';

/** After this time without activity a service is at rest: what its last activity caused is done by then. */
const restAfterMs = 5_000;

type Activity = { lastAt: number; readonly sleepers: Set<() => void> };

/** By service, so that one that works does not wake the others of its process. */
const activities = new Map<string, Activity>();

function activity(): Activity {
  const name = currentService()?.name ?? '';
  const known = activities.get(name);
  if (known !== undefined) return known;
  const first: Activity = { lastAt: performance.now(), sleepers: new Set() };
  activities.set(name, first);
  return first;
}

/** Called for each request, event and job that this service handles, and for each message that it publishes. */
export function recordActivity(): void {
  const own = activity();
  own.lastAt = performance.now();
  for (const wake of own.sleepers) wake();
}

/** Whether nothing has happened in this service for a while. */
export function isAtRest(): boolean {
  return performance.now() - activity().lastAt > restAfterMs;
}

/** Sleeps until the next activity, but no longer than `ms`. */
export async function sleepUntilActivity(ms: number, signal: AbortSignal): Promise<void> {
  const { sleepers } = activity();
  const woken = new AbortController();
  const wake = (): void => woken.abort();
  sleepers.add(wake);
  await sleep(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => {});
  sleepers.delete(wake);
}
