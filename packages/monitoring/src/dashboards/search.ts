import type { DashboardSpec } from '../dashboard.ts';
import { lines, states } from '../panel.ts';

const indexer = 'service="search-indexer"';

function quantile(value: number): string {
  return `histogram_quantile(${value}, sum by (le) (rate(search_duration_seconds_bucket[$__rate_interval])))`;
}

export const search: DashboardSpec = {
  uid: 'overtone-search',
  title: 'Overtone: search',
  description: 'Completeness and speed of the search.',
  rows: [
    {
      title: 'Searches',
      panels: [
        lines('Searches', 'reqps', {
          queries: { searches: 'sum(rate(search_duration_seconds_count[$__rate_interval]))' },
          description: 'Searches per second.',
        }),
        lines('Time of a search', 's', {
          queries: { half: quantile(0.5), '95 %': quantile(0.95), '99 %': quantile(0.99) },
          description: 'Inside the service.',
          thresholds: { red: 1 },
          alerts: ['SearchSlow'],
        }),
        lines('Legs', 'ops', {
          queries: { '{{leg}}: {{outcome}}': 'sum by (leg, outcome) (rate(search_legs_total[$__rate_interval]))' },
          description:
            'Outcome of the legs. Any value except ok and not_asked means incomplete results, which the page shows.',
          alerts: ['SearchLegFailing'],
        }),
      ],
    },
    {
      title: 'The index',
      panels: [
        lines('Files indexed', 'ops', {
          queries: { '{{kind}}': 'sum by (kind) (rate(search_files_indexed_total[$__rate_interval]))' },
          description: 'Files whose rows were written, by kind of search.',
        }),
        lines('Tasks of the index', 'short', {
          queries: { '{{queue}}': 'max by (queue) (celery_queue_depth{queue=~"cpu|embedding|utility"})' },
          description: 'Tasks that wait in the queues of the indexer.',
        }),
        lines('Events not yet followed', 'short', {
          queries: { '{{consumer}}': `max by (consumer) (event_consumer_pending{${indexer}})` },
          description: 'Edits, shares and deletions that are not yet in the index.',
          thresholds: { red: 1000 },
          alerts: ['EventConsumerBehind', 'EventConsumerStuck'],
        }),
        states('What the index stands on', 'bool_yes_no', {
          queries: { '{{dependency}}': `min by (dependency) (dependency_up{${indexer}})` },
          description: '1 while it responds within two seconds.',
          floor: 1,
          alerts: ['DependencyDown'],
        }),
        lines('Answers of the search API', 'reqps', {
          queries: {
            '{{route}} {{status}}': `sum by (route, status) (rate(http_requests_total{${indexer}}[$__rate_interval]))`,
          },
          description: 'Requests per second.',
          width: 12,
        }),
      ],
    },
  ],
};
