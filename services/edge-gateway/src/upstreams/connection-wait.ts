import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 250;

/**
 * Waits for services that accept no connection, most often during a restart. A service that has been
 * unreachable for `waitMs` is not waited for any more, so that a long outage is reported immediately.
 */
export function createConnectionWait(waitMs: number) {
  const awaySince = new Map<string, number>();
  return {
    /** The service accepted a connection. */
    seen: (service: string): void => void awaySince.delete(service),
    /** The service accepted none. @returns true after a pause when another attempt is due, false to give up. */
    pause: async (service: string, looks: number): Promise<boolean> => {
      const since = awaySince.get(service) ?? Date.now();
      awaySince.set(service, since);
      if (Date.now() - since >= waitMs) return false;
      await sleep(Math.min(longestPauseMs, firstPauseMs * (looks + 1)));
      return true;
    },
  };
}

export type ConnectionWait = ReturnType<typeof createConnectionWait>;
