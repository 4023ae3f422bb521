import { legStatus } from '@overtone/contracts';
import type { Metrics } from '@overtone/service-kit';
import { Counter, Histogram } from 'prom-client';

/** Metrics of search; counters start at 0, so that they are never missing. */
export function createTelemetry({ registry }: Pick<Metrics, 'registry'>) {
  const registers = [registry];
  /** A leg that does not run degrades results silently: alert on all outcomes except ok and not_asked. */
  const legs = new Counter({
    name: 'search_legs_total',
    help: 'Index queries by leg and outcome',
    labelNames: ['leg', 'outcome'] as const,
    registers,
  });
  for (const leg of ['keyword', 'semantic']) for (const outcome of legStatus.options) legs.inc({ leg, outcome }, 0);
  const search = new Histogram({
    name: 'search_duration_seconds',
    help: 'Time of a search inside the service',
    buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  });
  const indexed = new Counter({
    name: 'search_files_indexed_total',
    help: 'Files whose rows were written, by kind of search they serve',
    labelNames: ['kind'] as const,
    registers,
  });
  for (const kind of ['keyword', 'semantic']) indexed.inc({ kind }, 0);
  return { legs, search, indexed };
}

export type Telemetry = ReturnType<typeof createTelemetry>;
