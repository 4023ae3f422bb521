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
  /** Called once per request with its response status. */
  recordRequest: (req: IncomingMessage, route: string, status: number, seconds: number) => void;
};
const path = '/api/ws';

/** The caller of a request according to the edge's assertion; null when the assertion is missing or not valid. */
export function openingOf(whoIs: ListenerDeps['whoIs'], req: IncomingMessage): Opening | null {
  const since = targetOf(req).searchParams.get('since');
  const number = since === null ? Number.NaN : Number(since);
  try {
    const assertion = firstValue(req.headers[assertionHeader]);
    return {
      caller: whoIs(assertion),
      since: Number.isSafeInteger(number) ? number : undefined,
      knownAt: issuedAt(assertion),
    };
  } catch {
    return null;
  }
}

function allowed(req: IncomingMessage): boolean {
  return sameOrigin(req.headers.origin, firstValue(req.headers['x-forwarded-host']) ?? req.headers.host);
}

/** The API port: only `/api/ws`. Engine.IO clients have `EIO` in the query; all others are plain WebSocket clients. */
export function createListener({ whoIs, plain, socketIo, recordRequest }: ListenerDeps): Server {
  const isSocketPath = (req: IncomingMessage): boolean => {
    const { pathname } = targetOf(req);
    return pathname === path || pathname === `${path}/`;
  };
  const routeOf = (req: IncomingMessage): string => (isSocketPath(req) ? path : 'unknown');
  const isEngineIo = (req: IncomingMessage): boolean => targetOf(req).searchParams.has('EIO');

  const server = createServer((req, res) => {
    const started = performance.now();
    const recordResponse = () => recordRequest(req, routeOf(req), res.statusCode, (performance.now() - started) / 1000);
    res.once('close', recordResponse);
    if (isSocketPath(req) && isEngineIo(req) && allowed(req) && openingOf(whoIs, req))
      return socketIo.request(req, res);
    const problem = toProblem(notFound(), firstValue(req.headers['x-request-id']) ?? '');
    res.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const refuse = (status: string): void => {
      recordRequest(req, routeOf(req), Number(status.slice(0, 3)), 0);
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    };
    if (!isSocketPath(req)) return refuse('404 Not Found');
    if (!allowed(req)) return refuse('403 Forbidden');
    const opening = openingOf(whoIs, req);
    if (!opening) return refuse('401 Unauthorized');
    // The duration of a socket is not a response time.
    recordRequest(req, routeOf(req), 101, 0);
    if (isEngineIo(req)) socketIo.upgrade(req, socket, head);
    else plain.upgrade(req, socket, head, opening);
  });
  return server;
}

function targetOf(req: IncomingMessage): URL {
  return new URL(req.url ?? '/', 'http://gateway');
}

function firstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** When the edge looked up the caller, from a verified assertion: revocations since then must be applied. */
function issuedAt(assertion = ''): number {
  const payload: unknown = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return ((payload as { iat?: number }).iat ?? 0) * 1000;
}
