import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ResolvedSession, ServiceName } from '@overtone/contracts';
import { assertionHeader, type AccessLog, type Log, type Metrics } from '@overtone/service-kit';
import { badPath, sameOrigin, type createApi } from './api.ts';
import { answerBadRequest } from './bad-requests.ts';
import { bearerOf, sessionCookiesOf, type SessionCache } from './callers/callers.ts';
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
  api: ReturnType<typeof createApi>;
  docs: ReturnType<typeof createDocs>;
  ui: ReturnType<typeof createUi>;
  sessions: SessionCache;
  assertion: (audience: ServiceName, session: ResolvedSession | null) => string;
  realtime: URL;
};

/** What a request for a socket is answered. */
type Answer = { given: (status: number) => void; refuse: (status: string) => void };

/** Every service answers these on its internal listener; on the public one they do not exist. */
const internal = /^\/(health|metrics)(\/|$)/;
const isApi = (path: string): boolean => path === '/api' || path.startsWith('/api/');

/** The only public port. */
export const createListener = (d: ListenerDeps): { server: Server; closeTunnels: () => Promise<void> } => {
  const exchange = (req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): Exchange => ({
    req,
    res,
    path: pathOf(req.url ?? '') ?? '',
    requestId: requestIdOf(req),
    traceparent: traceparentOf(req),
    client: d.clientView(req),
    receivedAt: Date.now(),
    route: 'unknown',
    userId: null,
    expectsContinue,
  });

  const page = async (x: Exchange): Promise<void> => {
    const found = x.req.method === 'GET' || x.req.method === 'HEAD' ? d.ui(x.path) : undefined;
    const always = [...pageHeaders(x.client), 'X-Request-ID', x.requestId];
    if (found && !internal.test(x.path)) {
      x.route = found.route;
      return sendAsset(x.req, x.res, found, always);
    }
    x.res.writeHead(404, [...always, 'Content-Type', 'text/plain; charset=utf-8']);
    x.res.end(x.req.method === 'HEAD' ? undefined : 'Not found\n');
  };

  const docsPage = async (x: Exchange): Promise<boolean> => {
    const asset = x.path.startsWith('/api/docs/') && x.req.method === 'GET' ? d.docs(x.path) : undefined;
    if (!asset) return false;
    x.route = '/api/docs/{file}';
    await sendAsset(x.req, x.res, { asset, cacheControl: 'public, max-age=300' }, pageHeaders(x.client));
    return true;
  };

  const answer = async (x: Exchange): Promise<void> => {
    if (x.path === '') return badPath();
    if (!isApi(x.path)) return page(x);
    if (await docsPage(x)) return;
    return d.api(x);
  };

  const onRequest = (expectsContinue: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    const x = exchange(req, res, expectsContinue);
    observe(x, d);
    answer(x).catch((e: unknown) => sendFailure(x, e, d.log));
  };

  const tunnels = new Map<Duplex, () => void>();
  const upgrade = async (x: Seen, socket: Duplex, head: Buffer, answer: Answer): Promise<void> => {
    const { req, client } = x;
    const path = pathOf(req.url ?? '');
    if (path !== '/api/ws' && path !== '/api/ws/') return answer.refuse('404 Not Found');
    x.route = '/api/ws';
    if (req.headers.upgrade?.toLowerCase() !== 'websocket') return answer.refuse('400 Bad Request');
    const bearer = bearerOf(req.headers.authorization);
    // Another site's page may open a socket here with our cookies: it gets one as a stranger.
    const token =
      bearer === undefined && sameOrigin({ req, client }) ? sessionCookiesOf(req.headers.cookie).access : bearer;
    const session = token ? await d.sessions.resolve(token) : null;
    x.userId = session?.userId ?? null;
    const headers = [
      ...requestHeaders(req.rawHeaders),
      assertionHeader,
      d.assertion('realtime-gateway', session),
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
    tunnels.set(socket, tunnel({ req, socket, head, to: d.realtime, headers, answered: answer.given }));
  };

  const server = createServer({
    // Uploads take hours; what must be quick is the head. Bodies are watched while they come.
    requestTimeout: 0,
    headersTimeout: 15_000,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: 75_000,
    noDelay: true,
  });
  server.on('request', onRequest(false));
  server.on('checkContinue', onRequest(true));
  server.on('clientError', answerBadRequest);
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    const x: Seen = { req, requestId: requestIdOf(req), client: d.clientView(req), route: 'unknown', userId: null };
    const given = observeUpgrade(x, d);
    const refuse = (status: string) => {
      given(Number(status.slice(0, 3)));
      refuseUpgrade(socket, status);
    };
    upgrade(x, socket, head, { given, refuse }).catch(() => refuse('503 Service Unavailable'));
  });
  const closeTunnels = async (): Promise<void> => {
    const closed = [...tunnels].map(([socket, end]) => {
      const over = new Promise((resolve) => socket.once('close', resolve));
      end();
      return over;
    });
    await Promise.all(closed);
  };
  return { server, closeTunnels };
};
