import { identityRoutes, publicLinkPath, receivedHeader } from '@overtone/contracts';
import { assertionHeader, forwardedHeader, type AppError } from '@overtone/service-kit';
import {
  identityCookies,
  publicLinkCookies,
  signInCookies,
  type Callers,
  type SessionCookies,
  type SignedIn,
} from '../callers/callers.ts';
import { createCompression, mixesSecrets } from '../compression/compression.ts';
import { apiHeaders, forwardedHeaders, type Exchange } from '../exchange/exchange.ts';
import { refusals } from '../refusals/refusals.ts';
import { pushChannel, requestHeaders, type Target } from '../routing/routing.ts';
import type { Upstreams } from '../upstreams/upstreams.ts';
import { createForward, type Forward } from './forward.ts';
import { bodyStream, hasBody, type BodyLimits } from './request-body.ts';

type Deps = {
  upstreams: Upstreams;
  callers: Pick<Callers, 'assertion' | 'forwarded' | 'inFlight'>;
  maxUploadBytes: number;
};
type Forwarded = { exchange: Exchange; route: Target; caller: SignedIn | null; cookies: SessionCookies };
export type Proxy = (forwarded: Forwarded) => Promise<void>;

const KiB = 1024;
/** Room for the form around a file, which does not count as the file. */
const framing = 64 * KiB;

/** Forwards requests to the services, with the caller's assertion instead of its credentials. */
export function createProxy({ upstreams, callers, maxUploadBytes }: Deps): Proxy {
  const forward = createForward(upstreams.connectionWait);
  return async ({ exchange, route, caller, cookies }) => {
    const { req, res } = exchange;
    const pool = upstreams.pools[route.service];
    const healthProbe = upstreams.healthProbes[route.service];
    if (!pool || !healthProbe) throw refusals.noService();
    const limits = limitsOf(route, maxUploadBytes);
    checkSize(exchange, route, limits, maxUploadBytes);
    let refused: AppError | undefined;
    const body = hasBody(req) ? bodyStream(req, res, limits, (refusal) => (refused = refusal)) : null;
    if (body && exchange.expectsContinue) res.writeContinue();
    try {
      await forward({
        pool,
        healthProbe,
        service: route.service,
        method: req.method as string,
        target: req.url as string,
        headers: createHeaders({ exchange, route, caller, cookies }, callers),
        body,
        res,
        always: apiHeaders(exchange),
        cookies: route.service === 'identity' || isOfPublicLink(route),
        watch: createWatch(exchange, route, caller, callers),
        compress: mixesSecrets(route.path) ? undefined : createCompression(req),
        onSent: () => {
          // The push channel writes no access log; see its telemetry.
          exchange.recorded = route.service !== 'realtime-gateway';
        },
      });
    } catch (error) {
      throw refused ?? error;
    }
    // Given up before a service took the request.
    if (refused && !res.headersSent) throw refused;
  };
}

/** @returns a function that creates the headers of one attempt. */
function createHeaders(
  { exchange, route, caller, cookies }: Forwarded,
  { assertion, forwarded }: Pick<Callers, 'assertion' | 'forwarded'>,
): () => string[] {
  const { receivedAt, req } = exchange;
  const toIdentity = route.service === 'identity';
  const cookie = toIdentity ? cookieFor(req.headers.cookie, route, cookies) : publicCookieFor(req, route);
  return () => {
    const statement = forwarded(route, req);
    return [
      ...requestHeaders(req.rawHeaders),
      assertionHeader,
      assertion(route.service, caller?.session ?? null),
      ...forwardedHeaders(exchange),
      ...(cookie ? ['cookie', cookie] : []),
      ...(statement ? [forwardedHeader, statement] : []),
      ...(toIdentity ? [receivedHeader, String(receivedAt)] : []),
    ];
  };
}

/** What identity changes may end the caller's own session, and its response must still arrive. Public routes need none. */
function createWatch(
  { receivedAt, req }: Exchange,
  route: Target,
  caller: SignedIn | null,
  { inFlight }: Pick<Callers, 'inFlight'>,
): Forward['watch'] {
  const needsSession = route === pushChannel || route.access !== 'public';
  if (!caller || !needsSession || (route.service === 'identity' && req.method !== 'GET')) return undefined;
  return (end) => inFlight.enter({ ...caller, receivedAt, end });
}

function limitsOf(route: Target, maxUploadBytes: number): BodyLimits {
  return route.bodyKind === 'raw'
    ? { maxBytes: maxUploadBytes + framing, windowMs: 60_000, minBytes: KiB }
    : { maxBytes: 1024 * KiB, windowMs: 10_000, minBytes: 1, totalMs: 30_000 };
}

/** Refuses by the length that the client announces, before a byte of the body is read. */
function checkSize({ req }: Exchange, route: Target, { maxBytes }: BodyLimits, maxUploadBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes)
    throw refusals.bodyTooLarge(route.bodyKind === 'raw' ? maxUploadBytes : maxBytes);
  // tus announces the length of the whole upload when it begins.
  if (Number(req.headers['upload-length'] ?? 0) > maxUploadBytes) throw refusals.bodyTooLarge(maxUploadBytes);
}

/** Media shows public links, sets the cookie of an opened one, and receives no other cookie. */
function isOfPublicLink({ path }: Pick<Target, 'path'>): boolean {
  return path.startsWith(publicLinkPath);
}

function publicCookieFor({ headers }: Exchange['req'], route: Target): string | undefined {
  return isOfPublicLink(route) ? publicLinkCookies(headers.cookie) : undefined;
}

/** The cookies that identity receives: those of the pending sign-in, or those of the session. */
function cookieFor(header: string | undefined, route: unknown, cookies: SessionCookies): string | undefined {
  return route === identityRoutes.oidcLogin || route === identityRoutes.oidcCallback
    ? signInCookies(header)
    : identityCookies(cookies);
}
