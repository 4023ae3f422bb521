import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { wavHeader } from '@overtone/testkit';

/** A byte of a large recording, by its position: no test needs it in memory. */
function byteAt(position: number): number {
  return (position * 31 + (position >> 8) * 7 + (position >> 16)) & 0xff;
}

const header = wavHeader(0x7fff_0000, { rate: 16_000, channels: 1 });

/** Part of a recording that begins with a WAV header. */
export function recordingPart(start: number, length: number): Buffer {
  const part = Buffer.allocUnsafe(length);
  for (let i = 0; i < length; i += 1) {
    const position = start + i;
    part[i] = position < header.length ? (header[position] as number) : byteAt(position);
  }
  return part;
}

export type Answer = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** An HTTP server on the loopback address whose answers a test sets by path. */
export async function startMediaServer() {
  const answers = new Map<string, Answer>();
  const requests: { path: string; range: string | undefined; ifRange: string | undefined }[] = [];
  const server = createServer((req, res) => {
    const path = req.url ?? '';
    requests.push({ path, range: req.headers.range, ifRange: req.headers['if-range'] as string | undefined });
    res.on('error', () => undefined);
    const answer = answers.get(path) ?? ((_, response) => void response.writeHead(404).end());
    void Promise.resolve(answer(req, res)).catch(() => res.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as AddressInfo).port;
  return {
    port,
    requests,
    base: `http://127.0.0.1:${port}`,
    on: (path: string, answer: Answer): string => {
      answers.set(path, answer);
      return `http://127.0.0.1:${port}${path}`;
    },
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Cut = {
  bytes: number;
  etag?: string;
  /** Connections that end after so many bytes of their part; later ones are complete. */
  cutAfter?: (connection: number) => number;
  ranges?: boolean;
  length?: boolean;
  etagOf?: (connection: number) => string;
};

/** Sends a recording of a given size, with ranges, and interrupts connections. */
export function sendRecording({ bytes, cutAfter, ranges = true, length = true, etagOf = () => '"v1"' }: Cut): Answer {
  let connection = 0;
  return async (req, res) => {
    connection += 1;
    const etag = etagOf(connection);
    const asked = /^bytes=(\d+)-$/.exec(req.headers.range ?? '')?.[1];
    const isCurrent = req.headers['if-range'] === undefined || req.headers['if-range'] === etag;
    const start = ranges && asked !== undefined && isCurrent ? Number(asked) : 0;
    const isPartial = start > 0;
    res.writeHead(isPartial ? 206 : 200, {
      'content-type': 'audio/wav',
      etag,
      ...(length ? { 'content-length': bytes - start } : {}),
      ...(isPartial ? { 'content-range': `bytes ${start}-${bytes - 1}/${bytes}` } : {}),
    });
    const end = Math.min(bytes, start + (cutAfter?.(connection) ?? bytes));
    for (let at = start; at < end; at += 256 * 1024) {
      const part = recordingPart(at, Math.min(256 * 1024, end - at));
      if (!res.write(part)) await once(res, 'drain');
    }
    if (end < bytes) res.destroy();
    else res.end();
  };
}
