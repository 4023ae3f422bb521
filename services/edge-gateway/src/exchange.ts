import { randomFillSync, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAppError, toProblem, type AccessLog, type Log, type Metrics } from '@overtone/service-kit';
import type { ClientView } from './routing/routing.ts';
import { apiHeaders } from './ui/security-headers.ts';

/** One request on its way through the edge. */
export type Exchange = {
  req: IncomingMessage;
  res: ServerResponse;
  path: string;
  requestId: string;
  traceparent: string;
  client: ClientView;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Template of the route; never the path itself. */
  route: string;
  userId: string | null;
  /** The client waits for a word before it sends its body (Expect: 100-continue). */
  expectsContinue: boolean;
  /** The service that answers writes the access log's line: only it knows how many queries there were. */
  recorded: boolean;
};

const saneId = /^[A-Za-z0-9._:-]{1,128}$/;
const saneTrace = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && saneId.test(given) ? given : randomUUID();
}

const pool = Buffer.alloc(24 * 512);
let used = pool.length;
/** Random trace and span ids in hex; drawn many at a time, because the draw costs more than the bytes. */
function freshIds(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 24;
  return pool.toString('hex', used - 24, used);
}

/** Continues the browser's trace, or starts one. */
export function traceparentOf(req: IncomingMessage): string {
  const given = req.headers['traceparent'];
  if (typeof given === 'string' && saneTrace.test(given)) return given;
  const ids = freshIds();
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-01`;
}

/** What metrics and the access log tell of a request. */
export type Seen = Pick<Exchange, 'req' | 'requestId' | 'client' | 'route' | 'userId'> &
  Partial<Pick<Exchange, 'recorded'>>;

function reportExchange(x: Seen, status: number, started: number, { access, metrics }: Observers): void {
  const seconds = (performance.now() - started) / 1000;
  const method = x.req.method ?? '';
  const labels = { method, route: x.route, status };
  metrics.httpTotal.inc(labels);
  metrics.httpDuration.observe(labels, seconds);
  if (x.recorded) return;
  const flow = { requestId: x.requestId, route: x.route, userId: x.userId, dbQueries: 0 };
  access({ flow, method, status, seconds, clientIp: x.client.ip });
}

type Observers = { access: AccessLog; metrics: Metrics };

/** Metrics and the access log's line, when the last byte has gone or the client has. */
export function observe(x: Exchange, observers: Observers): void {
  const started = performance.now();
  observers.metrics.httpInFlight.inc();
  x.res.on('close', () => {
    observers.metrics.httpInFlight.dec();
    reportExchange(x, x.res.statusCode, started, observers);
  });
}

/** The same for a socket, when it is let in or refused: how long it stays is the time of no answer. */
export function observeUpgrade(x: Seen, observers: Observers): (status: number) => void {
  const started = performance.now();
  let reported = false;
  return (status) => {
    if (!reported) reportExchange(x, status, started, observers);
    reported = true;
  };
}

export function sendJson(x: Exchange, status: number, body: unknown, headers: readonly string[] = []): void {
  const text = JSON.stringify(body);
  x.res.writeHead(status, [
    ...apiHeaders(x.client),
    'X-Request-ID',
    x.requestId,
    'Content-Type',
    status >= 400 ? 'application/problem+json' : 'application/json',
    'Cache-Control',
    'no-store',
    ...headers,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ]);
  x.res.end(x.req.method === 'HEAD' ? undefined : text);
}

/** The one place where the edge's own failures become answers. */
export function sendFailure(x: Exchange, thrown: unknown, log: Log): void {
  const known = isAppError(thrown) ? thrown : undefined;
  if (!known) log.error({ err: thrown as Error, request_id: x.requestId }, 'request failed unexpectedly');
  else if (known.kind === 'unavailable')
    log.warn({ err: known.cause ?? known, detail: known.detail, request_id: x.requestId }, 'service does not answer');
  if (x.res.headersSent || x.res.destroyed) {
    x.res.destroy();
    return;
  }
  // The edge answers itself, whether or not a service has received something.
  x.recorded = false;
  const problem = toProblem(thrown, x.requestId);
  const wait = known?.retryAfterSeconds ?? (problem.status === 503 ? 5 : undefined);
  const allow = known?.extra['allow'];
  sendJson(x, problem.status, problem, [
    ...(wait === undefined ? [] : ['Retry-After', String(Math.ceil(wait))]),
    ...(problem.status === 401 ? ['WWW-Authenticate', 'Bearer'] : []),
    ...(typeof allow === 'string' ? ['Allow', allow] : []),
  ]);
}
