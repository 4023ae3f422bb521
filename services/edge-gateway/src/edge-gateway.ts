import { routes } from '@overtone/contracts';
import {
  createAccessLog,
  createService,
  createServiceBase,
  type Checks,
  type HealthProbe,
  type Service,
} from '@overtone/service-kit';
import { createCallersSlice } from './callers/callers.slice.ts';
import { createConnections } from './connections/connections.ts';
import type { EdgeEnv } from './env.ts';
import { createLimitsSlice } from './limits/limits.slice.ts';
import { createProxy } from './proxy/proxy.ts';
import { createListener } from './requests/listener.ts';
import { createRequestHandler } from './requests/requests.ts';
import { createTraced } from './requests/tracing.ts';
import { createClientView, createRouteResolver } from './routing/routing.ts';
import { createSocketsSlice } from './sockets/sockets.slice.ts';
import { createSystem } from './system/system.ts';
import { createSendPage } from './ui/ui.ts';
import type { ResponseLimits } from './upstreams/upstreams.ts';
import { createUpstreamsSlice } from './upstreams/upstreams.slice.ts';

/** The edge: the only public port, and the only place that reads cookies and tokens. */
export function createEdgeGateway(env: EdgeEnv, responseLimits?: ResponseLimits): Service {
  const base = createServiceBase('edge-gateway', env);
  const { log, output, metrics, bus, version } = base;
  const observers = { access: createAccessLog(log, env.LOG_FORMAT, output.write), metrics };
  const connections = createConnections(env);
  const clientView = createClientView(env.TRUSTED_PROXIES);

  const { upstreams, ...upstreamsSlice } = createUpstreamsSlice({ env, log, responseLimits });
  const { callers, identity, ...callersSlice } = createCallersSlice({ env, bus, upstreams });
  const { limits, ...limitsSlice } = createLimitsSlice({ env, log, metrics, bus, identity });
  const realtime = new URL(env.REALTIME_GATEWAY_URL);
  const { onUpgrade, ...socketsSlice } = createSocketsSlice({
    ...observers,
    callers,
    connections,
    clientView,
    realtime,
    healthProbe: upstreams.healthProbes['realtime-gateway'] as HealthProbe,
  });

  const checks: Checks = { broker: { critical: true, probe: () => bus.ping() }, ...limitsSlice.checks };
  const handleRequest = createRequestHandler({
    connections,
    resolveRoute: createRouteResolver(routes),
    callers,
    limits,
    proxy: createProxy({ upstreams, callers, maxUploadBytes: env.MAX_UPLOAD_BYTES }),
    system: createSystem({ version, urls: upstreams.urls, checks }),
    sendPage: createSendPage(env.UI_DIR),
    traced: createTraced(env.OTEL_EXPORTER_OTLP_ENDPOINT),
  });

  return createService({
    ...base,
    listener: createListener({ ...observers, log, clientView, connections, handleRequest, onUpgrade }),
    slices: [upstreamsSlice, callersSlice, limitsSlice, socketsSlice],
  });
}
