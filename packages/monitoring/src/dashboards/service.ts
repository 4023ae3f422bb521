import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const of = 'service="$service"';

function rate(metric: string, by: string): string {
  return `sum by (${by}) (rate(${metric}{${of}}[$__rate_interval]))`;
}

function quantile(value: number, metric: string, by = ''): string {
  return `histogram_quantile(${value}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket{${of}}[$__rate_interval])))`;
}

const now = [
  number('Instances', `sum(up{${of}})`, {
    description: 'Instances that respond to scrapes.',
    unit: 'short',
    floor: { red: 1 },
    alerts: ['ServiceDown'],
  }),
  number('Ready', `sum(service_ready{${of}})`, {
    description: 'Instances that accept requests.',
    unit: 'short',
    floor: { red: 1 },
    alerts: ['ServiceNotReady'],
  }),
  number('Running since', `min(time() - process_start_time_seconds{${of}})`, {
    description: 'Age of the youngest instance.',
    unit: 'dtdurations',
    alerts: ['ServiceRestarting'],
  }),
  number('Memory', `sum(process_resident_memory_bytes{${of}})`, {
    description: 'Resident memory of all instances.',
    unit: 'bytes',
  }),
  number('Processor', `sum(rate(process_cpu_seconds_total{${of}}[$__rate_interval]))`, {
    description: 'Cores in use, of all instances.',
    unit: 'short',
  }),
  number('Event loop', `max(nodejs_eventloop_lag_p99_seconds{${of}})`, {
    description: '99th percentile of the event loop delay.',
    unit: 's',
    thresholds: { orange: 0.1, red: 0.5 },
    alerts: ['EventLoopBlocked'],
  }),
];
const requests = [
  lines(
    'Requests',
    { expr: rate('http_requests_total', 'method, route, status'), legend: '{{method}} {{route}} {{status}}' },
    { description: 'Requests per second by route template and status.', unit: 'reqps', alerts: ['ServiceErrors'] },
  ),
  lines(
    'Time of an answer',
    { expr: quantile(0.95, 'http_request_duration_seconds', 'method, route'), legend: '{{method}} {{route}}' },
    { description: '95th percentile.', unit: 's' },
  ),
  lines(
    'Requests in progress',
    { expr: `sum by (instance) (http_requests_in_flight{${of}})`, legend: '{{instance}}' },
    { description: 'Started requests that have not ended.', unit: 'short' },
  ),
];
const database = [
  lines(
    'Time of a statement',
    [
      { expr: quantile(0.5, 'db_query_duration_seconds'), legend: 'half' },
      { expr: quantile(0.95, 'db_query_duration_seconds'), legend: '95 %' },
    ],
    {
      description: 'Measured by this service, including the network.',
      unit: 's',
      thresholds: { red: 0.5 },
      alerts: ['DatabaseSlow'],
    },
  ),
  lines(
    'Statements of a request',
    { expr: quantile(0.95, 'db_queries_per_request', 'method, route'), legend: '{{method}} {{route}}' },
    { description: '95th percentile by route.', unit: 'short' },
  ),
  lines(
    'Connections',
    [
      { expr: `sum by (state) (db_pool_connections{${of}})`, legend: '{{state}}' },
      { expr: `sum(db_pool_max_connections{${of}})`, legend: 'at most' },
      { expr: `sum(db_pool_waiting{${of}})`, legend: 'waiting callers' },
    ],
    {
      description: 'Connections of the pool by state; waiting callers mean that it is too small.',
      unit: 'short',
      alerts: ['DatabasePoolExhausted'],
    },
  ),
];
const bus = [
  lines(
    'Oldest event not sent',
    { expr: `max(outbox_oldest_seconds{${of}})`, legend: 'oldest' },
    {
      description: 'Age of the oldest message that is committed and not published.',
      unit: 's',
      thresholds: { red: 60 },
      alerts: ['OutboxBacklog'],
    },
  ),
  lines(
    'Events not sent',
    { expr: `max(outbox_pending{${of}})`, legend: 'pending' },
    { description: 'Messages committed and not published, at most 10,000.', unit: 'short' },
  ),
  lines(
    'Events not yet handled',
    { expr: `max by (consumer) (event_consumer_pending{${of}})`, legend: '{{consumer}}' },
    {
      description: 'Events that the broker has not delivered yet.',
      unit: 'short',
      thresholds: { red: 1000 },
      alerts: ['EventConsumerBehind'],
    },
  ),
  lines(
    'Events tried again',
    { expr: `max by (consumer) (event_consumer_retrying{${of}})`, legend: '{{consumer}}' },
    {
      description: 'Events whose handler failed; they are redelivered until it succeeds.',
      unit: 'short',
      thresholds: { red: 1 },
      alerts: ['EventConsumerStuck'],
    },
  ),
  states(
    'Dependencies',
    { expr: `min by (dependency) (dependency_up{${of}})`, legend: '{{dependency}}' },
    {
      description: '1 while it responds within two seconds.',
      unit: 'bool_yes_no',
      floor: { red: 1 },
      width: 8,
      alerts: ['DependencyDown'],
    },
  ),
  lines(
    'Cache',
    { expr: rate('cache_operations_total', 'cache, result'), legend: '{{cache}}: {{result}}' },
    { description: 'Look-ups per second.', unit: 'ops' },
  ),
];
const process = [
  lines(
    'Memory',
    [
      { expr: `sum by (instance) (process_resident_memory_bytes{${of}})`, legend: '{{instance}} resident' },
      { expr: `sum by (instance) (nodejs_heap_size_used_bytes{${of}})`, legend: '{{instance}} heap' },
    ],
    { description: 'Resident memory and heap.', unit: 'bytes' },
  ),
  lines(
    'Processor',
    { expr: `sum by (instance) (rate(process_cpu_seconds_total{${of}}[$__rate_interval]))`, legend: '{{instance}}' },
    { description: 'Cores in use.', unit: 'short' },
  ),
  lines(
    'Garbage collection',
    { expr: `sum by (kind) (rate(nodejs_gc_duration_seconds_sum{${of}}[$__rate_interval]))`, legend: '{{kind}}' },
    { description: 'Share of time spent in garbage collection.', unit: 'percentunit', thresholds: { red: 0.2 } },
  ),
];

export const service: DashboardSpec = {
  uid: 'overtone-service',
  title: 'Overtone: one service',
  description: 'All metrics of one service.',
  perService: true,
  rows: [
    { title: 'Now', panels: now },
    { title: 'Requests', panels: requests },
    { title: 'Database', panels: database },
    { title: 'Bus and dependencies', panels: bus },
    { title: 'Process', panels: process },
  ],
};
