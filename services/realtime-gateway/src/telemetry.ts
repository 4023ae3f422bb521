import type { Metrics } from '@overtone/service-kit';
import { Gauge } from 'prom-client';

export const createTelemetry = (metrics: Metrics, sockets: () => number) =>
  new Gauge({
    name: 'realtime_sockets',
    help: 'Authenticated sockets that are open',
    registers: [metrics.registry],
    collect() {
      this.set(sockets());
    },
  });
