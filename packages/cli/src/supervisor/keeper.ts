import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../refusal.ts';
import { kill, spawnProcess, waitUntilReady, type ProcessSpec, type RunningProcess } from '../servers/process.ts';
import { afterEnd, noFailures, pauseBeforeStart, type Failures } from './backoff.ts';
import { countOomKills, explainExit, formatDuration, nameExit, uncaughtException, type Exit } from './ending.ts';
import { lastError, tailOf } from './logs.ts';
import { ageOf, identify, isAlive, type ProcessIdentity } from './identity.ts';
import { endSession, waitForEnd } from './leftovers.ts';
import type { RecordedExit } from './runtime.ts';

/** Keeps one process alive. */
export type Keeper = {
  readonly name: string;
  /** The services of the process. */
  readonly hosts: readonly string[];
  /** Resolves when the process is ready for the first time; rejects when it keeps ending before that. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** After a full disk: skips the backoff of a process, and restarts a broken server. */
  readonly retryNow: () => void;
  readonly running: () => ProcessIdentity | undefined;
  readonly restarts: () => number;
  /** The latest unexpected exits, oldest first. */
  readonly exits: () => readonly RecordedExit[];
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
  /** Exits that the previous supervisor recorded. */
  readonly earlierExits?: readonly RecordedExit[] | undefined;
  /** Variables in addition to those of the spec. */
  readonly env?: Readonly<Record<string, string>>;
  /** The process keeps running when the supervisor exits. */
  readonly outlives?: boolean;
  /** How often the health of a server or service is checked. */
  readonly checkEveryMs?: number;
  /** Retries until it is stopped, without a limit of failed attempts. */
  readonly persistent?: boolean;
};

// After this number of exits before the first readiness the start counts as failed.
const firstAttempts = 3;
const loggedLines = 5;
const recordedExits = 20;
const brokenAfterChecks = 3;
const brokenGraceMs = 1000;

function oomKillsSince(before: number | undefined): number | undefined {
  const now = countOomKills();
  return before === undefined || now === undefined ? undefined : now - before;
}

/** Starts a process and restarts it after each exit, with backoff, until it is stopped. */
export function createKeeper(options: KeeperOptions): Keeper {
  return new ProcessKeeper(options);
}

class ProcessKeeper implements Keeper {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly #options: KeeperOptions;
  readonly #stopping = new AbortController();
  /** Ends the present pause between two starts. */
  #pause = new AbortController();
  #adopted: ProcessIdentity | undefined;
  #current: { process: RunningProcess; identity: ProcessIdentity; usable: boolean; startedAt: number } | undefined;
  #failures = noFailures;
  #starts = 0;
  #uncaughtExceptions = 0;
  #unresponsiveRestarts = 0;
  #failedChecks = 0;
  #checking = false;
  #endedAsUnresponsive = false;
  #exits: readonly RecordedExit[];
  #life: Promise<void> | undefined;

  constructor(options: KeeperOptions) {
    this.name = options.spec.name;
    this.hosts = options.spec.hosts ?? [options.spec.name];
    this.#options = options;
    this.#adopted = options.adopted;
    this.#exits = options.earlierExits ?? [];
  }

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#stopping.signal.addEventListener('abort', () => reject(new Error(`${this.name} was stopped`)));
      this.#life = this.#live(resolve, reject);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#current !== undefined) {
      const { spec, graceMs } = this.#options;
      const { identity } = this.#current;
      kill(identity.pid, spec.stopSignal);
      if (!(await waitForEnd([identity], graceMs))) kill(identity.pid, 'SIGKILL');
    }
    await this.#life;
  }

  retryNow(): void {
    this.#failures = noFailures;
    this.#pause.abort();
    void this.#checkAfterFullDisk();
  }

  running(): ProcessIdentity | undefined {
    return this.#current?.identity;
  }

  restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  exits(): readonly RecordedExit[] {
    return this.#exits;
  }

  async #live(ready: () => void, fail: (reason: Error) => void): Promise<void> {
    const { log, logFile, persistent = false } = this.#options;
    while (!this.#stopping.signal.aborted) {
      try {
        const process = await this.#begin();
        if (this.#stopping.signal.aborted) kill(process.pid, 'SIGKILL'); // stopped during its start
        void this.#reportReady(process, ready, fail);
        await this.#untilEnd(process);
      } catch (error) {
        this.#failures = afterEnd(this.#failures, 0);
        log(`${this.name} cannot be started: ${messageOf(error)}; ${this.#nextStart()}`);
      }
      const { count } = this.#failures;
      if (count >= firstAttempts && !persistent) {
        fail(new Error(`${this.name} ended ${count} times while starting (${lastError(logFile)})`));
      }
      this.#pause = new AbortController();
      const signal = AbortSignal.any([this.#stopping.signal, this.#pause.signal]);
      await sleep(this.#pauseMs(), undefined, { signal }).catch(() => undefined);
    }
  }

  #pauseMs(): number {
    const { pauseMs = pauseBeforeStart } = this.#options;
    return pauseMs(this.#failures);
  }

  #nextStart(): string {
    const { count } = this.#failures;
    const inARow = count > 1 ? `, after ${count} early ends in a row` : '';
    return `starts again in ${formatDuration(this.#pauseMs())} (restart ${this.#starts}${inARow})`;
  }

  async #begin(): Promise<RunningProcess> {
    const adopted = this.#adopt();
    const process = adopted ?? (await this.#spawn());
    const identity = identify(process.pid) ?? { pid: process.pid, started: 0 };
    const startedAt = Date.now() - (adopted ? ageOf(identity) : 0);
    this.#current = { process, identity, usable: false, startedAt };
    this.#starts += 1;
    this.#options.onChange();
    return process;
  }

  #adopt(): RunningProcess | undefined {
    const identity = this.#adopted;
    this.#adopted = undefined;
    if (identity === undefined || !isAlive(identity)) return undefined;
    this.#options.log(`${this.name} is still running (pid ${identity.pid})`);
    return {
      pid: identity.pid,
      ended: waitForEnd([identity], Number.POSITIVE_INFINITY).then(() => ({ code: null, signal: null })),
      hasEnded: () => !isAlive(identity),
    };
  }

  async #spawn(): Promise<RunningProcess> {
    const { spec, logFile, env, outlives = false } = this.#options;
    await spec.prepare?.();
    const counted = Object.entries({
      UNCAUGHT_EXCEPTIONS: this.#uncaughtExceptions,
      UNRESPONSIVE_RESTARTS: this.#unresponsiveRestarts,
    }).flatMap(([name, count]) => (count > 0 ? [[name, String(count)] as const] : []));
    return await spawnProcess(spec, { logFile, env: { ...env, ...Object.fromEntries(counted) }, outlives });
  }

  async #reportReady(process: RunningProcess, ready: () => void, fail: (reason: Error) => void): Promise<void> {
    const { spec, persistent, readyWithinMs, log } = this.#options;
    try {
      await waitUntilReady(spec, process, persistent ? Number.POSITIVE_INFINITY : readyWithinMs);
      if (this.#current?.process === process) this.#current.usable = true;
      if (this.#starts > 1) log(`${this.name} is ready again, pid ${process.pid}`);
      ready();
    } catch (error) {
      if (!process.hasEnded()) fail(new Error(messageOf(error)));
    }
  }

  async #untilEnd(process: RunningProcess): Promise<void> {
    const { spec, onChange, checkEveryMs = spec.restartsUnresponsive ? 5000 : 2000 } = this.#options;
    const checks = spec.health && setInterval(() => void this.#checkHealth(), checkEveryMs);
    const oomKillsBefore = countOomKills();
    const exit = await process.ended;
    clearInterval(checks);
    if (this.#current !== undefined) endSession(this.#current.identity);
    const startedAt = this.#current?.startedAt ?? Date.now();
    const wasUnresponsive = this.#endedAsUnresponsive;
    this.#endedAsUnresponsive = false;
    const asked = exit.code === 0 && this.#current?.usable === true && !wasUnresponsive;
    if (exit.code === uncaughtException) this.#uncaughtExceptions += 1;
    this.#current = undefined;
    const ranMs = Date.now() - startedAt;
    this.#failures = asked ? noFailures : afterEnd(this.#failures, ranMs);
    if (!this.#stopping.signal.aborted && !asked) this.#recordExit(wasUnresponsive ? 'unresponsive' : nameExit(exit));
    onChange();
    if (!this.#stopping.signal.aborted)
      this.#logExit(exit, { pid: process.pid, ranMs, oomKills: oomKillsSince(oomKillsBefore), asked });
  }

  #recordExit(how: string): void {
    const recorded = { at: new Date().toISOString(), how };
    this.#exits = [...this.#exits, recorded].slice(-recordedExits);
  }

  #logExit(exit: Exit, run: { pid: number; ranMs: number; oomKills: number | undefined; asked: boolean }): void {
    const { log, logFile } = this.#options;
    const ran = `pid ${run.pid}, after ${formatDuration(run.ranMs)}`;
    log(`${this.name} ended (${nameExit(exit)}), ${ran}: ${explainExit(exit, run.oomKills)}; ${this.#nextStart()}`);
    if (run.asked) return;
    const lines = tailOf(logFile, loggedLines);
    log(lines.length === 0 ? `${this.name} wrote nothing to ${logFile}` : `${this.name} wrote last to ${logFile}:`);
    for (const line of lines) log(`  | ${line}`);
  }

  async #checkHealth(): Promise<void> {
    // One check at a time: checks that wait for one another would count one silence repeatedly.
    if (this.#current?.usable !== true || this.#checking) return;
    this.#checking = true;
    await this.#checkOnce(this.#current.identity).finally(() => (this.#checking = false));
  }

  async #checkOnce(identity: ProcessIdentity): Promise<void> {
    const { health, restartsUnresponsive = false } = this.#options.spec;
    const result = await health?.();
    if (this.#current?.identity.pid !== identity.pid) return;
    const failed = result === 'broken' || (result === 'unresponsive' && restartsUnresponsive);
    this.#failedChecks = failed ? this.#failedChecks + 1 : 0;
    if (this.#failedChecks < brokenAfterChecks) return;
    if (result === 'unresponsive') {
      this.#endedAsUnresponsive = true;
      this.#unresponsiveRestarts += 1;
    }
    await this.#endBroken(identity);
  }

  // A server that ran on a full disk may stay broken although space is available again.
  async #checkAfterFullDisk(): Promise<void> {
    const { health } = this.#options.spec;
    if (this.#current === undefined || health === undefined) return;
    const { identity, usable } = this.#current;
    if (!usable || (await health()) !== 'working') await this.#endBroken(identity);
  }

  async #endBroken(identity: ProcessIdentity): Promise<void> {
    const { spec, log } = this.#options;
    if (this.#stopping.signal.aborted || this.#current?.identity.pid !== identity.pid) return;
    log(`${this.name} ${this.#endedAsUnresponsive ? 'does not respond' : 'does not work any more'}: started again`);
    this.#failedChecks = 0;
    kill(identity.pid, spec.stopSignal);
    if (!(await waitForEnd([identity], brokenGraceMs))) kill(identity.pid, 'SIGKILL');
    this.#failures = noFailures;
    this.#pause.abort();
  }
}
