import type { DashboardSpec } from '../dashboard.ts';
import { bars, lines, number, states } from '../panel.ts';

const edge = 'service="edge-gateway"';
const quantile = (q: number): string =>
  `histogram_quantile(${q}, sum by (le) (rate(http_request_duration_seconds_bucket{${edge},route!~".+/(content|export)|unknown"}[$__rate_interval])))`;

const now = [
  number('Services down', 'count(up{job="overtone"} == 0) or vector(0)', {
    says: 'Instances that did not answer the last scrape. Should be 0.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['ServiceDown', 'ServiceMissing'],
  }),
  number('Services not ready', 'count(max by (service) (service_ready) == 0) or vector(0)', {
    says: 'Services without any instance that takes requests. Should be 0.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['ServiceNotReady'],
  }),
  number('Alerts firing', 'count(ALERTS{alertstate="firing"}) or vector(0)', {
    says: 'Alerts of all rules that fire at this moment.',
    unit: 'short',
    thresholds: { orange: 1, red: 5 },
  }),
  number('Errors', 'edge:http_errors:ratio_rate5m', {
    says: 'Share of requests at the edge that ended in a 5xx; 0.1 % are promised.',
    unit: 'percentunit',
    thresholds: { orange: 0.001, red: 0.01 },
    alerts: ['HttpErrorsBurnFast', 'HttpErrorsBurnSlow'],
  }),
  number('Slow reads', 'edge:http_slow_reads:ratio_rate5m', {
    says: 'Share of reads that took longer than a second; 1 % are promised.',
    unit: 'percentunit',
    thresholds: { orange: 0.01, red: 0.1 },
    alerts: ['HttpReadsSlow'],
  }),
  number('Recordings taken in today', 'sum(increase(files_uploaded_total[1d]))', {
    says: 'Files taken in during the last 24 hours.',
    unit: 'short',
  }),
];

const traffic = [
  lines(
    'Requests',
    { expr: 'sum by (service) (rate(http_requests_total[$__rate_interval]))', legend: '{{service}}' },
    {
      says: 'Requests answered per second. The edge counts what comes from outside, the others what the edge passes on.',
      unit: 'reqps',
    },
  ),
  lines(
    'Errors',
    { expr: 'service:http_errors:ratio_rate5m', legend: '{{service}}' },
    {
      says: 'Share of requests that ended in a 5xx, by service: the one that causes them and those that pass them on.',
      unit: 'percentunit',
      thresholds: { red: 0.05 },
      alerts: ['ServiceErrors'],
    },
  ),
  lines(
    'Time of an answer at the edge',
    [
      { expr: quantile(0.5), legend: 'half' },
      { expr: quantile(0.95), legend: '95 %' },
      { expr: quantile(0.99), legend: '99 %' },
    ],
    { says: 'From the request to the last byte, without downloads and exports.', unit: 's', thresholds: { red: 1 } },
  ),
  bars(
    'Slowest routes',
    {
      expr: `topk(10, histogram_quantile(0.95, sum by (method, route, le) (rate(http_request_duration_seconds_bucket{${edge}}[15m]))))`,
      legend: '{{method}} {{route}}',
    },
    { says: '95 % of the requests of a route are quicker, over a quarter of an hour.', unit: 's' },
  ),
  lines(
    'Requests under way',
    { expr: 'sum by (service) (http_requests_in_flight)', legend: '{{service}}' },
    {
      says: 'Requests begun and not ended: uploads, downloads and sockets stay for long.',
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
      says: 'Orders that wait for a worker. More about them on the dashboard of the queues.',
      unit: 'short',
      stacked: true,
      alerts: ['QueueWithoutWorker'],
    },
  ),
  lines(
    'Recordings taken in',
    { expr: 'sum by (source) (increase(files_uploaded_total[$__rate_interval]))', legend: '{{source}}' },
    {
      says: 'Files taken in, by how they came.',
      unit: 'short',
      stacked: true,
    },
  ),
  lines(
    'People connected',
    { expr: 'sum(realtime_sockets)', legend: 'sockets' },
    {
      says: 'Authenticated sockets of browsers that hear of news.',
      unit: 'short',
    },
  ),
];

const dependencies = [
  states(
    'Dependencies',
    { expr: 'min by (service, dependency) (dependency_up)', legend: '{{service}}: {{dependency}}' },
    {
      says: '1 while a dependency answers within two seconds. Database and broker make a service unready; the others degrade it.',
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
      says: 'Age of the oldest message that is committed and not on the bus. Seconds are normal.',
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
      says: 'Bytes left where the object store is a folder; empty where it is a bucket, whose server tells it.',
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
  description: 'Is it up, is it as good as promised, and does the work get done.',
  rows: [
    { title: 'Now', panels: now },
    { title: 'Requests', panels: traffic },
    { title: 'Recordings', panels: recordings },
    { title: 'What it stands on', panels: dependencies },
  ],
};
