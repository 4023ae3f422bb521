import type { IncomingMessage } from 'node:http';
import {
  identityRoutes,
  receivedHeader,
  type ResolvedSession,
  type RouteDef,
  type ServiceName,
} from '@overtone/contracts';
import { AppError, assertionHeader, forwardedHeader, invalid, notFound } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import {
  authorise,
  bearerOf,
  checkCrossSite,
  checkCsrf,
  identityCookies,
  sessionCookiesOf,
  signInCookies,
  type Doubt,
  type InFlight,
  type SessionCache,
  type SessionCookies,
} from './callers/callers.ts';
import { createCompression, mixesSecrets } from './compression/compression.ts';
import type { Exchange } from './exchange.ts';
import { isSignInAttempt, type Limits } from './limits/limits.ts';
import type { ConnectionWait } from './connection-wait.ts';
import { createForward } from './proxy/forward.ts';
import { bodyStream, hasBody, tooBig, type BodyLimits } from './proxy/request-body.ts';
import { limitKey, requestHeaders, type createRouter } from './routing/routing.ts';
import type { Traced } from './tracing.ts';
import { apiHeaders } from './ui/security-headers.ts';

export type ApiDeps = {
  router: ReturnType<typeof createRouter>;
  limits: Limits;
  sessions: SessionCache;
  inFlight: InFlight;
  assertion: (audience: ServiceName, session: ResolvedSession | null) => string;
  /** What a request brought, signed, for the routes where that says who is calling. */
  forwarded: (route: unknown, req: IncomingMessage) => string | undefined;
  pools: Partial<Record<ServiceName, Dispatcher>>;
  maxUploadBytes: number;
  traced: Traced;
  connectionWait: ConnectionWait;
  /** Answers the edge's own routes. */
  own: (x: Exchange, def: RouteDef) => Promise<void>;
};

/** The push channel's path is no route of the catalogue: socket.io also asks it over plain HTTP. */
const push = {
  path: '/api/ws',
  service: 'realtime-gateway',
  access: 'public',
  bodyKind: 'json',
  csrfExempt: true,
  setsCookies: false,
} as const;
/** A caller, with the token that says so. */
type Who = { token: string; session: ResolvedSession };
type Target = Pick<RouteDef, 'path' | 'service' | 'access' | 'bodyKind' | 'csrfExempt' | 'setsCookies'>;

const KiB = 1024;
/** Room for the form around a file, which does not count as the file. */
const framing = 64 * KiB;

/** An API request, in order: match, limit, who is calling, CSRF, role and state, hand on. */
export function createApi(deps: ApiDeps) {
  const forward = createForward(deps.connectionWait);
  const whoCalls = async (x: Exchange, cookies: SessionCookies): Promise<Who | null> => {
    const bearer = bearerOf(x.req.headers.authorization);
    const token = bearer === undefined ? cookies.access : bearer;
    if (!token || token.length > 4096) return null;
    const session = await deps.sessions.resolve(token);
    return session && { token, session };
  };

  /** What identity changes may end the caller's own session, and its answer must still arrive. Public routes need none. */
  const watchOf = (x: Exchange, def: Target, who: Who | null) => {
    const needsSession = def === push || def.access !== 'public';
    if (!who || !needsSession || (def.service === 'identity' && x.req.method !== 'GET')) return undefined;
    return (end: (why: Doubt) => void) => deps.inFlight.enter({ ...who, receivedAt: x.receivedAt, end });
  };

  const limit = (x: Exchange, session: ResolvedSession | null): Promise<void> | undefined =>
    session ? deps.limits.session(session.sessionId) : deps.limits.anonymous(limitKey(x.client.ip));

  const handOn = async (x: Exchange, def: Target, who: Who | null, cookies: SessionCookies) => {
    const { req, res } = x;
    const session = who?.session ?? null;
    const pool = deps.pools[def.service];
    if (!pool) throw notFound();
    const limits = limitsOf(def, deps.maxUploadBytes);
    checkSize(x, def, limits, deps.maxUploadBytes);
    const toIdentity = def.service === 'identity';
    const cookie = toIdentity ? cookieFor(x, def, cookies) : undefined;
    const headers = (): string[] => {
      const forwarded = deps.forwarded(def, req);
      return [
        ...requestHeaders(req.rawHeaders),
        assertionHeader,
        deps.assertion(def.service, session),
        'x-request-id',
        x.requestId,
        'traceparent',
        x.traceparent,
        'x-forwarded-for',
        x.client.ip,
        'x-forwarded-proto',
        x.client.scheme,
        'x-forwarded-host',
        x.client.host,
        ...(cookie ? ['cookie', cookie] : []),
        ...(forwarded ? [forwardedHeader, forwarded] : []),
        ...(toIdentity ? [receivedHeader, String(x.receivedAt)] : []),
      ];
    };
    let refused: AppError | undefined;
    const body = hasBody(req) ? bodyStream(req, res, limits, (e) => (refused = e)) : null;
    if (body && x.expectsContinue) res.writeContinue();
    const target = req.url as string;
    const always = [...apiHeaders(x.client), 'X-Request-ID', x.requestId];
    try {
      const { service } = def;
      await forward({
        pool,
        service,
        method: req.method as string,
        target,
        headers,
        body,
        res,
        always,
        cookies: toIdentity,
        watch: watchOf(x, def, who),
        compress: mixesSecrets(def.path) ? undefined : createCompression(req),
        onSent: () => {
          // The push channel writes no lines; see its telemetry.
          x.recorded = service !== 'realtime-gateway';
        },
      });
    } catch (e) {
      throw refused ?? e;
    }
    // Given up before a service took the request.
    if (refused && !res.headersSent) throw refused;
  };

  const match = (x: Exchange): Target | RouteDef => {
    if (x.path === push.path || x.path === `${push.path}/`) return push;
    const found = deps.router(x.req.method as string, x.path);
    if (found.kind === 'route') return found.def;
    if (found.kind === 'unknown') throw notFound('There is no such address in this API');
    const allow = found.allow.join(', ');
    throw new AppError('invalid', 'method_not_allowed', `Allowed here: ${allow}`, { extra: { allow } });
  };

  const steps = async (x: Exchange, def: Target | RouteDef): Promise<void> => {
    const { headers } = x.req;
    const cookies = sessionCookiesOf(headers.cookie);
    checkCrossSite(def, { sameOrigin: sameHost(x), fetchSite: fetchSiteOf(x) });
    if (isSignInAttempt(def)) await deps.limits.signIn(limitKey(x.client.ip));
    const who = await whoCalls(x, cookies);
    const session = who?.session ?? null;
    x.userId = session?.userId ?? null;
    if (def === push) return handOn(x, push, sameOrigin(x) ? who : null, {});
    await limit(x, session);
    const route = def as RouteDef;
    const csrf = headers['x-csrf-token'];
    checkCsrf({
      method: x.req.method as string,
      def: route,
      cookies,
      hasBearer: bearerOf(headers.authorization) !== undefined,
      session,
      sameOrigin: sameHost(x),
      header: typeof csrf === 'string' ? csrf : undefined,
      fetchSite: fetchSiteOf(x),
    });
    authorise(route, session);
    if (route.service === 'edge-gateway') return deps.own(x, route);
    return handOn(x, route, who, cookies);
  };

  return async (x: Exchange): Promise<void> => {
    const def = match(x);
    x.route = def.path;
    return deps.traced(x, () => steps(x, def));
  };
}

type Asked = Pick<Exchange, 'req' | 'client'>;

/** Given twice it is no browser's; Node joins the values, and the list is no site of ours. */
function fetchSiteOf({ req }: Asked): string | undefined {
  const site = req.headers['sec-fetch-site'];
  return Array.isArray(site) ? site.join() : site;
}

/** The origin that a browser says is asking, and ours as the client addresses it; undefined: no browser, null: not ours. */
function origins({ req, client }: Asked): { from: URL; to: URL } | null | undefined {
  const { origin } = req.headers;
  if (origin === undefined) return undefined;
  const from = URL.parse(origin);
  const to = from && URL.parse(`${from.protocol}//${client.host}`);
  return to && { from, to };
}

/** Whether a browser's page of ours is asking; a client that sends no Origin is no browser. */
export function sameOrigin(x: Asked): boolean {
  const known = origins(x);
  return known === undefined || (known !== null && known.from.host === known.to.host);
}

/** The same, where a proxy in front of us may have dropped the port: for what needs the session's CSRF token besides. */
function sameHost(x: Asked): boolean {
  const known = origins(x);
  return sameOrigin(x) || (known?.to.port === '' && known.from.hostname === known.to.hostname);
}

/** @throws AppError invalid: the target is no path of ours. */
export function badPath(): never {
  throw invalid('invalid_request', 'The path is not valid');
}

function limitsOf(def: Target, maxUploadBytes: number): BodyLimits {
  return def.bodyKind === 'raw'
    ? { maxBytes: maxUploadBytes + framing, windowMs: 60_000, minBytes: KiB }
    : { maxBytes: 1024 * KiB, windowMs: 10_000, minBytes: 1, totalMs: 30_000 };
}

/** Refuses by what the client announces, before a byte of it is read. */
function checkSize(x: Exchange, def: Target, { maxBytes }: BodyLimits, maxUploadBytes: number): void {
  if (Number(x.req.headers['content-length'] ?? 0) > maxBytes)
    throw tooBig(def.bodyKind === 'raw' ? maxUploadBytes : maxBytes);
  // tus tells the length of the whole upload when it begins.
  if (Number(x.req.headers['upload-length'] ?? 0) > maxUploadBytes) throw tooBig(maxUploadBytes);
}

/** The cookies that identity receives: those of the pending sign-in, or those of the session. */
function cookieFor(x: Exchange, def: Target, cookies: SessionCookies): string | undefined {
  return def === identityRoutes.oidcLogin || def === identityRoutes.oidcCallback
    ? signInCookies(x.req.headers.cookie)
    : identityCookies(cookies);
}
