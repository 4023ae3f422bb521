import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * Connects, sends `hello` and returns the lines received until the last expected one, the end of the connection or the
 * timeout; none when the connection is refused.
 */
export async function linesUntil(
  port: number,
  hello: string,
  isLast: (line: string) => boolean,
  timeoutMs: number,
): Promise<string[]> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    const lines: string[] = [];
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(lines);
    });
    socket.once('connect', () => {
      if (hello !== '') socket.write(hello);
    });
    createInterface({ input: socket })
      .on('error', () => undefined)
      .on('line', (line) => {
        // Lines of one packet are emitted together.
        if (socket.destroyed) return;
        lines.push(line.trimEnd());
        if (isLast(line)) socket.destroy();
      });
  });
}

/** The first line of the response; `undefined` without one. */
export async function firstLine(port: number, hello: string, timeoutMs = 1000): Promise<string | undefined> {
  return (await linesUntil(port, hello, () => true, timeoutMs))[0];
}

/** Whether a server sends anything after `hello`: the port of a stopped or hanging one still accepts connections. */
export async function answers(port: number, hello: string, timeoutMs = 2000): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const end = (isAnswered: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isAnswered);
    };
    const timer = setTimeout(() => end(false), timeoutMs);
    socket.on('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('data', () => end(true));
    socket.once('connect', () => {
      if (hello !== '') socket.write(hello, 'latin1');
    });
  });
}
