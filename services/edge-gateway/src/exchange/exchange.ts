import type { ServerResponse } from 'node:http';
import { isAppError, toProblem, type AccessLog, type Log, type Metrics } from '@overtone/service-kit';
import type { RequestContext } from './request-context.ts';
import { apiHeaders } from './security-headers.ts';

export { checkRequest, refuseMalformed, trackResponse } from './malformed-requests.ts';
export { createRequestContext, type RequestContext } from './request-context.ts';
export { apiHeaders, pageHeaders } from './security-headers.ts';

/** A request with its response; an upgrade to a WebSocket has none. */
export type Exchange = RequestContext & {
  res: ServerResponse;
  /** The client sends its body only after 100 (Continue). */
  expectsContinue: boolean;
};

export type Observers = { access: AccessLog; metrics: Metrics };

/** Records metrics and the access log when the last byte was sent or the client has left. */
export function observeExchange(exchange: Exchange, observers: Observers): void {
  const { httpInFlight } = observers.metrics;
  const record = createRecorder(exchange, observers);
  httpInFlight.inc();
  exchange.res.on('close', () => {
    httpInFlight.dec();
    record(exchange.res.statusCode);
  });
}

/** @returns a function that records the status of a request in metrics and access log, once. */
export function createRecorder(context: RequestContext, { access, metrics }: Observers): (status: number) => void {
  const started = performance.now();
  let done = false;
  return (status) => {
    if (done) return;
    done = true;
    const seconds = (performance.now() - started) / 1000;
    const { client, recorded, req, requestId, route, userId } = context;
    const method = req.method ?? '';
    const labels = { method, route, status };
    metrics.httpTotal.inc(labels);
    metrics.httpDuration.observe(labels, seconds);
    if (recorded) return;
    access({ flow: { requestId, route, userId, dbQueries: 0 }, method, status, seconds, clientIp: client.ip });
  };
}

export function sendJson(exchange: Exchange, status: number, body: unknown, headers: readonly string[] = []): void {
  const text = JSON.stringify(body);
  exchange.res.writeHead(status, [
    ...apiHeaders(exchange),
    'Content-Type',
    status >= 400 ? 'application/problem+json' : 'application/json',
    'Cache-Control',
    'no-store',
    ...headers,
    'Content-Length',
    String(Buffer.byteLength(text)),
  ]);
  exchange.res.end(exchange.req.method === 'HEAD' ? undefined : text);
}

/** The only place where a thrown error becomes a response of the edge. */
export function sendRefusal(exchange: Exchange, thrown: unknown, log: Log): void {
  const { requestId, res } = exchange;
  const known = isAppError(thrown) ? thrown : undefined;
  if (!known) log.error({ err: thrown as Error, request_id: requestId }, 'request failed unexpectedly');
  else if (known.kind === 'unavailable')
    log.warn({ err: known.cause ?? known, detail: known.detail, request_id: requestId }, 'service does not answer');
  if (res.headersSent || res.destroyed) {
    res.destroy();
    return;
  }
  // The edge answers itself, whether or not a service has received something.
  exchange.recorded = false;
  const problem = toProblem(thrown, requestId);
  const wait = known?.retryAfterSeconds ?? (problem.status === 503 ? 5 : undefined);
  const allow = known?.extra['allow'];
  sendJson(exchange, problem.status, problem, [
    ...(wait === undefined ? [] : ['Retry-After', String(Math.ceil(wait))]),
    ...(problem.status === 401 ? ['WWW-Authenticate', 'Bearer'] : []),
    ...(typeof allow === 'string' ? ['Allow', allow] : []),
  ]);
}

/** The headers that describe a request to the service that receives it. */
export function forwardedHeaders({ client, requestId, traceparent }: RequestContext): string[] {
  return [
    'x-request-id',
    requestId,
    'traceparent',
    traceparent,
    'x-forwarded-for',
    client.ip,
    'x-forwarded-proto',
    client.scheme,
    'x-forwarded-host',
    client.host,
  ];
}
