import { randomFillSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { pathOf, type ClientView } from '../routing/routing.ts';

/** One request on its way through the edge. */
export type RequestContext = {
  req: IncomingMessage;
  /** Empty when the target of the request is not valid. */
  path: string;
  requestId: string;
  traceparent: string;
  client: ClientView;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Template of the route; never the path itself. */
  route: string;
  userId: string | null;
  /** The service that responds writes the access log: only it knows the number of queries. */
  recorded: boolean;
};

export function createRequestContext(req: IncomingMessage, client: ClientView): RequestContext {
  return {
    req,
    path: pathOf(req.url ?? '') ?? '',
    requestId: requestIdOf(req),
    traceparent: traceparentOf(req),
    client,
    receivedAt: Date.now(),
    route: 'unknown',
    userId: null,
    recorded: false,
  };
}

const validRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
const validTraceparent = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function requestIdOf(req: IncomingMessage): string {
  const given = req.headers['x-request-id'];
  return typeof given === 'string' && validRequestId.test(given) ? given : randomUUID();
}

const pool = Buffer.alloc(24 * 512);
let used = pool.length;
/** Random trace and span ids in hex; drawn many at a time, because the draw costs more than the bytes. */
function randomTraceIds(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 24;
  return pool.toString('hex', used - 24, used);
}

/** Continues the browser's trace, or starts one. */
function traceparentOf(req: IncomingMessage): string {
  const given = req.headers['traceparent'];
  if (typeof given === 'string' && validTraceparent.test(given)) return given;
  const ids = randomTraceIds();
  return `00-${ids.slice(0, 32)}-${ids.slice(32)}-01`;
}
