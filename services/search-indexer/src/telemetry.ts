import type { Metrics } from '@overtone/service-kit';
import { Counter, Histogram } from 'prom-client';

export const createTelemetry = ({ registry }: Pick<Metrics, 'registry'>) => ({
  /** A leg that does not run makes answers worse without anybody noticing: alert on anything but ok and not_asked. */
  legs: new Counter({
    name: 'search_legs_total',
    help: 'Searches by leg and its outcome',
    labelNames: ['leg', 'outcome'] as const,
    registers: [registry],
  }),
  search: new Histogram({
    name: 'search_duration_seconds',
    help: 'Time of a search inside the service',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  }),
  indexed: new Counter({
    name: 'search_files_indexed_total',
    help: 'Files whose rows were written, by kind of search they serve',
    labelNames: ['kind'] as const,
    registers: [registry],
  }),
});
export type Telemetry = ReturnType<typeof createTelemetry>;
