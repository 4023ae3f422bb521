import { setTimeout as sleep } from 'node:timers/promises';
import { isAtRest, sleepUntilActivity } from './activity.ts';
import type { Log } from './log.ts';

export type Periodic = { name: string; start: (log: Log) => { stop: () => Promise<void> } };
type Work = (signal: AbortSignal) => Promise<void>;

/**
 * Runs `work` repeatedly, `everyMs` after its last run ended; a failed run does not end the repetition. The first failure
 * and the next success are logged, the failures between them only for debugging: an outage lasts for many runs.
 */
export function periodic(name: string, everyMs: number, work: Work): Periodic {
  return repeatWork(name, work, (signal) => sleep(everyMs, undefined, { signal }));
}

/** Between two runs at rest: what another replica left behind when it ended waits for no longer. */
const restMs = 10_000;

/**
 * As `periodic`, for work that comes due only through requests, events and jobs of this service, or at a known time. While
 * the service is at rest the work pauses until its next activity, until `nextDue`, or for ten seconds.
 */
export function restingPeriodic(
  name: string,
  everyMs: number,
  work: Work,
  nextDue: () => Promise<Date | null> = async () => null,
): Periodic {
  return repeatWork(name, work, async (signal, hasFailed) => {
    // Work that failed is still due.
    if (isAtRest() && !hasFailed) {
      // Without an answer the work is not delayed.
      const due = await Promise.resolve()
        .then(nextDue)
        .catch(() => new Date());
      const rest = restBefore(due, everyMs);
      if (rest > 0) await sleepUntilActivity(rest, signal);
    }
    await sleep(everyMs, undefined, { signal });
  });
}

/** @returns how long work may rest that then still waits for `everyMs`. */
export function restBefore(due: Date | null, everyMs: number, now = Date.now()): number {
  return due === null ? restMs : Math.min(restMs, Math.max(0, due.getTime() - now - everyMs));
}

type Pause = (signal: AbortSignal, hasFailed: boolean) => Promise<unknown>;

function repeatWork(name: string, work: Work, pause: Pause): Periodic {
  let failures = 0;
  return repeat(name, async (signal, log) => {
    await pause(signal, failures > 0).catch(() => {});
    if (signal.aborted) return;
    try {
      await watchRun(work(signal), name, log);
      if (failures > 0) log.info({ task: name, failures }, 'periodic task works again');
      failures = 0;
    } catch (err) {
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ err: err as Error, task: name }, 'periodic task failed');
    }
  });
}

const catchUpRetryMs = 1_000;

/**
 * Recovers missed events by a request: immediately, with retries until the other service
 * replies, again every `everyMs`, and at `runNow`. Events arrive concurrently, so `work` must detect outdated data.
 */
export function catchUp(name: string, everyMs: number, work: Work): Periodic & { runNow: () => void } {
  let requested = new AbortController();
  const task = repeat(name, async (signal, log) => {
    // A request during the run asks for what the run may have read too early.
    requested = new AbortController();
    const pauseEnd = AbortSignal.any([signal, requested.signal]);
    let pauseMs = everyMs;
    try {
      await watchRun(work(signal), name, log);
    } catch (err) {
      log.debug({ err: err as Error, task: name }, 'not caught up yet');
      pauseMs = catchUpRetryMs;
    }
    await sleep(pauseMs, undefined, { signal: pauseEnd }).catch(() => {});
  });
  return { ...task, runNow: () => requested.abort() };
}

/** A run may be long, but one that hangs would stop the task without a trace. */
const longRunMs = 600_000;

async function watchRun(run: Promise<void>, task: string, log: Log): Promise<void> {
  const started = Date.now();
  let isLong = false;
  const timer = setTimeout(() => {
    isLong = true;
    log.warn({ task, minutes: longRunMs / 60_000 }, 'periodic task still running');
  }, longRunMs).unref();
  try {
    await run;
  } finally {
    clearTimeout(timer);
    if (isLong) log.info({ task, minutes: Math.round((Date.now() - started) / 60_000) }, 'long periodic task ended');
  }
}

function repeat(name: string, turn: (signal: AbortSignal, log: Log) => Promise<void>): Periodic {
  return {
    name,
    start: (log) => {
      const aborter = new AbortController();
      const loop = async (): Promise<void> => {
        while (!aborter.signal.aborted) await turn(aborter.signal, log);
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
