import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../refusal.ts';
import { kill, spawnProcess, waitUntilReady, type ProcessSpec, type RunningProcess } from '../servers/process.ts';
import { afterEnd, noFailures, pauseBeforeStart, type Failures } from './backoff.ts';
import { lastError } from './logs.ts';
import { identify, isAlive, type ProcessIdentity } from './identity.ts';
import { endSession, waitForEnd } from './leftovers.ts';

/** Keeps one process alive. */
export type Keeper = {
  readonly name: string;
  /** Resolves when the process is ready for the first time; rejects when it keeps ending before that. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** After a full disk: skips the backoff of a process, and restarts a broken server. */
  readonly retryNow: () => void;
  readonly running: () => ProcessIdentity | undefined;
  readonly restarts: () => number;
};

/** Options of a keeper. */
export type KeeperOptions = {
  readonly spec: ProcessSpec;
  readonly logFile: string;
  readonly readyWithinMs: number;
  readonly graceMs: number;
  /** Called when a process was started or has exited. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
  readonly pauseMs?: (failures: Failures) => number;
  /** A running process of a previous supervisor that is adopted. */
  readonly adopted?: ProcessIdentity | undefined;
  /** Variables in addition to those of the spec. */
  readonly env?: Readonly<Record<string, string>>;
  /** The process keeps running when the supervisor exits. */
  readonly outlives?: boolean;
  /** How often the health of a server is checked. */
  readonly checkEveryMs?: number;
  /** Retries until it is stopped, without a limit of failed attempts. */
  readonly persistent?: boolean;
};

// After this number of exits before the first readiness the start counts as failed.
const FIRST_ATTEMPTS = 3;
/** Exit code of a service after an uncaught exception (see the kit's `runService`). */
const UNCAUGHT_EXCEPTION = 70;
const BROKEN_AFTER_CHECKS = 3;
const BROKEN_GRACE_MS = 1000;

/** Starts a process and restarts it after each exit, with backoff, until it is stopped. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { spec, log, onChange, pauseMs = pauseBeforeStart, persistent = false, checkEveryMs = 2000 } = options;
  const stopping = new AbortController();
  let waiting = new AbortController();
  let { adopted } = options;
  let current: { process: RunningProcess; identity: ProcessIdentity; usable: boolean } | undefined;
  let failures = noFailures;
  let starts = 0;
  let uncaughtExceptions = 0;
  let life: Promise<void> | undefined;

  async function begin(): Promise<RunningProcess> {
    const process = adopt() ?? (await startProcess());
    const identity = identify(process.pid) ?? { pid: process.pid, started: 0 };
    current = { process, identity, usable: false };
    starts += 1;
    onChange();
    return process;
  }

  function adopt(): RunningProcess | undefined {
    const identity = adopted;
    adopted = undefined;
    if (identity === undefined || !isAlive(identity)) return undefined;
    log(`${spec.name} is still running (pid ${identity.pid})`);
    return {
      pid: identity.pid,
      ended: waitForEnd([identity], Number.POSITIVE_INFINITY).then(() => ({ code: null, signal: null })),
      hasEnded: () => !isAlive(identity),
    };
  }

  async function startProcess(): Promise<RunningProcess> {
    await spec.prepare?.();
    const counted = uncaughtExceptions > 0 ? { UNCAUGHT_EXCEPTIONS: String(uncaughtExceptions) } : {};
    return await spawnProcess(spec, {
      logFile: options.logFile,
      env: { ...options.env, ...counted },
      outlives: options.outlives === true,
    });
  }

  async function untilEnd(process: RunningProcess, startedAt: number): Promise<void> {
    const checks = spec.health && setInterval(() => void checkHealth(), checkEveryMs);
    const { code, signal } = await process.ended;
    clearInterval(checks);
    if (current !== undefined) endSession(current.identity);
    const asked = code === 0 && current?.usable === true;
    if (code === UNCAUGHT_EXCEPTION) uncaughtExceptions += 1;
    current = undefined;
    failures = asked ? noFailures : afterEnd(failures, Date.now() - startedAt);
    onChange();
    if (!stopping.signal.aborted) log(`${spec.name} ended (${signal ?? `exit code ${code ?? 'unknown'}`})`);
  }

  let brokenChecks = 0;
  async function checkHealth(): Promise<void> {
    if (current?.usable !== true) return;
    const { identity } = current;
    brokenChecks = (await spec.health?.()) === 'broken' ? brokenChecks + 1 : 0;
    if (brokenChecks >= BROKEN_AFTER_CHECKS) await endBroken(identity);
  }

  // A server that ran on a full disk may stay broken although space is available again.
  async function checkAfterFullDisk(): Promise<void> {
    if (current === undefined || spec.health === undefined) return;
    const { identity, usable } = current;
    if (!usable || (await spec.health()) !== 'working') await endBroken(identity);
  }

  async function endBroken(identity: ProcessIdentity): Promise<void> {
    if (stopping.signal.aborted || current?.identity.pid !== identity.pid) return;
    log(`${spec.name} does not work any more: started again`);
    brokenChecks = 0;
    kill(identity.pid, spec.stopSignal);
    if (!(await waitForEnd([identity], BROKEN_GRACE_MS))) kill(identity.pid, 'SIGKILL');
    failures = noFailures;
    waiting.abort();
  }

  async function live(ready: () => void, fail: (reason: Error) => void): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      try {
        const process = await begin();
        if (stopping.signal.aborted) kill(process.pid, 'SIGKILL'); // stopped during its start
        const usable = () => {
          if (current?.process === process) current.usable = true;
          ready();
        };
        const withinMs = persistent ? Number.POSITIVE_INFINITY : options.readyWithinMs;
        void waitUntilReady(spec, process, withinMs).then(usable, (error: unknown) => {
          if (!process.hasEnded()) fail(new Error(messageOf(error)));
        });
        await untilEnd(process, startedAt);
      } catch (error) {
        failures = afterEnd(failures, 0);
        log(`${spec.name} cannot be started: ${messageOf(error)}`);
      }
      if (failures.count >= FIRST_ATTEMPTS && !persistent) {
        fail(new Error(`${spec.name} ended ${failures.count} times while starting (${lastError(options.logFile)})`));
      }
      waiting = new AbortController();
      const signal = AbortSignal.any([stopping.signal, waiting.signal]);
      await sleep(pauseMs(failures), undefined, { signal }).catch(() => undefined);
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
    retryNow: () => {
      failures = noFailures;
      waiting.abort();
      void checkAfterFullDisk();
    },
    running: () => current?.identity,
    restarts: () => Math.max(0, starts - 1),
  };
}
