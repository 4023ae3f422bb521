import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResolvedSession, ServiceName } from '@overtone/contracts';
import {
  assertionHeader,
  discardUnreadBody,
  notFound,
  unavailable,
  type AccessLog,
  type Log,
  type Metrics,
} from '@overtone/service-kit';
import { badPath, sameOrigin, type createApi } from './api.ts';
import { answerBadRequest, checkRequest, trackResponse, unsupportedExpectation } from './bad-requests.ts';
import { bearerOf, sessionCookiesOf, type SessionCache } from './callers/callers.ts';
import type { Connections } from './connections/connections.ts';
import type { createDocs } from './docs/docs.ts';
import {
  observe,
  observeUpgrade,
  requestIdOf,
  sendFailure,
  traceparentOf,
  type Exchange,
  type Seen,
} from './exchange.ts';
import { refuseUpgrade, tunnel } from './proxy/upgrade.ts';
import { type createClientView, requestHeaders, pathOf } from './routing/routing.ts';
import { pageHeaders } from './ui/security-headers.ts';
import { sendAsset, type createUi } from './ui/ui.ts';

export type ListenerDeps = {
  log: Log;
  access: AccessLog;
  metrics: Metrics;
  clientView: ReturnType<typeof createClientView>;
  connections: Connections;
  api: ReturnType<typeof createApi>;
  docs: ReturnType<typeof createDocs>;
  ui: ReturnType<typeof createUi>;
  sessions: SessionCache;
  assertion: (audience: ServiceName, session: ResolvedSession | null) => string;
  realtime: URL;
};

/** What a request for a socket is answered. */
type Answer = { given: (status: number) => void; refuse: (thrown: unknown) => void };

/** Every service answers these on its internal listener; on the public one they do not exist. */
const internal = /^\/(health|metrics)(\/|$)/;

/** The only public port. */
export function createListener(deps: ListenerDeps): { server: Server; closeTunnels: () => Promise<void> } {
  const exchange = (req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): Exchange => ({
    req,
    res,
    path: pathOf(req.url ?? '') ?? '',
    requestId: requestIdOf(req),
    traceparent: traceparentOf(req),
    client: deps.clientView(req),
    receivedAt: Date.now(),
    route: 'unknown',
    userId: null,
    expectsContinue,
    recorded: false,
  });

  const page = async (x: Exchange): Promise<void> => {
    const found = x.req.method === 'GET' || x.req.method === 'HEAD' ? deps.ui(x.path) : undefined;
    const always = [...pageHeaders(x.client), 'X-Request-ID', x.requestId];
    if (found && !internal.test(x.path)) {
      x.route = found.route;
      return sendAsset(x.req, x.res, found, always);
    }
    x.res.writeHead(404, [...always, 'Content-Type', 'text/plain; charset=utf-8']);
    x.res.end(x.req.method === 'HEAD' ? undefined : 'Not found\n');
  };

  const docsPage = async (x: Exchange): Promise<boolean> => {
    const asset = x.path.startsWith('/api/docs/') && x.req.method === 'GET' ? deps.docs(x.path) : undefined;
    if (!asset) return false;
    x.route = '/api/docs/{file}';
    await sendAsset(x.req, x.res, { asset, cacheControl: 'public, max-age=300' }, [
      ...pageHeaders(x.client),
      'X-Request-ID',
      x.requestId,
    ]);
    return true;
  };

  const answer = async (x: Exchange): Promise<void> => {
    checkRequest(x.req);
    x.res.once('close', deps.connections.enter(x.req.socket, x.client));
    if (x.path === '') return badPath();
    if (!isApi(x.path)) return page(x);
    if (await docsPage(x)) return;
    return deps.api(x);
  };

  const onRequest = (expectsContinue: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    const x = exchange(req, res, expectsContinue);
    observe(x, deps);
    trackResponse(req.socket, res);
    discardUnreadBody(req, res);
    answer(x).catch((e: unknown) => sendFailure(x, e, deps.log));
  };
  const onUnsupportedExpectation = (req: IncomingMessage, res: ServerResponse): void => {
    const x = exchange(req, res, false);
    observe(x, deps);
    discardUnreadBody(req, res);
    sendFailure(x, unsupportedExpectation(), deps.log);
  };

  const tunnels = new Map<Duplex, () => void>();
  let closing = false;
  const upgrade = async (x: Seen, socket: Duplex, head: Buffer, answer: Answer): Promise<void> => {
    const { req, client } = x;
    checkRequest(req);
    // While it is open it is not closed in favour of a new connection.
    socket.once('close', deps.connections.enter(req.socket, client));
    const path = pathOf(req.url ?? '');
    if (path !== '/api/ws' && path !== '/api/ws/') return answer.refuse(notFound());
    x.route = '/api/ws';
    const bearer = bearerOf(req.headers.authorization);
    // Another site's page may open a socket here with our cookies: it gets one as a stranger.
    const token =
      bearer === undefined && sameOrigin({ req, client }) ? sessionCookiesOf(req.headers.cookie).access : bearer;
    const session = token ? await deps.sessions.resolve(token) : null;
    // A socket that opens after the others were closed would end without a close frame when the process exits.
    if (closing) {
      const restarting = 'The gateway is restarting. Connect again in a moment.';
      return answer.refuse(unavailable('service_unavailable', restarting, { retryAfterSeconds: 3 }));
    }
    x.userId = session?.userId ?? null;
    if (!session) deps.connections.enterUnauthenticated(socket, client);
    const headers = [
      ...requestHeaders(req.rawHeaders),
      assertionHeader,
      deps.assertion('realtime-gateway', session),
      'x-request-id',
      x.requestId,
      'traceparent',
      traceparentOf(req),
      'x-forwarded-for',
      client.ip,
      'x-forwarded-proto',
      client.scheme,
      'x-forwarded-host',
      client.host,
    ];
    socket.once('close', () => tunnels.delete(socket));
    tunnels.set(
      socket,
      tunnel({ req, socket, head, to: deps.realtime, headers, answered: answer.given, refuse: answer.refuse }),
    );
  };

  const server = createServer({
    // Uploads take hours; what must be quick is the head. Bodies are watched while they come.
    requestTimeout: 0,
    headersTimeout: 15_000,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: 75_000,
    noDelay: true,
    // Answered by checkRequest, as a problem document.
    requireHostHeader: false,
    // Any other protocol that a client offers is ignored (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ headers: { upgrade = '' } }) => /(^|,)\s*websocket\s*(,|$)/i.test(upgrade),
  });
  deps.connections.watch(server);
  server.on('request', onRequest(false));
  server.on('checkContinue', onRequest(true));
  server.on('checkExpectation', onUnsupportedExpectation);
  server.on('clientError', answerBadRequest);
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    const x: Seen = { req, requestId: requestIdOf(req), client: deps.clientView(req), route: 'unknown', userId: null };
    const given = observeUpgrade(x, deps);
    const refuse = (thrown: unknown): void => given(refuseUpgrade(socket, thrown, x.requestId));
    upgrade(x, socket, head, { given, refuse }).catch(refuse);
  });
  const closeTunnels = async (): Promise<void> => {
    closing = true;
    const closed = [...tunnels].map(([socket, end]) => {
      const over = new Promise((resolve) => socket.once('close', resolve));
      end();
      return over;
    });
    await Promise.all(closed);
  };
  return { server, closeTunnels };
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
