import type { DashboardSpec } from '../dashboard.ts';
import { bars, lines, number, states } from '../panel.ts';

const edge = 'service="edge-gateway"';

function quantile(value: number): string {
  return `histogram_quantile(${value}, sum by (le) (rate(http_request_duration_seconds_bucket{${edge},route!~".+/(content|export)|unknown"}[$__rate_interval])))`;
}

export const overview: DashboardSpec = {
  uid: 'overtone-overview',
  title: 'Overtone: overview',
  description: 'Availability, service level objectives and progress of the work.',
  rows: [
    {
      title: 'Now',
      panels: [
        number('Services down', 'short', {
          queries: 'count(up{job="overtone"} == 0) or vector(0)',
          description: 'Instances that did not respond to the last scrape. Should be 0.',
          thresholds: { red: 1 },
          alerts: ['ServiceDown', 'ServiceMissing'],
        }),
        number('Services not ready', 'short', {
          queries: 'count(max by (service) (service_ready) == 0) or vector(0)',
          description: 'Services without an instance that accepts requests. Should be 0.',
          thresholds: { red: 1 },
          alerts: ['ServiceNotReady'],
        }),
        number('Alerts firing', 'short', {
          queries: 'count(ALERTS{alertstate="firing"}) or vector(0)',
          description: 'Alerts of all rules that are firing now.',
          thresholds: { orange: 1, red: 5 },
        }),
        number('Errors', 'percentunit', {
          queries: 'edge:http_errors:ratio_rate5m',
          description: 'Share of requests at the edge that ended in a 5xx; the objective is 0.1 %.',
          thresholds: { orange: 0.001, red: 0.01 },
          alerts: ['HttpErrorsBurnFast', 'HttpErrorsBurnSlow'],
        }),
        number('Slow reads', 'percentunit', {
          queries: 'edge:http_slow_reads:ratio_rate5m',
          description: 'Share of reads that took longer than a second; the objective is 1 %.',
          thresholds: { orange: 0.01, red: 0.1 },
          alerts: ['HttpReadsSlow'],
        }),
        number('Recordings uploaded today', 'short', {
          queries: 'sum(increase(files_uploaded_total[1d]))',
          description: 'Files uploaded during the last 24 hours.',
        }),
      ],
    },
    {
      title: 'Requests',
      panels: [
        lines('Requests', 'reqps', {
          queries: { '{{service}}': 'sum by (service) (rate(http_requests_total[$__rate_interval]))' },
          description:
            'Requests per second. The edge counts external requests, the other services those that the edge forwards.',
        }),
        lines('Errors', 'percentunit', {
          queries: { '{{service}}': 'service:http_errors:ratio_rate5m' },
          description:
            'Share of requests that ended in a 5xx, by service: the service that causes them and those that forward them.',
          thresholds: { red: 0.05 },
          alerts: ['ServiceErrors'],
        }),
        lines('Response time at the edge', 's', {
          queries: { half: quantile(0.5), '95 %': quantile(0.95), '99 %': quantile(0.99) },
          description: 'From the request to the last byte, without downloads and exports.',
          thresholds: { red: 1 },
        }),
        bars('Slowest routes', 's', {
          queries: {
            '{{method}} {{route}}': `topk(10, histogram_quantile(0.95, sum by (method, route, le) (rate(http_request_duration_seconds_bucket{${edge}}[15m]))))`,
          },
          description: '95th percentile by route, over 15 minutes.',
        }),
        lines('Requests in progress', 'short', {
          queries: { '{{service}}': 'sum by (service) (http_requests_in_flight)' },
          description: 'Started requests that have not ended; uploads, downloads and sockets take long.',
          width: 12,
          height: 10,
        }),
      ],
    },
    {
      title: 'Recordings',
      panels: [
        lines('Tasks waiting', 'short', {
          queries: { '{{queue}}': 'max by (queue) (celery_queue_depth)' },
          description: 'Tasks that wait for a worker. Details are on the queues dashboard.',
          stacked: true,
          alerts: ['QueueWithoutWorker'],
        }),
        lines('Recordings uploaded', 'short', {
          queries: { '{{source}}': 'sum by (source) (increase(files_uploaded_total[$__rate_interval]))' },
          description: 'Uploaded files by source.',
          stacked: true,
        }),
        lines('Connected users', 'short', {
          queries: { sockets: 'sum(realtime_sockets)' },
          description: 'Authenticated push sockets of browsers.',
        }),
      ],
    },
    {
      title: 'What it stands on',
      panels: [
        states('Dependencies', 'bool_yes_no', {
          queries: { '{{service}}: {{dependency}}': 'min by (service, dependency) (dependency_up)' },
          description:
            '1 while a dependency responds within two seconds. Database and broker make a service unready; the others degrade it.',
          floor: 1,
          height: 12,
          alerts: ['DependencyDown'],
        }),
        lines('Oldest event not sent', 's', {
          queries: { '{{service}}': 'max by (service) (outbox_oldest_seconds)' },
          description: 'Age of the oldest message that is committed and not published. Seconds are normal.',
          thresholds: { red: 60 },
          width: 6,
          height: 12,
          alerts: ['OutboxBacklog'],
        }),
        lines('Room for recordings', 'bytes', {
          queries: { '{{instance}}': 'min by (instance) (object_store_free_bytes)' },
          description: 'Free bytes when the object store is a folder; empty when it is a bucket.',
          width: 6,
          height: 12,
          alerts: ['StorageFilling'],
        }),
        states('Watch sources', 'bool_yes_no', {
          queries: { '{{source}}': 'min by (source) (media_watch_source_up)' },
          description: '1 while a watched folder or bucket can be read and is scanned.',
          floor: 1,
          height: 8,
          alerts: ['WatchSourceDown'],
        }),
      ],
    },
  ],
};
