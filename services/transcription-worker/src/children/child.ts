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
  const loseAll = (because: (id: number) => Error): void => {
    for (const [id, { lost }] of tasks) lost(because(id));
    tasks.clear();
  };
  const connection: Connection = {
    tasks,
    kill,
    send: (request, onError) => void proc.send(request, (error) => error && onError(error)),
    onTimeout: (id) => {
      timedOut = id;
      kill();
    },
    onIdle: () => events.onIdle(child),
  };
  const child: Child = {
    busy: () => tasks.size,
    given: () => given,
    open: () => open,
    run: (task) => runTask(connection, (given += 1), task),
    kill,
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
  for (const event of ['exit', 'error']) proc.once(event, () => events.onEnd(child));
  return child;
}

/** The side of a child that its tasks use. */
type Connection = {
  tasks: Map<number, Listener>;
  send: (request: TaskRequest, onError: (error: Error) => void) => void;
  kill: () => void;
  onTimeout: (id: number) => void;
  onIdle: () => void;
};

function runTask({ tasks, send, kill, ...on }: Connection, id: number, task: TaskRun): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => on.onTimeout(id), task.timeoutMs);
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      task.signal?.removeEventListener('abort', cancel);
      finish();
    };
    const cancel = (): void => {
      if (tasks.size === 1) return kill();
      // The timeout still applies: a child that does not confirm the cancellation is killed.
      send({ id, cancel: true }, () => undefined);
      reject(task.signal?.reason as Error);
    };
    const reply = (message: TaskReply): void => {
      if ('progress' in message) return task.signal?.aborted ? undefined : task.onProgress?.(message.progress);
      tasks.delete(id);
      settle(() => ('result' in message ? resolve(message.result) : reject(new TaskRefused(message.failure))));
      if (tasks.size === 0) on.onIdle();
    };
    const lost = (error: Error): void => settle(() => reject(error));
    task.signal?.addEventListener('abort', cancel, { once: true });
    tasks.set(id, { reply, lost });
    send({ id, input: task.input }, (error) => {
      kill();
      tasks.delete(id);
      lost(error);
    });
  });
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
