import { spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The specification of a process and of its readiness probe. */
export type ProcessSpec = {
  readonly name: string;
  /** The services that it runs, if they are several. */
  readonly hosts?: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The signal for an orderly stop. */
  readonly stopSignal: NodeJS.Signals;
  /** Runs as this account when the caller is root. */
  readonly user?: SystemUser;
  /** Passed to the process as open descriptor 3, for a folder whose parents it may not access. */
  readonly openFolder?: string;
  /** Runs before every start: configuration files, initialisation. */
  readonly prepare?: () => Promise<void>;
  /** One readiness probe. */
  readonly probe: () => Promise<boolean>;
  /** For a server that may need a restart although its process is running. */
  readonly health?: () => Promise<ServerHealth>;
  /** Restarted also when it is unresponsive: a service, which keeps its state in the servers. */
  readonly restartsUnresponsive?: boolean;
};

/** `broken`: responds, but cannot work until a restart. `unresponsive`: frozen, overloaded or starting. */
export type ServerHealth = 'working' | 'broken' | 'unresponsive';

/** An account of the operating system. */
export type SystemUser = {
  readonly uid: number;
  readonly gid: number;
};

/** A started process. */
export type RunningProcess = {
  readonly pid: number;
  /** Resolves when it has exited for any reason. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly hasEnded: () => boolean;
};

/** How a process is started. */
export type SpawnOptions = {
  /** The file that the output is appended to; without one it is discarded. */
  readonly logFile?: string;
  /** Variables in addition to those of the spec. */
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps running when this process exits; otherwise it then receives its stop signal. */
  readonly outlives?: boolean;
};

/** Starts the process of a spec. */
export async function spawnProcess(
  spec: ProcessSpec,
  { logFile, env = {}, outlives = false }: SpawnOptions = {},
): Promise<RunningProcess> {
  const log = logFile === undefined ? 'ignore' : openLog(logFile);
  const folder = spec.openFolder === undefined ? undefined : openSync(spec.openFolder, constants.O_RDONLY);
  try {
    const [command, ...args] = withPrivileges(spec, outlives);
    const child = spawn(command, args, {
      cwd: spec.cwd ?? '/',
      // Its own session: a Ctrl-C in the terminal does not reach it, and its children can be found after its exit.
      detached: true,
      env: { ...spec.env, ...env },
      stdio: ['ignore', log, log, ...(folder === undefined ? [] : [folder])],
    });
    let over = false;
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('exit', (code, signal) => {
        over = true;
        resolve({ code, signal });
      });
      child.on('error', () => {
        over = true;
        resolve({ code: 127, signal: null });
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return { pid: child.pid!, ended, hasEnded: () => over };
  } finally {
    if (typeof log === 'number') closeSync(log);
    if (folder !== undefined) closeSync(folder);
  }
}

/** Waits until the probe succeeds; throws when the process ends first or on timeout. */
export async function waitUntilReady(spec: ProcessSpec, running: RunningProcess, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 5; ; pause = Math.min(pause * 1.5, 100)) {
    if (await spec.probe()) return;
    if (running.hasEnded()) {
      const { code, signal } = await running.ended;
      throw new Error(`${spec.name} ended while starting (${signal ?? `exit code ${code}`})`);
    }
    if (Date.now() > deadline) throw new Error(`${spec.name} was not ready within ${Math.round(timeoutMs / 1000)} s`);
    await sleep(pause);
  }
}

/** Sends the stop signal, and SIGKILL after the grace time. */
export async function stopProcess(spec: ProcessSpec, running: RunningProcess, graceMs: number): Promise<void> {
  if (running.hasEnded()) return;
  kill(running.pid, spec.stopSignal);
  const timer = setTimeout(() => kill(running.pid, 'SIGKILL'), graceMs);
  await running.ended;
  clearTimeout(timer);
}

/** Sends a signal; a process that has already exited is no error. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The minimal environment of a server. */
export function plainEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: '/', LC_ALL: 'C.UTF-8' };
}

function withPrivileges(spec: ProcessSpec, outlives: boolean): [string, ...string[]] {
  // setpriv replaces itself with the program, so the pid is the program's.
  const identity =
    spec.user !== undefined && process.getuid?.() === 0
      ? [`--reuid=${spec.user.uid}`, `--regid=${spec.user.gid}`, '--clear-groups']
      : [];
  const deathSignal = outlives ? [] : [`--pdeathsig=${spec.stopSignal}`];
  return ['setpriv', ...identity, ...deathSignal, '--', spec.command, ...spec.args];
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, 'a', 0o600);
}
