import type { DashboardSpec } from '../dashboard.ts';
import { lines, states } from '../panel.ts';

const indexer = 'service="search-indexer"';

function quantile(value: number): string {
  return `histogram_quantile(${value}, sum by (le) (rate(search_duration_seconds_bucket[$__rate_interval])))`;
}

const searches = [
  lines(
    'Searches',
    { expr: 'sum(rate(search_duration_seconds_count[$__rate_interval]))', legend: 'searches' },
    { description: 'Searches per second.', unit: 'reqps' },
  ),
  lines(
    'Time of a search',
    [
      { expr: quantile(0.5), legend: 'half' },
      { expr: quantile(0.95), legend: '95 %' },
      { expr: quantile(0.99), legend: '99 %' },
    ],
    { description: 'Inside the service.', unit: 's', thresholds: { red: 1 }, alerts: ['SearchSlow'] },
  ),
  lines(
    'Legs',
    { expr: 'sum by (leg, outcome) (rate(search_legs_total[$__rate_interval]))', legend: '{{leg}}: {{outcome}}' },
    {
      description:
        'Outcome of the legs. Any value except ok and not_asked means incomplete results, which the page shows.',
      unit: 'ops',
      alerts: ['SearchLegFailing'],
    },
  ),
];
const index = [
  lines(
    'Files indexed',
    { expr: 'sum by (kind) (rate(search_files_indexed_total[$__rate_interval]))', legend: '{{kind}}' },
    { description: 'Files whose rows were written, by kind of search.', unit: 'ops' },
  ),
  lines(
    'Tasks of the index',
    { expr: 'max by (queue) (celery_queue_depth{queue=~"cpu|embedding|utility"})', legend: '{{queue}}' },
    { description: 'Tasks that wait in the queues of the indexer.', unit: 'short' },
  ),
  lines(
    'Events not yet followed',
    { expr: `max by (consumer) (event_consumer_pending{${indexer}})`, legend: '{{consumer}}' },
    {
      description: 'Edits, shares and deletions that are not yet in the index.',
      unit: 'short',
      thresholds: { red: 1000 },
      alerts: ['EventConsumerBehind', 'EventConsumerStuck'],
    },
  ),
  states(
    'What the index stands on',
    { expr: `min by (dependency) (dependency_up{${indexer}})`, legend: '{{dependency}}' },
    {
      description: '1 while it responds within two seconds.',
      unit: 'bool_yes_no',
      floor: { red: 1 },
      alerts: ['DependencyDown'],
    },
  ),
  lines(
    'Answers of the search API',
    {
      expr: `sum by (route, status) (rate(http_requests_total{${indexer}}[$__rate_interval]))`,
      legend: '{{route}} {{status}}',
    },
    { description: 'Requests per second.', unit: 'reqps', width: 12 },
  ),
];

export const search: DashboardSpec = {
  uid: 'overtone-search',
  title: 'Overtone: search',
  description: 'Completeness and speed of the search.',
  rows: [
    { title: 'Searches', panels: searches },
    { title: 'The index', panels: index },
  ],
};
