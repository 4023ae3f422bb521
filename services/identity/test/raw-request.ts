import { connect } from 'node:net';

export type RawAnswer = { status: number; head: string; body: string; json: Record<string, unknown> };

function parsed(text: string): RawAnswer {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(body) as Record<string, unknown>;
  } catch {
    // Responses to malformed requests need not be JSON.
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body, json };
}

/**
 * Sends header lines unchanged, which no client library does, and reads the complete response.
 * `localAddress` is the source address of the socket; `tail` is the body.
 */
export function rawRequest(
  port: number,
  path: string,
  lines: readonly string[],
  { localAddress = '127.0.0.1', tail }: { localAddress?: string; tail?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const own = [`POST ${path} HTTP/1.1`, `Host: localhost:${port}`];
    if (tail === undefined) own.push('Content-Length: 0');
    if (!lines.some((line) => /^connection:/i.test(line))) own.push('Connection: close');
    const text = `${[...own, ...lines].join('\r\n')}\r\n\r\n${tail ?? ''}`;
    socket.on('connect', () => socket.write(Buffer.from(text, 'latin1')));
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
      const length = /content-length: (\d+)/i.exec(answer)?.[1];
      if (length !== undefined && (answer.split(/\r\n\r\n(.*)/s)[1] ?? '').length >= Number(length)) socket.destroy();
    });
    socket.on('error', () => {});
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on('close', () => resolve(parsed(answer)));
  });
}
