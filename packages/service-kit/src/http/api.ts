import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import { readsBody, roleAtLeast } from '@overtone/contracts';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { assertionHeader, type Caller } from '../assertion.ts';
import { runInFlow, type Flow } from '../context.ts';
import { forbidden, invalid, notFound, unauthenticated } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { inSpan, type Carrier } from '../tracing.ts';
import type { AccessLog } from './access-log.ts';
import { checkHeaderSizes } from './header-limits.ts';
import { problemHandler } from './problem.ts';
import type { Route } from './route.ts';
import { isUtf8Encoded } from './text.ts';
import { discardUnreadBody } from './unread-body.ts';

export type ApiOptions = {
  routes: Route[];
  log: Log;
  metrics: Metrics;
  access: AccessLog;
  /** Verifies the edge's assertion. */
  whoIs: (assertion: string | undefined) => Caller | null;
};

const json = express.json({ limit: '1mb', verify: (_req, _res, body) => checkUtf8(isUtf8(body)) });
const form = express.urlencoded({
  extended: false,
  limit: '64kb',
  verify: (_req, _res, body) => checkUtf8(isUtf8Encoded(body.toString('latin1'))),
});
const sane = /^[A-Za-z0-9._:-]{1,128}$/;

/** The API listener of a service: reached by the edge only. */
export function createApi({ routes, log, metrics, access, whoIs }: ApiOptions): express.Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(nameRequest);
  for (const route of routes) {
    const path = route.def.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const method = route.def.method.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options';
    app[method](path, observe(route, metrics, access), authorise(route, whoIs), bodyOf(route), (req, res, next) => {
      inRoute(route, req, res).catch(next);
    });
  }
  app.use(unknownPath(metrics));
  app.use(problemHandler(log));
  return app;
}

/** Decoders would replace what is not UTF-8 by U+FFFD. */
function checkUtf8(good: boolean): void {
  if (!good) throw invalid('invalid_request', 'The body is not UTF-8');
}

const nameRequest: RequestHandler = (req, res, next) => {
  const given = req.get('x-request-id');
  res.setHeader('x-request-id', given && sane.test(given) ? given : randomUUID());
  discardUnreadBody(req, res);
  checkHeaderSizes(req.rawHeaders);
  next();
};

/** Metrics, access log and the flow that the rest of the request runs in. */
function observe(route: Route, metrics: Metrics, access: AccessLog): RequestHandler {
  return (req, res, next) => {
    const requestId = String(res.getHeader('x-request-id'));
    const flow: Flow = { requestId, route: route.def.path, userId: null, dbQueries: 0, isAwaited: true };
    const aborter = new AbortController();
    res.locals['flow'] = flow;
    res.locals['route'] = route.def;
    res.locals['signal'] = aborter.signal;
    res.locals['clientIp'] = req.get('x-forwarded-for') ?? req.socket.remoteAddress ?? '';
    const started = process.hrtime.bigint();
    metrics.httpInFlight.inc();
    res.on('close', () => {
      flow.isAwaited = false;
      if (!res.writableFinished) aborter.abort();
      const seconds = Number(process.hrtime.bigint() - started) / 1e9;
      // A HEAD request is served by the route of GET.
      const labels = { method: req.method, route: route.def.path, status: String(res.statusCode) };
      metrics.httpInFlight.dec();
      metrics.httpTotal.inc(labels);
      metrics.httpDuration.observe(labels, seconds);
      metrics.dbPerRequest.observe({ method: labels.method, route: labels.route }, flow.dbQueries);
      access({
        flow,
        method: labels.method,
        status: res.statusCode,
        seconds,
        clientIp: String(res.locals['clientIp']),
      });
    });
    runInFlow(flow, next);
  };
}

function authorise(route: Route, whoIs: ApiOptions['whoIs']): RequestHandler {
  return (req, res, next) => {
    const caller = whoIs(req.get(assertionHeader));
    const { access } = route.def;
    if (access !== 'public') {
      if (!caller) throw unauthenticated('not_authenticated', 'Please sign in');
      if (!roleAtLeast(caller.role, access)) throw forbidden('role_required', `This needs the role ${access}`);
    }
    res.locals['caller'] = caller;
    (res.locals['flow'] as Flow).userId = caller?.userId ?? null;
    next();
  };
}

function hasBody(req: Request): boolean {
  return Number(req.get('content-length') ?? 0) > 0 || req.get('transfer-encoding') !== undefined;
}

function bodyOf(route: Route): RequestHandler {
  const { bodyKind } = route.def;
  if (bodyKind === 'raw' || !readsBody(route.def)) return (_req, _res, next) => next();
  return (req: Request, res: Response, next: NextFunction) => {
    if (!hasBody(req)) return next();
    const wanted = bodyKind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
    if (!req.is(wanted)) throw invalid('unsupported_media_type', `The body must be ${wanted}`);
    return (bodyKind === 'form' ? form : json)(req, res, next);
  };
}

async function inRoute(route: Route, req: Request, res: Response): Promise<void> {
  // A body parser's callbacks may have left the request's flow; step into it again.
  const flow = res.locals['flow'] as Flow;
  const traceparent = req.get('traceparent');
  const from: Carrier = traceparent ? { traceparent } : {};
  const span = { from, kind: SpanKind.SERVER, attributes: { 'http.route': route.def.path } };
  await runInFlow(flow, () => inSpan(`${route.def.method} ${route.def.path}`, span, () => route.run(req, res)));
}

function unknownPath(metrics: Metrics): RequestHandler {
  return (req, res) => {
    const started = performance.now();
    metrics.httpInFlight.inc();
    res.on('close', () => {
      const labels = { method: req.method, route: 'unknown', status: String(res.statusCode) };
      metrics.httpInFlight.dec();
      metrics.httpTotal.inc(labels);
      metrics.httpDuration.observe(labels, (performance.now() - started) / 1000);
    });
    throw notFound();
  };
}
