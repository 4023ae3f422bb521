import type { DashboardSpec } from '../dashboard.ts';
import { bars, lines, number, states } from '../panel.ts';

const edge = 'service="edge-gateway"';

function quantile(value: number): string {
  return `histogram_quantile(${value}, sum by (le) (rate(http_request_duration_seconds_bucket{${edge},route!~".+/(content|export)|unknown"}[$__rate_interval])))`;
}

const now = [
  number('Services down', 'count(up{job="overtone"} == 0) or vector(0)', {
    description: 'Instances that did not respond to the last scrape. Should be 0.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['ServiceDown', 'ServiceMissing'],
  }),
  number('Services not ready', 'count(max by (service) (service_ready) == 0) or vector(0)', {
    description: 'Services without an instance that accepts requests. Should be 0.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['ServiceNotReady'],
  }),
  number('Alerts firing', 'count(ALERTS{alertstate="firing"}) or vector(0)', {
    description: 'Alerts of all rules that are firing now.',
    unit: 'short',
    thresholds: { orange: 1, red: 5 },
  }),
  number('Errors', 'edge:http_errors:ratio_rate5m', {
    description: 'Share of requests at the edge that ended in a 5xx; the objective is 0.1 %.',
    unit: 'percentunit',
    thresholds: { orange: 0.001, red: 0.01 },
    alerts: ['HttpErrorsBurnFast', 'HttpErrorsBurnSlow'],
  }),
  number('Slow reads', 'edge:http_slow_reads:ratio_rate5m', {
    description: 'Share of reads that took longer than a second; the objective is 1 %.',
    unit: 'percentunit',
    thresholds: { orange: 0.01, red: 0.1 },
    alerts: ['HttpReadsSlow'],
  }),
  number('Recordings uploaded today', 'sum(increase(files_uploaded_total[1d]))', {
    description: 'Files uploaded during the last 24 hours.',
    unit: 'short',
  }),
];

const traffic = [
  lines(
    'Requests',
    { expr: 'sum by (service) (rate(http_requests_total[$__rate_interval]))', legend: '{{service}}' },
    {
      description:
        'Requests per second. The edge counts external requests, the other services those that the edge forwards.',
      unit: 'reqps',
    },
  ),
  lines(
    'Errors',
    { expr: 'service:http_errors:ratio_rate5m', legend: '{{service}}' },
    {
      description:
        'Share of requests that ended in a 5xx, by service: the service that causes them and those that forward them.',
      unit: 'percentunit',
      thresholds: { red: 0.05 },
      alerts: ['ServiceErrors'],
    },
  ),
  lines(
    'Response time at the edge',
    [
      { expr: quantile(0.5), legend: 'half' },
      { expr: quantile(0.95), legend: '95 %' },
      { expr: quantile(0.99), legend: '99 %' },
    ],
    {
      description: 'From the request to the last byte, without downloads and exports.',
      unit: 's',
      thresholds: { red: 1 },
    },
  ),
  bars(
    'Slowest routes',
    {
      expr: `topk(10, histogram_quantile(0.95, sum by (method, route, le) (rate(http_request_duration_seconds_bucket{${edge}}[15m]))))`,
      legend: '{{method}} {{route}}',
    },
    { description: '95th percentile by route, over 15 minutes.', unit: 's' },
  ),
  lines(
    'Requests in progress',
    { expr: 'sum by (service) (http_requests_in_flight)', legend: '{{service}}' },
    {
      description: 'Started requests that have not ended; uploads, downloads and sockets take long.',
      unit: 'short',
      width: 12,
      height: 10,
    },
  ),
];

const recordings = [
  lines(
    'Tasks waiting',
    { expr: 'max by (queue) (celery_queue_depth)', legend: '{{queue}}' },
    {
      description: 'Tasks that wait for a worker. Details are on the queues dashboard.',
      unit: 'short',
      stacked: true,
      alerts: ['QueueWithoutWorker'],
    },
  ),
  lines(
    'Recordings uploaded',
    { expr: 'sum by (source) (increase(files_uploaded_total[$__rate_interval]))', legend: '{{source}}' },
    {
      description: 'Uploaded files by source.',
      unit: 'short',
      stacked: true,
    },
  ),
  lines(
    'Connected users',
    { expr: 'sum(realtime_sockets)', legend: 'sockets' },
    {
      description: 'Authenticated push sockets of browsers.',
      unit: 'short',
    },
  ),
];

const dependencies = [
  states(
    'Dependencies',
    { expr: 'min by (service, dependency) (dependency_up)', legend: '{{service}}: {{dependency}}' },
    {
      description:
        '1 while a dependency responds within two seconds. Database and broker make a service unready; the others degrade it.',
      unit: 'bool_yes_no',
      floor: { red: 1 },
      height: 12,
      alerts: ['DependencyDown'],
    },
  ),
  lines(
    'Oldest event not sent',
    { expr: 'max by (service) (outbox_oldest_seconds)', legend: '{{service}}' },
    {
      description: 'Age of the oldest message that is committed and not published. Seconds are normal.',
      unit: 's',
      thresholds: { red: 60 },
      width: 6,
      height: 12,
      alerts: ['OutboxBacklog'],
    },
  ),
  lines(
    'Room for recordings',
    { expr: 'min by (instance) (object_store_free_bytes)', legend: '{{instance}}' },
    {
      description: 'Free bytes when the object store is a folder; empty when it is a bucket.',
      unit: 'bytes',
      width: 6,
      height: 12,
      alerts: ['StorageFilling'],
    },
  ),
];

export const overview: DashboardSpec = {
  uid: 'overtone-overview',
  title: 'Overtone: overview',
  description: 'Availability, service level objectives and progress of the work.',
  rows: [
    { title: 'Now', panels: now },
    { title: 'Requests', panels: traffic },
    { title: 'Recordings', panels: recordings },
    { title: 'What it stands on', panels: dependencies },
  ],
};
