import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ChildCrash, TaskRefused, type TaskReply, type TaskRequest } from './protocol.ts';
import { dyingWithUs, keepTail, killGroup } from './run-process.ts';

export type ChildOptions = {
  script: URL;
  env: Record<string, string>;
  /** Heap limit of the child in MiB. */
  heapMb: number;
};

export type TaskRun = {
  input: unknown;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((share: number) => void) | undefined;
};

type Listener = { reply: (reply: TaskReply) => void; lost: (error: Error) => void };

/** One child process and its unfinished tasks. */
export type Child = {
  /** Tasks without a result yet; a cancelled task counts until the child confirms it. */
  busy: () => number;
  /** Total number of tasks sent to the child. */
  given: () => number;
  /** False after a kill: the child accepts no more tasks. */
  open: () => boolean;
  run: (task: TaskRun) => Promise<unknown>;
  kill: () => void;
};

/** Notifications of a child to its owner. */
export type ChildEvents = {
  /** The child has no unfinished tasks. */
  onIdle: (child: Child) => void;
  /** The process has ended for any reason. */
  onEnd: (child: Child) => void;
};

/** Starts a child. Cancelling its only task kills it; one of several tasks is asked to stop, and its result is dropped. */
export function startChild(options: ChildOptions, events: ChildEvents): Child {
  const proc = spawnChild(options);
  const tail = proc.stderr ? keepTail(proc.stderr) : () => '';
  const tasks = new Map<number, Listener>();
  let given = 0;
  let open = true;
  let timedOut: number | undefined;
  const kill = (): void => {
    open = false;
    killGroup(proc.pid);
  };
  const send = (request: TaskRequest, failed: (error: Error) => void): void =>
    void proc.send(request, (error) => error && failed(error));
  const loseAll = (because: (id: number) => Error): void => {
    for (const [id, { lost }] of tasks) lost(because(id));
    tasks.clear();
  };

  proc.on('message', (reply: TaskReply) => tasks.get(reply.id)?.reply(reply));
  proc.once('error', (error) => loseAll(() => error));
  // `close` is emitted after stderr is drained, so that the tail is complete.
  proc.once('close', (code, killedBy) =>
    loseAll((id) => {
      const how = id === timedOut ? 'ran out of time' : `ended with ${killedBy ?? `code ${code}`}`;
      return new ChildCrash(`the child process ${how}`, tail(), id === timedOut);
    }),
  );

  const run = (task: TaskRun): Promise<unknown> => {
    const id = (given += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        timedOut = id;
        kill();
      }, task.timeoutMs);
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        task.signal?.removeEventListener('abort', stop);
        finish();
      };
      const stop = (): void => {
        if (tasks.size === 1) return kill();
        // The timeout still applies: a child that does not confirm the cancellation is killed.
        send({ id, cancel: true }, () => undefined);
        reject(task.signal?.reason as Error);
      };
      task.signal?.addEventListener('abort', stop, { once: true });
      const reply = (answer: TaskReply): void => {
        if ('progress' in answer) return task.signal?.aborted ? undefined : task.onProgress?.(answer.progress);
        tasks.delete(id);
        settle(() => ('result' in answer ? resolve(answer.result) : reject(new TaskRefused(answer.failure))));
        if (tasks.size === 0) events.onIdle(child);
      };
      const lost = (error: Error): void => settle(() => reject(error));
      tasks.set(id, { reply, lost });
      send({ id, input: task.input }, (error) => {
        kill();
        tasks.delete(id);
        lost(error);
      });
    });
  };
  const child: Child = { busy: () => tasks.size, given: () => given, open: () => open, run, kill };
  for (const event of ['exit', 'error']) proc.once(event, () => events.onEnd(child));
  return child;
}

function spawnChild(options: ChildOptions): ChildProcess {
  return fork(fileURLToPath(options.script), [], {
    env: options.env,
    execPath: dyingWithUs.command,
    execArgv: [...dyingWithUs.args, process.execPath, '--no-warnings', `--max-old-space-size=${options.heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
    // A message or signal that cannot be sent is ignored: the end of the child follows.
  }).on('error', () => undefined);
}
