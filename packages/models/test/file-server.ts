import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Seen = { path: string; range: string | null; ifRange: string | null };
/** What the server does wrong at its n-th request; undefined: nothing. */
export type Fault = (request: Seen, count: number) => Misbehaviour | undefined;
export type Misbehaviour = {
  status?: number;
  /** With a status of a redirect. */
  location?: string;
  etag?: string;
  /** Answers 200 with the whole file to every request. */
  ignoreRange?: boolean;
  /** Answers 206 although the validator of If-Range differs. */
  ignoreIfRange?: boolean;
  /** Ends the connection after this many bytes of the body. */
  cutAfter?: number;
  /** Sends nothing more after this many bytes. */
  silentAfter?: number;
  /** Ends the silence: the connection is closed then. */
  until?: Promise<unknown>;
  content?: Buffer;
};

/** A server of one file, with ranges as RFC 9110 describes them, and with faults on request. */
export async function startFileServer(content: Buffer, fault: Fault = () => undefined) {
  const seen: Seen[] = [];
  let sent = 0;
  // Before the first request: hashing a large file during one would look like a silent server.
  const etags = new Map<Buffer, string>();
  const etagOf = (file: Buffer): string => {
    const known = etags.get(file) ?? `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`;
    etags.set(file, known);
    return known;
  };
  etagOf(content);
  const server = createServer((request, response) => {
    const entry = {
      path: request.url ?? '',
      range: request.headers.range ?? null,
      ifRange: (request.headers['if-range'] as string | undefined) ?? null,
    };
    seen.push(entry);
    answer(request, response, fault(entry, seen.length) ?? {});
  });
  const answer = (request: IncomingMessage, response: ServerResponse, wrong: Misbehaviour): void => {
    const file = wrong.content ?? content;
    const etag = wrong.etag ?? etagOf(file);
    if (wrong.status !== undefined) {
      response.writeHead(wrong.status, wrong.location ? { location: wrong.location } : {}).end();
      return;
    }
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? -1);
    const ifRange = request.headers['if-range'];
    const fits = ifRange === undefined || ifRange === etag || wrong.ignoreIfRange === true;
    const isPart = start >= 0 && fits && wrong.ignoreRange !== true;
    const body = isPart ? file.subarray(start) : file;
    const range = { 'content-range': `bytes ${start}-${file.length - 1}/${file.length}` };
    response.writeHead(isPart ? 206 : 200, { etag, 'content-length': body.length, ...(isPart ? range : {}) });
    const limit = wrong.cutAfter ?? wrong.silentAfter ?? body.length;
    sent += Math.min(limit, body.length);
    if (limit >= body.length) response.end(body);
    else
      response.write(body.subarray(0, limit), () => {
        if (wrong.cutAfter !== undefined) setTimeout(() => response.destroy(), 5);
        void wrong.until?.then(() => response.destroy());
      });
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    /** Bytes of bodies that were handed to connections. */
    sent: () => sent,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
