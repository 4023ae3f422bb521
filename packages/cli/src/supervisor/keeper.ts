import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../refusal.ts';
import { kill, spawnProcess, waitUntilReady, type ProcessSpec, type RunningProcess } from '../servers/process.ts';
import { afterEnd, noFailures, pauseBeforeStart, type Failures } from './backoff.ts';
import { lastError } from './logs.ts';
import { identify, type ProcessIdentity } from './identity.ts';
import { endSession, waitForEnd } from './leftovers.ts';

/** Keeps one process alive. */
export interface Keeper {
  readonly name: string;
  /** Resolves when it can be used for the first time; rejects when it keeps ending before that. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly running: () => ProcessIdentity | undefined;
  readonly restarts: () => number;
}

/** What a keeper needs to know. */
export interface KeeperOptions {
  readonly spec: ProcessSpec;
  readonly logFile: string;
  readonly readyWithinMs: number;
  readonly graceMs: number;
  /** Called when a process was started or has ended. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
  readonly pauseMs?: (failures: Failures) => number;
}

// One that ends so often before it was ever usable will not start at all.
const FIRST_ATTEMPTS = 3;

/** Starts a process, starts it again whenever it ends, with growing pauses, until told to stop. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { spec, log, onChange, pauseMs = pauseBeforeStart } = options;
  const stopping = new AbortController();
  let current: { process: RunningProcess; identity: ProcessIdentity; usable: boolean } | undefined;
  let failures = noFailures;
  let starts = 0;
  let life: Promise<void> | undefined;

  async function begin(): Promise<RunningProcess> {
    await spec.prepare?.();
    const process = await spawnProcess(spec, { logFile: options.logFile });
    const identity = identify(process.pid) ?? { pid: process.pid, started: 0 };
    current = { process, identity, usable: false };
    starts += 1;
    onChange();
    return process;
  }

  async function untilEnd(process: RunningProcess, startedAt: number): Promise<void> {
    const { code, signal } = await process.ended;
    if (current !== undefined) endSession(current.identity);
    const asked = code === 0 && current?.usable === true;
    current = undefined;
    failures = asked ? noFailures : afterEnd(failures, Date.now() - startedAt);
    onChange();
    if (!stopping.signal.aborted) log(`${spec.name} ended (${signal ?? `exit code ${code}`})`);
  }

  async function live(ready: () => void, fail: (reason: Error) => void): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      try {
        const process = await begin();
        if (stopping.signal.aborted) kill(process.pid, 'SIGKILL'); // told to stop while it was being started
        const usable = () => {
          if (current?.process === process) current.usable = true;
          ready();
        };
        void waitUntilReady(spec, process, options.readyWithinMs).then(usable, (error: unknown) => {
          if (!process.hasEnded()) fail(new Error(messageOf(error)));
        });
        await untilEnd(process, startedAt);
      } catch (error) {
        failures = afterEnd(failures, 0);
        log(`${spec.name} cannot be started: ${messageOf(error)}`);
      }
      if (failures.count >= FIRST_ATTEMPTS) {
        fail(new Error(`${spec.name} ended ${failures.count} times while starting (${lastError(options.logFile)})`));
      }
      await sleep(pauseMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  return {
    name: spec.name,
    start: async () =>
      await new Promise<void>((resolve, reject) => {
        stopping.signal.addEventListener('abort', () => reject(new Error(`${spec.name} was stopped`)));
        life = live(resolve, reject);
      }),
    stop: async () => {
      stopping.abort();
      if (current !== undefined) {
        const { identity } = current;
        kill(identity.pid, spec.stopSignal);
        if (!(await waitForEnd([identity], options.graceMs))) kill(identity.pid, 'SIGKILL');
      }
      await life;
    },
    running: () => current?.identity,
    restarts: () => Math.max(0, starts - 1),
  };
}
