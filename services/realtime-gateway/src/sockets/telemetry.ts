import type { IncomingMessage } from 'node:http';
import type { Metrics } from '@overtone/service-kit';

/**
 * Metrics of the push channel. Its listener does not use the kit's routes, so its requests are counted here.
 * The edge writes their access log, because it knows the user and there are no database queries to count.
 */
export function createTelemetry(metrics: Metrics, { sockets }: { sockets: () => number }) {
  metrics.watch([{ name: 'realtime_sockets', help: 'Authenticated sockets that are open' }], () => [
    { name: 'realtime_sockets', value: sockets() },
  ]);
  return {
    recordRequest: (req: IncomingMessage, route: string, status: number, seconds: number): void => {
      const method = req.method ?? '';
      const labels = { method, route, status };
      metrics.httpTotal.inc(labels);
      metrics.httpDuration.observe(labels, seconds);
    },
  };
}
