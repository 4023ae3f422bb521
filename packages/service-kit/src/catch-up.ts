import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';
import type { Periodic } from './periodic.ts';

const retryMs = 1_000;

/**
 * Recovers missed events by a request: immediately, with retries until the other service
 * replies, and again every `everyMs`. Events arrive concurrently, so `work` must detect outdated data.
 */
export function catchUp(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): Periodic {
  return {
    name,
    start: (log: Log) => {
      const aborter = new AbortController();
      const { signal } = aborter;
      const turn = async (): Promise<number> => {
        try {
          await work(signal);
          return everyMs;
        } catch (err) {
          log.debug({ err: err as Error, task: name }, 'not caught up yet');
          return retryMs;
        }
      };
      const loop = async (): Promise<void> => {
        while (!signal.aborted) await sleep(await turn(), undefined, { signal }).catch(() => {});
      };
      const done = loop();
      return {
        stop: async () => {
          aborter.abort();
          await done;
        },
      };
    },
  };
}
