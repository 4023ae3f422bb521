import { setTimeout as sleep } from 'node:timers/promises';

const firstPauseMs = 50;
const longestPauseMs = 250;

/**
 * How long to wait for services that take no connection: most often one is only started again. A service that has been
 * away for `waitMs` is not waited for any more, so that a long outage is told of at once.
 */
export const createPatience = (waitMs: number) => {
  const awaySince = new Map<string, number>();
  return {
    /** It took a connection. */
    seen: (service: string): void => void awaySince.delete(service),
    /** It took none. @returns true after a pause when it is worth another look, false when it is not. */
    pause: async (service: string, looks: number): Promise<boolean> => {
      const since = awaySince.get(service) ?? Date.now();
      awaySince.set(service, since);
      if (Date.now() - since >= waitMs) return false;
      await sleep(Math.min(longestPauseMs, firstPauseMs * (looks + 1)));
      return true;
    },
  };
};
export type Patience = ReturnType<typeof createPatience>;
