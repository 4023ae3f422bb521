import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { answers, firstLine, linesUntil } from './probe.ts';

/** A server that does this with each connection. */
async function withServer<T>(serve: (socket: Socket) => void, use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer((socket) => serve(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}

/** Passes only when the test expects that nothing comes; what is expected may take as long as it takes. */
const silenceMs = 300;
const patientMs = 30_000;

function all(port: number, timeoutMs = patientMs): Promise<string[]> {
  return linesUntil(port, 'PING\r\n', (line) => line === 'PONG', timeoutMs);
}

describe('a probe of a server', () => {
  it('returns the lines up to the last expected one', async () => {
    const serve = (socket: Socket) => socket.on('data', () => socket.write('INFO {}\r\nPONG\r\nlater\r\n'));
    expect(await withServer(serve, all)).toEqual(['INFO {}', 'PONG']);
    expect(await withServer(serve, (port) => firstLine(port, 'PING\r\n', patientMs))).toBe('INFO {}');
  });

  it('returns nothing when the connection is refused, and does not end its process', async () => {
    const port = await withServer(
      () => undefined,
      async (closed) => closed,
    );
    expect(await all(port)).toEqual([]);
    expect(await firstLine(port, '')).toBeUndefined();
  });

  it('returns what was received when the server resets the connection', async () => {
    const serve = (socket: Socket) => socket.write('INFO {}\r\n', () => setTimeout(() => socket.resetAndDestroy(), 50));
    expect(await withServer(serve, all)).toEqual(['INFO {}']);
  });

  it('ends after its timeout when the server is silent', async () => {
    expect(
      await withServer(
        () => undefined,
        (port) => all(port, silenceMs),
      ),
    ).toEqual([]);
  });

  it('tells a server that answers from one that only accepts the connection, or refuses it', async () => {
    const ask = (port: number, timeoutMs = silenceMs) => answers(port, 'PING\r\n', timeoutMs);
    const answering = (socket: Socket) => socket.on('data', () => socket.write('N'));
    expect(await withServer(answering, (port) => ask(port, patientMs))).toBe(true);
    expect(await withServer(() => undefined, ask)).toBe(false);
    expect(await withServer((socket) => socket.resetAndDestroy(), ask)).toBe(false);
    expect(
      await ask(
        await withServer(
          () => undefined,
          async (closed) => closed,
        ),
      ),
    ).toBe(false);
  });
});
