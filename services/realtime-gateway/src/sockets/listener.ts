import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { assertionHeader, toProblem, notFound, type Caller } from '@overtone/service-kit';
import type { createPlain } from './plain.adapter.ts';
import type { Opening } from './session.ts';
import type { createSocketIo } from './socketio.adapter.ts';
import { sameOrigin } from './sockets.ts';

export type ListenerDeps = {
  whoIs: (assertion: string | undefined) => Caller | null;
  plain: ReturnType<typeof createPlain>;
  socketIo: ReturnType<typeof createSocketIo>;
};
const path = '/api/ws';

const targetOf = (req: IncomingMessage): URL => new URL(req.url ?? '/', 'http://gateway');
const one = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header);

/** When the edge looked the caller up, from an assertion that was verified: a revocation since then must be met. */
const issuedAt = (assertion = ''): number => {
  const payload: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return ((payload as { iat?: number }).iat ?? 0) * 1000;
};

/** What the edge says of a request's caller; null when it did not come through the edge, or the edge's word is bad. */
export const openingOf = (whoIs: ListenerDeps['whoIs'], req: IncomingMessage): Opening | null => {
  const since = targetOf(req).searchParams.get('since');
  const number = since === null ? Number.NaN : Number(since);
  try {
    const assertion = one(req.headers[assertionHeader]);
    return {
      caller: whoIs(assertion),
      since: Number.isSafeInteger(number) ? number : undefined,
      knownAt: issuedAt(assertion),
    };
  } catch {
    return null;
  }
};

const allowed = (req: IncomingMessage): boolean =>
  sameOrigin(req.headers.origin, one(req.headers['x-forwarded-host']) ?? req.headers.host);

/** The API port: `/api/ws` and nothing else. Engine.IO clients say so with `EIO` in the query; others are plain. */
export const createListener = ({ whoIs, plain, socketIo }: ListenerDeps): Server => {
  const isOurs = (req: IncomingMessage): boolean => {
    const { pathname } = targetOf(req);
    return pathname === path || pathname === `${path}/`;
  };
  const speaksEngineIo = (req: IncomingMessage): boolean => targetOf(req).searchParams.has('EIO');

  const server = createServer((req, res) => {
    if (isOurs(req) && speaksEngineIo(req) && allowed(req) && openingOf(whoIs, req)) return socketIo.request(req, res);
    const problem = toProblem(notFound(), one(req.headers['x-request-id']) ?? '');
    res.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (!isOurs(req)) return refuse(socket, '404 Not Found');
    if (!allowed(req)) return refuse(socket, '403 Forbidden');
    const opening = openingOf(whoIs, req);
    if (!opening) return refuse(socket, '401 Unauthorized');
    if (speaksEngineIo(req)) socketIo.upgrade(req, socket, head);
    else plain.upgrade(req, socket, head, opening);
  });
  return server;
};

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};
