import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LineSink } from './line-sink.ts';
import { standardOutput } from './log.ts';
import { watch, type Reading, type Watched } from './watched.ts';

/** Specification, "Health and metrics": names and labels to the letter; the upper bucket is 600 s. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** A timer of 10 ms, the default, takes two thirds of a percent of a core in every idle process. Milliseconds. */
const eventLoopMonitoringPrecision = 50;

export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics every service exposes at `/metrics`. `route` is always a route template, never a raw path. */
export function createMetrics(output: LineSink = standardOutput) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  const registers = [registry];
  const http = ['method', 'route', 'status'] as const;
  const cacheOps = new Counter({
    name: 'cache_operations_total',
    help: 'Cache look-ups',
    labelNames: ['cache', 'result'] as const,
    registers,
  });
  // A series that begins with its first event has no rate at that moment: alerts and panels would miss it.
  for (const cache of ['redis', 'settings']) for (const result of ['hit', 'miss']) cacheOps.inc({ cache, result }, 0);
  const unhandledErrors = new Counter({
    name: 'process_unhandled_errors_total',
    help: 'Errors that no code handled: uncaught exceptions and rejections, processes that stopped responding',
    labelNames: ['kind'] as const,
    registers,
  });
  for (const kind of ['uncaught_exception', 'unhandled_rejection', 'unresponsive']) unhandledErrors.inc({ kind }, 0);
  registry.registerMetric(countDroppedLines(output));
  return {
    registry,
    unhandledErrors,
    httpDuration: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from request to last byte of the answer',
      labelNames: http,
      buckets: httpBuckets,
      registers,
    }),
    httpTotal: new Counter({ name: 'http_requests_total', help: 'Requests answered', labelNames: http, registers }),
    httpInFlight: new Gauge({ name: 'http_requests_in_flight', help: 'Requests in progress', registers }),
    dbDuration: new Histogram({
      name: 'db_query_duration_seconds',
      help: 'Time of one SQL statement',
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),
    dbPerRequest: new Histogram({
      name: 'db_queries_per_request',
      help: 'SQL statements per request',
      labelNames: ['method', 'route'] as const,
      buckets: [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 100],
      registers,
    }),
    cacheOps,
    /** Gauges that are read on every scrape: one read fills them all. */
    watch: (gauges: readonly Watched[], read: Reading) => watch(registry, gauges, read),
  };
}

function countDroppedLines(output: LineSink) {
  return new Counter({
    name: 'log_lines_dropped_total',
    help: 'Log lines that could not be written',
    registers: [],
    collect() {
      this.reset();
      this.inc(output.dropped());
    },
  });
}
