import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const of = 'service="$service"';
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{${of}}[$__rate_interval]))`;
const quantile = (q: number, metric: string, by = ''): string =>
  `histogram_quantile(${q}, sum by (${by ? `${by}, ` : ''}le) (rate(${metric}_bucket{${of}}[$__rate_interval])))`;

const now = [
  number('Instances', `sum(up{${of}})`, {
    says: 'Instances that answer a scrape.',
    unit: 'short',
    floor: { red: 1 },
    alerts: ['ServiceDown'],
  }),
  number('Ready', `sum(service_ready{${of}})`, {
    says: 'Instances that take requests.',
    unit: 'short',
    floor: { red: 1 },
    alerts: ['ServiceNotReady'],
  }),
  number('Running since', `min(time() - process_start_time_seconds{${of}})`, {
    says: 'Age of the youngest instance.',
    unit: 'dtdurations',
    alerts: ['ServiceRestarting'],
  }),
  number('Memory', `sum(process_resident_memory_bytes{${of}})`, {
    says: 'Resident memory of all instances.',
    unit: 'bytes',
  }),
  number('Processor', `sum(rate(process_cpu_seconds_total{${of}}[$__rate_interval]))`, {
    says: 'Cores in use, of all instances.',
    unit: 'short',
  }),
  number('Event loop', `max(nodejs_eventloop_lag_p99_seconds{${of}})`, {
    says: 'One in a hundred turns is later than this.',
    unit: 's',
    thresholds: { orange: 0.1, red: 0.5 },
    alerts: ['EventLoopBlocked'],
  }),
];
const requests = [
  lines(
    'Requests',
    { expr: rate('http_requests_total', 'method, route, status'), legend: '{{method}} {{route}} {{status}}' },
    { says: 'Requests per second by route template and status.', unit: 'reqps', alerts: ['ServiceErrors'] },
  ),
  lines(
    'Time of an answer',
    { expr: quantile(0.95, 'http_request_duration_seconds', 'method, route'), legend: '{{method}} {{route}}' },
    { says: '95 % are quicker.', unit: 's' },
  ),
  lines(
    'Requests under way',
    { expr: `sum by (instance) (http_requests_in_flight{${of}})`, legend: '{{instance}}' },
    { says: 'Begun and not ended.', unit: 'short' },
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
      says: 'As this service sees it, with the way there and back.',
      unit: 's',
      thresholds: { red: 0.5 },
      alerts: ['DatabaseSlow'],
    },
  ),
  lines(
    'Statements of a request',
    { expr: quantile(0.95, 'db_queries_per_request', 'method, route'), legend: '{{method}} {{route}}' },
    { says: '95 % of the requests of a route need fewer.', unit: 'short' },
  ),
  lines(
    'Connections',
    [
      { expr: `sum by (state) (db_pool_connections{${of}})`, legend: '{{state}}' },
      { expr: `sum(db_pool_max_connections{${of}})`, legend: 'at most' },
      { expr: `sum(db_pool_waiting{${of}})`, legend: 'waiting callers' },
    ],
    {
      says: 'The pool: idle ones are kept, waiting callers are too many.',
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
      says: 'Age of the oldest message that is committed and not on the bus.',
      unit: 's',
      thresholds: { red: 60 },
      alerts: ['OutboxBacklog'],
    },
  ),
  lines(
    'Events not sent',
    { expr: `max(outbox_pending{${of}})`, legend: 'pending' },
    { says: 'Messages committed and not on the bus, at most 10,000.', unit: 'short' },
  ),
  lines(
    'Events not yet handled',
    { expr: `max by (consumer) (event_consumer_pending{${of}})`, legend: '{{consumer}}' },
    {
      says: 'Events the broker has not delivered yet.',
      unit: 'short',
      thresholds: { red: 1000 },
      alerts: ['EventConsumerBehind'],
    },
  ),
  lines(
    'Events tried again',
    { expr: `max by (consumer) (event_consumer_retrying{${of}})`, legend: '{{consumer}}' },
    {
      says: 'Events whose handler failed; they go again and again until it does not.',
      unit: 'short',
      thresholds: { red: 1 },
      alerts: ['EventConsumerStuck'],
    },
  ),
  states(
    'Dependencies',
    { expr: `min by (dependency) (dependency_up{${of}})`, legend: '{{dependency}}' },
    {
      says: '1 while it answers within two seconds.',
      unit: 'bool_yes_no',
      floor: { red: 1 },
      width: 8,
      alerts: ['DependencyDown'],
    },
  ),
  lines(
    'Cache',
    { expr: rate('cache_operations_total', 'cache, result'), legend: '{{cache}}: {{result}}' },
    { says: 'Look-ups per second.', unit: 'ops' },
  ),
];
const process = [
  lines(
    'Memory',
    [
      { expr: `sum by (instance) (process_resident_memory_bytes{${of}})`, legend: '{{instance}} resident' },
      { expr: `sum by (instance) (nodejs_heap_size_used_bytes{${of}})`, legend: '{{instance}} heap' },
    ],
    { says: 'Resident memory and what of it is heap.', unit: 'bytes' },
  ),
  lines(
    'Processor',
    { expr: `sum by (instance) (rate(process_cpu_seconds_total{${of}}[$__rate_interval]))`, legend: '{{instance}}' },
    { says: 'Cores in use.', unit: 'short' },
  ),
  lines(
    'Garbage collection',
    { expr: `sum by (kind) (rate(nodejs_gc_duration_seconds_sum{${of}}[$__rate_interval]))`, legend: '{{kind}}' },
    { says: 'Share of the time that it takes.', unit: 'percentunit', thresholds: { red: 0.2 } },
  ),
];

export const service: DashboardSpec = {
  uid: 'overtone-service',
  title: 'Overtone: one service',
  description: 'Everything a single service tells of itself.',
  perService: true,
  rows: [
    { title: 'Now', panels: now },
    { title: 'Requests', panels: requests },
    { title: 'Database', panels: database },
    { title: 'Bus and dependencies', panels: bus },
    { title: 'Process', panels: process },
  ],
};
