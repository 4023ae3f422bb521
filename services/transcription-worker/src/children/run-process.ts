import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type ProcessRun<T> = {
  command: string;
  args: readonly string[];
  /** The complete environment of the child; it never inherits the worker's, which contains secrets. */
  env: Record<string, string>;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  input?: Readable | undefined;
  consume: (stdout: Readable) => Promise<T>;
};

export type ProcessOutcome<T> = {
  value: T;
  exitCode: number | null;
  killedBy: NodeJS.Signals | null;
  stderrTail: string;
  timedOut: boolean;
};

const stderrTailBytes = 4096;

/**
 * Runs a program that the kernel kills when this process dies, because nothing else would end a child in its own process
 * group.
 */
export const dyingWithUs = { command: 'setpriv', args: ['--pdeathsig=KILL', '--'] } as const;

/** Kills a child's process group, including all processes that it started. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

export function keepTail(stream: Readable, bytes = stderrTailBytes): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]);
    if (tail.length > bytes) tail = tail.subarray(tail.length - bytes);
  });
  return () => tail.toString('utf8').trim();
}

function ended(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve([code, signal]));
  });
}

/** The reader may stop early or the child may die: neither is an error of the feeding pipe. */
async function feed(input: Readable | undefined, stdin: Writable): Promise<void> {
  if (!input) {
    stdin.end();
    return;
  }
  await pipeline(input, stdin).catch(() => undefined);
}

/** Runs a program to its end. Cancelling or running out of time kills its whole process group. */
export async function runProcess<T>(run: ProcessRun<T>): Promise<ProcessOutcome<T>> {
  run.signal?.throwIfAborted();
  const child = spawn(dyingWithUs.command, [...dyingWithUs.args, run.command, ...run.args], {
    env: run.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // `ended` reports the first error; a signal that cannot be sent later is another one.
  child.on('error', () => undefined);
  const tail = keepTail(child.stderr);
  let timedOut = false;
  const stop = (): void => killGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, run.timeoutMs);
  run.signal?.addEventListener('abort', stop, { once: true });
  child.stdin.on('error', () => undefined);
  const closed = ended(child);
  closed.catch(() => undefined);
  try {
    const feeding = feed(run.input, child.stdin);
    const value = await run.consume(child.stdout);
    const [exitCode, killedBy] = await closed;
    await feeding;
    run.signal?.throwIfAborted();
    return { value, exitCode, killedBy, stderrTail: tail(), timedOut };
  } catch (error) {
    stop();
    await closed.catch(() => undefined);
    run.signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    run.signal?.removeEventListener('abort', stop);
    run.input?.destroy();
  }
}

export async function readAll(stdout: Readable, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdout as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the program printed more than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
