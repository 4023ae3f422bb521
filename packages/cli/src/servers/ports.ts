import { createServer } from 'node:net';

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

/** Several different free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  return await Promise.all(
    servers.map(
      async (server) =>
        await new Promise<number>((resolve, reject) => {
          const address = server.address();
          server.close((error) => {
            if (error !== undefined || address === null || typeof address === 'string') {
              reject(error ?? new Error('No port was given.'));
            } else resolve(address.port);
          });
        }),
    ),
  );
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
