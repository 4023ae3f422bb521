import { createHash } from 'node:crypto';
import { connect, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Acquires the lock; `undefined` when another process holds it. */
export async function tryLock(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return await new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(addressOf(name), () => resolve(server.unref()));
  });
}

/** Whether any process holds the lock. */
export async function isLocked(name: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(addressOf(name));
    socket.once('connect', () => resolve(true));
    socket.on('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
  });
}

/** Waits until no process holds the lock. @returns false at the timeout. */
export async function waitUntilFree(name: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (await isLocked(name)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

/** Waits for the lock, runs the work and releases the lock. */
export async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  let lock: Server | undefined;
  while ((lock = await tryLock(name)) === undefined) await sleep(100);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

// An abstract socket name: held by at most one process, and released by the kernel at its exit.
function addressOf(name: string) {
  return `\0overtone-${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
}
