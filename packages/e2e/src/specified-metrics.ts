import { queues } from '@overtone/contracts';

/** One metric of the specification ("Health and metrics"): type, labels, and label values. */
export type SpecifiedMetric = {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: readonly string[];
  /** The exact set of values of a label; other labels may have any value. */
  values?: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram. */
  bounds?: readonly number[];
};

function bounds(...all: number[]): readonly number[] {
  return [...all, Infinity];
}

/** Metrics of every service. */
export const everywhere: readonly SpecifiedMetric[] = [
  {
    name: 'http_request_duration_seconds',
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    // "buckets to 600 s"
    bounds: bounds(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600),
  },
  { name: 'http_requests_total', type: 'counter', labels: ['method', 'route', 'status'] },
  { name: 'http_requests_in_flight', type: 'gauge', labels: [] },
  {
    name: 'db_query_duration_seconds',
    type: 'histogram',
    labels: [],
    bounds: bounds(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30),
  },
  {
    name: 'db_queries_per_request',
    type: 'histogram',
    labels: ['method', 'route'],
    bounds: bounds(0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 100),
  },
  {
    name: 'cache_operations_total',
    type: 'counter',
    labels: ['cache', 'result'],
    values: { cache: ['redis', 'settings'], result: ['hit', 'miss'] },
  },
];

const ofQueue = { type: 'gauge', labels: ['queue'], values: { queue: queues } } as const;
/** The four queue gauges of `/metrics/queues`. */
export const queueGauges: readonly SpecifiedMetric[] = [
  { name: 'celery_queue_depth', ...ofQueue },
  { name: 'celery_queue_reserved', ...ofQueue },
  { name: 'celery_queue_orphaned', ...ofQueue },
  { name: 'celery_queue_oldest_unacked_age_seconds', ...ofQueue },
];

/** Metrics of one service. */
export const ofOneService: Readonly<Record<string, readonly SpecifiedMetric[]>> = {
  'transcription-dispatcher': [
    ...queueGauges,
    { name: 'transcription_runs_without_lease', type: 'gauge', labels: [] },
    { name: 'transcription_files_infra_requeued', type: 'gauge', labels: [] },
  ],
  identity: [
    {
      name: 'user_signups_total',
      type: 'counter',
      labels: ['method'],
      values: { method: ['local', 'ldap', 'keycloak', 'pki', 'external'] },
    },
  ],
  media: [
    {
      name: 'files_uploaded_total',
      type: 'counter',
      labels: ['source'],
      values: { source: ['upload', 'url', 'watch'] },
    },
  ],
  operations: ['backup', 'media_mirror'].flatMap((kind): SpecifiedMetric[] => [
    { name: `${kind}_last_success_timestamp_seconds`, type: 'gauge', labels: [] },
    { name: `${kind}_last_status`, type: 'gauge', labels: [] },
    { name: `${kind}_runs_total`, type: 'counter', labels: ['result'], values: { result: ['success', 'failed'] } },
  ]),
};
