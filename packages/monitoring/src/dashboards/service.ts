import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const of = 'service="$service"';

function rate(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}{${of}}[$__rate_interval]))`;
}

function quantile(value: number, metric: string, by = ''): string {
  return `histogram_quantile(${value}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket{${of}}[$__rate_interval])))`;
}

export const service: DashboardSpec = {
  uid: 'overtone-service',
  title: 'Overtone: one service',
  description: 'All metrics of one service.',
  perService: true,
  rows: [
    {
      title: 'Now',
      panels: [
        number('Instances', 'short', {
          queries: `sum(up{${of}})`,
          description: 'Instances that respond to scrapes.',
          floor: 1,
          alerts: ['ServiceDown'],
        }),
        number('Ready', 'short', {
          queries: `sum(service_ready{${of}})`,
          description: 'Instances that accept requests.',
          floor: 1,
          alerts: ['ServiceNotReady'],
        }),
        number('Running since', 'dtdurations', {
          queries: `min(time() - process_start_time_seconds{${of}})`,
          description: 'Age of the youngest instance.',
          alerts: ['ServiceRestarting'],
        }),
        number('Memory', 'bytes', {
          queries: `sum(process_resident_memory_bytes{${of}})`,
          description: 'Resident memory of all instances.',
        }),
        number('Processor', 'short', {
          queries: `sum(rate(process_cpu_seconds_total{${of}}[$__rate_interval]))`,
          description: 'Cores in use, of all instances.',
        }),
        number('Event loop', 's', {
          queries: `max(nodejs_eventloop_lag_p99_seconds{${of}})`,
          description: '99th percentile of the event loop delay.',
          thresholds: { orange: 0.1, red: 0.5 },
          alerts: ['EventLoopBlocked'],
        }),
      ],
    },
    {
      title: 'Requests',
      panels: [
        lines('Requests', 'reqps', {
          queries: { '{{method}} {{route}} {{status}}': rate('http_requests_total', 'method, route, status') },
          description: 'Requests per second by route template and status.',
          alerts: ['ServiceErrors'],
        }),
        lines('Time of an answer', 's', {
          queries: { '{{method}} {{route}}': quantile(0.95, 'http_request_duration_seconds', 'method, route') },
          description: '95th percentile.',
        }),
        lines('Requests in progress', 'short', {
          queries: { '{{instance}}': `sum by (instance) (http_requests_in_flight{${of}})` },
          description: 'Started requests that have not ended.',
        }),
      ],
    },
    {
      title: 'Database',
      panels: [
        lines('Time of a statement', 's', {
          queries: {
            half: quantile(0.5, 'db_query_duration_seconds'),
            '95 %': quantile(0.95, 'db_query_duration_seconds'),
          },
          description: 'Measured by this service, including the network.',
          thresholds: { red: 0.5 },
          alerts: ['DatabaseSlow'],
        }),
        lines('Statements of a request', 'short', {
          queries: { '{{method}} {{route}}': quantile(0.95, 'db_queries_per_request', 'method, route') },
          description: '95th percentile by route.',
        }),
        lines('Connections', 'short', {
          queries: {
            '{{state}}': `sum by (state) (db_pool_connections{${of}})`,
            'at most': `sum(db_pool_max_connections{${of}})`,
            'waiting callers': `sum(db_pool_waiting{${of}})`,
          },
          description: 'Connections of the pool by state; waiting callers mean that it is too small.',
          alerts: ['DatabasePoolExhausted'],
        }),
      ],
    },
    {
      title: 'Bus and dependencies',
      panels: [
        lines('Oldest event not sent', 's', {
          queries: { oldest: `max(outbox_oldest_seconds{${of}})` },
          description: 'Age of the oldest message that is committed and not published.',
          thresholds: { red: 60 },
          alerts: ['OutboxBacklog'],
        }),
        lines('Events not sent', 'short', {
          queries: { pending: `max(outbox_pending{${of}})` },
          description: 'Messages committed and not published, at most 10,000.',
        }),
        lines('Events not yet handled', 'short', {
          queries: { '{{consumer}}': `max by (consumer) (event_consumer_pending{${of}})` },
          description: 'Events that the broker has not delivered yet.',
          thresholds: { red: 1000 },
          alerts: ['EventConsumerBehind'],
        }),
        lines('Events tried again', 'short', {
          queries: { '{{consumer}}': `max by (consumer) (event_consumer_retrying{${of}})` },
          description: 'Events whose handler failed; they are redelivered until it succeeds.',
          thresholds: { red: 1 },
          alerts: ['EventConsumerStuck'],
        }),
        states('Dependencies', 'bool_yes_no', {
          queries: { '{{dependency}}': `min by (dependency) (dependency_up{${of}})` },
          description: '1 while it responds within two seconds.',
          floor: 1,
          width: 8,
          alerts: ['DependencyDown'],
        }),
        lines('Cache', 'ops', {
          queries: { '{{cache}}: {{result}}': rate('cache_operations_total', 'cache, result') },
          description: 'Look-ups per second.',
        }),
      ],
    },
    {
      title: 'Process',
      panels: [
        lines('Memory', 'bytes', {
          queries: {
            '{{instance}} resident': `sum by (instance) (process_resident_memory_bytes{${of}})`,
            '{{instance}} heap': `sum by (instance) (nodejs_heap_size_used_bytes{${of}})`,
          },
          description: 'Resident memory and heap.',
        }),
        lines('Processor', 'short', {
          queries: { '{{instance}}': `sum by (instance) (rate(process_cpu_seconds_total{${of}}[$__rate_interval]))` },
          description: 'Cores in use.',
        }),
        lines('Garbage collection', 'percentunit', {
          queries: { '{{kind}}': `sum by (kind) (rate(nodejs_gc_duration_seconds_sum{${of}}[$__rate_interval]))` },
          description: 'Share of time spent in garbage collection.',
          thresholds: { red: 0.2 },
        }),
      ],
    },
  ],
};
