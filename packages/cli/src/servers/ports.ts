import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { tryLock } from '../lock.ts';

// Below the range from which the kernel takes the ports of outgoing connections, so that none of them takes the port
// before the server listens; and below the ports that an instance assigns to its services.
const firstPort = 10_000;
const lastPort = 19_999;

/** A free port of the loopback interface. No other process gets it from this function until this process ends. */
export async function freePort(): Promise<number> {
  const port = randomInt(firstPort, lastPort + 1);
  const reservation = await tryLock(reservationOf(port));
  return reservation !== undefined && (await isPortFree(port)) ? port : await freePort();
}

/** The name of the lock that a process holds while a port is its own. */
export function reservationOf(port: number): string {
  return `port ${port}`;
}

/** Several different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}

/** Whether a server could listen on this port now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  try {
    const server = await listen(port, host);
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}

async function listen(port: number, host = '127.0.0.1') {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
