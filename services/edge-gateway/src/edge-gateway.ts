import { routes, systemRoutes, type RouteDef, type ServiceName } from '@overtone/contracts';
import {
  createAccessLog,
  createCache,
  createService,
  createServiceBase,
  onStop,
  type Checks,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { Pool } from 'undici';
import { createApi } from './api.ts';
import { createAssertions } from './callers/assertions.ts';
import { createForwardedStatement, createInFlight, createSessionCache } from './callers/callers.ts';
import { createIdentity } from './callers/identity.adapter.ts';
import { createRevocations } from './callers/revocations.ts';
import { createDocs } from './docs/docs.ts';
import { createConnections } from './connections/connections.ts';
import type { EdgeEnv } from './env.ts';
import { sendJson, type Exchange } from './exchange.ts';
import { followSettings } from './limits/follow-settings.ts';
import { createLimits } from './limits/limits.ts';
import { createListener } from './listener.ts';
import { createConnectionWait } from './connection-wait.ts';
import { createClientView, createRouter, createTrustedProxies } from './routing/routing.ts';
import { createHealth } from './system/health.ts';
import { createTraced } from './tracing.ts';
import { pageHeaders } from './ui/security-headers.ts';
import { createUi, sendAsset } from './ui/ui.ts';

/** Shorter than the services keep it (see the kit's drain), so that none of them closes a connection under a request. */
const keepIdleMs = 1_000;

/** The edge: the only public port, and the only place that reads cookies and tokens. */
export function createEdgeGateway(env: EdgeEnv): Service {
  const base = createServiceBase('edge-gateway', env);
  const { log, metrics, bus, version } = base;
  const cache = env.REDIS_URL ? createCache(env.REDIS_URL, log, metrics) : undefined;
  const checks: Checks = cache ? { cache: { critical: false, probe: () => cache.ping() } } : {};

  const urls = upstreams(env);
  const pools = Object.fromEntries(Object.entries(urls).map(([service, url]) => [service, poolFor(url)]));
  const assertion = createAssertions(env.ASSERTION_PRIVATE_KEY);
  const revocations = createRevocations({ bus, sessions: () => sessions, inFlight: () => inFlight });
  const connectionWait = createConnectionWait(env.UPSTREAM_WAIT_MS);
  const identity = createIdentity({
    connectionWait,
    pool: pools['identity'] as Pool,
    assertion: () => assertion('identity', null),
  });
  const sessions = createSessionCache({ ask: identity.ask, isReceiving: revocations.isReceiving });
  const inFlight = createInFlight({ resolve: sessions.resolve });
  const limits = createLimits(cache, {
    sessionPerMinute: env.RATE_LIMIT_SESSION_PER_MINUTE,
    anonymousPerMinute: env.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
  });
  const settings = followSettings({
    bus,
    log,
    ask: identity.settings,
    apply: ({ signInPerMinute }) => limits.setSignInPerMinute(signInPerMinute),
  });

  const docs = createDocs(version);
  const health = createHealth(
    Object.values(urls).map((url) => new URL(url)),
    { broker: { critical: true, probe: () => bus.ping() }, ...checks },
  );
  const own = async (x: Exchange, def: RouteDef): Promise<void> => {
    if (def === systemRoutes.version) return sendJson(x, 200, { version });
    if (def === systemRoutes.health) return sendJson(x, 200, { status: await health(), version });
    const asset = docs(x.path);
    if (asset)
      return sendAsset(x.req, x.res, { asset, cacheControl: 'no-cache' }, [
        ...pageHeaders(x.client),
        'X-Request-ID',
        x.requestId,
      ]);
  };

  const api = createApi({
    router: createRouter(routes),
    limits,
    sessions,
    inFlight,
    assertion,
    forwarded: createForwardedStatement(env.ASSERTION_PRIVATE_KEY),
    pools,
    maxUploadBytes: env.MAX_UPLOAD_BYTES,
    connectionWait,
    traced: createTraced(env.OTEL_EXPORTER_OTLP_ENDPOINT),
    own,
  });
  const { server, closeTunnels } = createListener({
    log,
    access: createAccessLog(log, env.LOG_FORMAT),
    metrics,
    clientView: createClientView(env.TRUSTED_PROXIES),
    connections: createConnections(
      {
        perAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
        unauthenticatedSocketsPerAddress: env.MAX_UNAUTHENTICATED_SOCKETS_PER_ADDRESS,
      },
      createTrustedProxies(env.TRUSTED_PROXIES),
    ),
    api,
    docs,
    ui: createUi(env.UI_DIR),
    sessions,
    assertion,
    realtime: new URL(env.REALTIME_GATEWAY_URL),
  });
  const connections: Part = {
    name: 'connections',
    start: async () => {},
    stop: async () => {
      cache?.close();
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };

  return createService({
    ...base,
    listener: server,
    slices: [
      {
        // Sockets would hold a stopping edge back for as long as they are open.
        periodics: [onStop('sockets', closeTunnels)],
        parts: [connections, revocations.part, settings],
        checks,
      },
    ],
  });
}

function upstreams(env: EdgeEnv): Partial<Record<ServiceName, string>> {
  return {
    identity: env.IDENTITY_URL,
    media: env.MEDIA_URL,
    'transcription-dispatcher': env.TRANSCRIPTION_DISPATCHER_URL,
    'search-indexer': env.SEARCH_INDEXER_URL,
    'realtime-gateway': env.REALTIME_GATEWAY_URL,
    ...(env.DIRECTORY_SYNC_URL ? { 'directory-sync': env.DIRECTORY_SYNC_URL } : {}),
  };
}

/** Keep-alive connections: short timeout for connecting, long one for a response. */
function poolFor(url: string): Pool {
  return new Pool(url, {
    connections: 512,
    pipelining: 1,
    keepAliveTimeout: keepIdleMs,
    keepAliveMaxTimeout: keepIdleMs,
    connect: { timeout: 3_000, noDelay: true },
    headersTimeout: 120_000,
    bodyTimeout: 120_000,
  });
}
