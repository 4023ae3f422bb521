import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from './log.ts';

export type Periodic = { name: string; start: (log: Log) => { stop: () => Promise<void> } };

/** Runs `work` again and again, `everyMs` after the last one ended; a failure is logged and the next turn comes. */
export function periodic(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): Periodic {
  return {
    name,
    start: (log) => {
      const aborter = new AbortController();
      const loop = async () => {
        while (!aborter.signal.aborted) {
          await sleep(everyMs, undefined, { signal: aborter.signal }).catch(() => {});
          if (aborter.signal.aborted) return;
          await work(aborter.signal).catch((err: unknown) =>
            log.warn({ err: err as Error, task: name }, 'periodic task failed'),
          );
        }
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

/** Runs `work` when the service stops accepting work: for what would keep its listener open, such as sockets. */
export function onStop(name: string, work: () => Promise<void>): Periodic {
  return { name, start: () => ({ stop: work }) };
}
