import {
  authorise,
  checkCrossSite,
  checkCsrf,
  credentialsOf,
  isSameOrigin,
  originOf,
  type Callers,
} from '../callers/callers.ts';
import type { Connections } from '../connections/connections.ts';
import { checkRequest, type Exchange } from '../exchange/exchange.ts';
import { isSignInAttempt, type Limits } from '../limits/limits.ts';
import type { Proxy } from '../proxy/proxy.ts';
import { refusals } from '../refusals/refusals.ts';
import { limitKey, pushChannel, type ResolveRoute, type Target } from '../routing/routing.ts';
import type { System } from '../system/system.ts';
import type { SendPage } from '../ui/ui.ts';
import type { Traced } from './tracing.ts';

type Deps = {
  connections: Connections;
  resolveRoute: ResolveRoute;
  callers: Callers;
  limits: Limits;
  proxy: Proxy;
  system: System;
  sendPage: SendPage;
  traced: Traced;
};
export type HandleRequest = (exchange: Exchange) => Promise<void>;

/** The path of a request through the edge. Every step may refuse it: see `refusals/refusals.ts`. */
export function createRequestHandler({
  connections,
  resolveRoute,
  callers,
  limits,
  proxy,
  system,
  sendPage,
  traced,
}: Deps): HandleRequest {
  const handleRoute = async (exchange: Exchange, route: Target): Promise<void> => {
    const { client, req } = exchange;
    const { bearer, cookies } = credentialsOf(req.headers);
    const origin = originOf(exchange);
    checkCrossSite(route, origin);
    if (isSignInAttempt(route)) await limits.signIn(limitKey(client.ip));
    const caller = await callers.authenticate({ bearer, cookies });
    const session = caller?.session ?? null;
    exchange.userId = session?.userId ?? null;
    if (route === pushChannel)
      return proxy({ exchange, route, caller: isSameOrigin(exchange) ? caller : null, cookies: {} });
    await (session ? limits.session(session.sessionId) : limits.anonymous(limitKey(client.ip)));
    checkCsrf({
      ...origin,
      def: route,
      method: req.method as string,
      cookies,
      hasBearer: bearer !== undefined,
      session,
      header: req.headers['x-csrf-token'],
    });
    authorise(route, session);
    if (route.service === 'edge-gateway') return system.sendRoute(exchange, route);
    return proxy({ exchange, route, caller, cookies });
  };

  return async (exchange) => {
    const { client, path, req, res } = exchange;
    checkRequest(exchange);
    res.once('close', connections.enter(req.socket, client));
    if (path === '') throw refusals.wrongPath();
    if (!isApi(path)) return sendPage(exchange);
    if (await system.sendDocsFile(exchange)) return;
    const route = resolveRoute(exchange);
    exchange.route = route.path;
    return traced(exchange, () => handleRoute(exchange, route));
  };
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
