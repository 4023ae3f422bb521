import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { dyingWithUs, keepTail, killGroup } from './run-process.ts';

/** What crosses the pipe between a worker and a task child. */
export type TaskRequest = { input: unknown };
export type TaskReply = { progress: number } | { result: unknown } | { failure: { message: string; code?: string } };

export interface TaskChildOptions {
  script: URL;
  env: Record<string, string>;
  /** Heap limit of the child in MiB. */
  heapMb: number;
  /** How long an unused child stays for the next task; 0 ends it at once. */
  idleMs: number;
}

export interface TaskRun {
  input: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((share: number) => void) | undefined;
}

/** The child ended (signal, abort, `_Exit`) or ran out of time before it answered. */
export class ChildCrash extends Error {
  readonly stderrTail: string;
  readonly timedOut: boolean;

  constructor(message: string, stderrTail: string, timedOut: boolean) {
    super(message);
    this.name = 'ChildCrash';
    this.stderrTail = stderrTail;
    this.timedOut = timedOut;
  }
}

/** The child lives and says why it could not do the task. */
export class TaskRefused extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'TaskRefused';
    this.code = code;
  }
}

interface Child {
  process: ChildProcess;
  tail: () => string;
  retire?: NodeJS.Timeout;
}

export interface TaskChildren {
  run: (task: TaskRun) => Promise<unknown>;
  close: () => void;
}

const start = (options: TaskChildOptions): Child => {
  const child = fork(fileURLToPath(options.script), [], {
    env: options.env,
    execPath: dyingWithUs.command,
    execArgv: [...dyingWithUs.args, process.execPath, '--no-warnings', `--max-old-space-size=${options.heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
  });
  return { process: child, tail: child.stderr ? keepTail(child.stderr) : () => '' };
};

/** Only what we listen to: Node keeps listeners of its own on the channel. */
const forget = (child: ChildProcess): void => {
  for (const event of ['message', 'error', 'close', 'exit']) child.removeAllListeners(event);
};

const converse = (child: Child, task: TaskRun): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const { process: proc } = child;
    let timedOut = false;
    const stop = (): void => killGroup(proc.pid);
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, task.timeoutMs);
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      task.signal?.removeEventListener('abort', stop);
      forget(proc);
      finish();
    };
    task.signal?.addEventListener('abort', stop, { once: true });
    proc.on('message', (reply: TaskReply) => {
      if ('progress' in reply) return task.onProgress?.(reply.progress);
      if ('result' in reply) return settle(() => resolve(reply.result));
      settle(() => reject(new TaskRefused(reply.failure.message, reply.failure.code)));
    });
    proc.once('error', (error) => settle(() => reject(error)));
    // `close` comes after stderr is drained, so the tail is whole.
    proc.once('close', (code, killedBy) => {
      const how = timedOut ? 'ran out of time' : `ended with ${killedBy ?? `code ${code}`}`;
      settle(() => reject(new ChildCrash(`the child process ${how}`, child.tail(), timedOut)));
    });
    proc.send({ input: task.input } satisfies TaskRequest, (error) => {
      if (error) settle(() => reject(error));
    });
  });

/**
 * Runs tasks in Node child processes: native code that aborts, or numbers that take long, hurt only the child.
 * Each child does one task at a time; cancelling a task kills its child.
 */
export const createTaskChildren = (options: TaskChildOptions): TaskChildren => {
  const idle = new Set<Child>();
  const all = new Set<Child>();

  const end = (child: Child): void => {
    clearTimeout(child.retire);
    idle.delete(child);
    all.delete(child);
    killGroup(child.process.pid);
  };
  const take = (): Child => {
    const [warm] = idle;
    if (!warm) {
      const child = start(options);
      all.add(child);
      return child;
    }
    clearTimeout(warm.retire);
    forget(warm.process);
    idle.delete(warm);
    return warm;
  };
  const keep = (child: Child): void => {
    if (options.idleMs === 0 || !child.process.connected || !all.has(child)) return end(child);
    child.process.once('exit', () => end(child));
    child.retire = setTimeout(() => end(child), options.idleMs).unref();
    idle.add(child);
  };

  return {
    run: async (task) => {
      task.signal?.throwIfAborted();
      const child = take();
      try {
        const result = await converse(child, task);
        keep(child);
        return result;
      } catch (error) {
        if (error instanceof TaskRefused) keep(child);
        else end(child);
        task.signal?.throwIfAborted();
        throw error;
      }
    },
    close: () => {
      for (const child of all) end(child);
    },
  };
};
