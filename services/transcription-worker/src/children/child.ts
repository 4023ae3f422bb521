import { fork, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ChildCrash, TaskRefused, type TaskReply, type TaskRequest } from './protocol.ts';
import { dyingWithUs, keepTail, killGroup } from './run-process.ts';

/** A Node script; `heapMb` limits its heap in MiB. */
type NodeChild = { script: URL; heapMb: number };
/** Any other program; requests and replies are JSON lines on its standard input and output. */
type ProgramChild = { command: string; args: readonly string[] };
export type ChildOptions = { env: Record<string, string> } & (NodeChild | ProgramChild);

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
  const { proc, send, onReply } = 'script' in options ? forkNode(options) : spawnProgram(options);
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
    send,
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

  onReply((reply) => tasks.get(reply.id)?.reply(reply));
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

type Transport = {
  proc: ChildProcess;
  send: Connection['send'];
  onReply: (receive: (reply: TaskReply) => void) => void;
};

function forkNode({ script, heapMb, env }: ChildOptions & NodeChild): Transport {
  const proc = fork(fileURLToPath(script), [], {
    env,
    execPath: dyingWithUs.command,
    execArgv: [...dyingWithUs.args, process.execPath, '--no-warnings', `--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    detached: true,
    // A message or signal that cannot be sent is ignored: the end of the child follows.
  }).on('error', () => undefined);
  return {
    proc,
    send: (request, onError) => void proc.send(request, (error) => error && onError(error)),
    onReply: (receive) => void proc.on('message', receive),
  };
}

function spawnProgram({ command, args, env }: ChildOptions & ProgramChild): Transport {
  const proc = spawn(dyingWithUs.command, [...dyingWithUs.args, command, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    // A request that cannot be sent is ignored: the end of the child follows.
  }).on('error', () => undefined);
  proc.stdin.on('error', () => undefined);
  return {
    proc,
    send: (request, onError) =>
      void proc.stdin.write(`${JSON.stringify(request)}\n`, (error) => (error ? onError(error) : undefined)),
    onReply: (receive) => {
      const lines = createInterface({ input: proc.stdout, crlfDelay: Infinity }).on('error', () => undefined);
      lines.on('line', (line) => {
        const reply = parseReply(line);
        if (reply) receive(reply);
        // Its replies cannot be assigned to tasks any more.
        else killGroup(proc.pid);
      });
    },
  };
}

function parseReply(line: string): TaskReply | undefined {
  try {
    return JSON.parse(line) as TaskReply;
  } catch {
    return undefined;
  }
}
