import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** Connects, sends `hello` and returns the lines received until the last expected one or the timeout. */
export async function linesUntil(
  port: number,
  hello: string,
  isLast: (line: string) => boolean,
  timeoutMs: number,
): Promise<string[]> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const lines: string[] = [];
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(lines);
    });
    socket.once('connect', () => socket.write(hello));
    createInterface({ input: socket }).on('line', (line) => {
      lines.push(line.trimEnd());
      if (isLast(line)) socket.destroy();
    });
  });
}

/** Connects, sends `hello` and returns the first line of the response; `undefined` on timeout. */
export async function firstLine(port: number, hello: string, timeoutMs = 1000): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    const finish = (answer: string | undefined) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => finish(undefined));
    socket.on('error', () => finish(undefined));
    socket.once('close', () => finish(undefined));
    socket.once('connect', () => {
      if (hello !== '') socket.write(hello);
    });
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      const end = text.indexOf('\n');
      if (end >= 0) finish(text.slice(0, end).trimEnd());
    });
  });
}
