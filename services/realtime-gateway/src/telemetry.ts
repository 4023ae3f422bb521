import type { IncomingMessage } from 'node:http';
import type { AccessLog, Metrics } from '@overtone/service-kit';

/** What an operator sees of the push channel; its listener is not built from routes, so it tells of its requests here. */
export const createTelemetry = (metrics: Metrics, d: { sockets: () => number; access: AccessLog }) => {
  metrics.watch([{ name: 'realtime_sockets', help: 'Authenticated sockets that are open' }], () => [
    { name: 'realtime_sockets', value: d.sockets() },
  ]);
  return {
    seen: (req: IncomingMessage, route: string, status: number, seconds: number): void => {
      const method = req.method ?? '';
      const labels = { method, route, status };
      metrics.httpTotal.inc(labels);
      metrics.httpDuration.observe(labels, seconds);
      const one = (name: string): string => String(req.headers[name] ?? '');
      const flow = { requestId: one('x-request-id'), route, userId: null, dbQueries: 0 };
      d.access({ flow, method, status, seconds, clientIp: one('x-forwarded-for') || (req.socket.remoteAddress ?? '') });
    },
  };
};
