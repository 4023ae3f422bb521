import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const byQueue = (metric: string) => ({ expr: `max by (queue) (${metric})`, legend: '{{queue}}' });

const alarms = [
  number('Orphaned', 'sum(max by (queue) (celery_queue_orphaned))', {
    says: 'Deliveries held by dead workers. Back to 0 within a minute. For alarms, never for scaling.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['QueueOrphaned'],
  }),
  number('Runs without a lease', 'max(transcription_runs_without_lease)', {
    says: 'Runs whose task nobody renews. Back to 0 within a minute.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['RunsWithoutLease'],
  }),
  number('Files that lose their workers', 'max(transcription_files_infra_requeued)', {
    says: 'Files that lost their worker as often as TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD says.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['FilesInfraRequeued'],
  }),
  number('Dead jobs', 'sum(max by (queue) (transcription_dead_jobs))', {
    says: 'Jobs that used up their attempts and wait for a decision.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['DeadJobs'],
  }),
  number('Queues paused', 'sum(max by (queue) (queue_paused))', {
    says: 'Queues in which an administrator lets nothing new begin.',
    unit: 'short',
    thresholds: { orange: 1, red: 100 },
  }),
  number('Tasks to work on', 'sum(queue:celery_queue_work:sum)', {
    says: 'Waiting and held: the number to scale on.',
    unit: 'short',
  }),
];

const queues = [
  lines('Waiting', byQueue('celery_queue_depth'), {
    says: 'Orders nobody has begun.',
    unit: 'short',
    alerts: ['QueueWithoutWorker', 'QueueGaugesMissing'],
  }),
  lines('Held by a live worker', byQueue('celery_queue_reserved'), {
    says: 'Orders that are being worked on.',
    unit: 'short',
  }),
  lines('Orphaned', byQueue('celery_queue_orphaned'), {
    says: 'Orders whose worker died and that are not back in their queue yet.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['QueueOrphaned'],
  }),
  lines(
    'Oldest order held',
    [
      byQueue('celery_queue_oldest_unacked_age_seconds'),
      { expr: 'max(queue:oldest_unacked_limit:seconds)', legend: 'longest limit' },
    ],
    {
      says: 'Age of the oldest order that a worker has; above the limit of its queue something hangs.',
      unit: 's',
      alerts: ['QueueOldestUnackedTooOld'],
    },
  ),
  lines(
    'To scale on',
    { expr: 'queue:celery_queue_work:sum', legend: '{{queue}}' },
    {
      says: 'Waiting plus held, by queue: what KEDA asks for.',
      unit: 'short',
      stacked: true,
    },
  ),
  states('Paused', byQueue('queue_paused'), {
    says: 'Queues that an administrator paused.',
    unit: 'bool_yes_no',
    thresholds: { orange: 1, red: 2 },
    width: 8,
  }),
];

const stage = (q: number, legend: string) => ({
  expr: `histogram_quantile(${q}, sum by (stage, le) (rate(transcription_stage_duration_seconds_bucket{outcome="done"}[15m])))`,
  legend: `{{stage}}: ${legend}`,
});
const stages = [
  lines(
    'Stages done',
    {
      expr: 'sum by (stage, outcome) (rate(transcription_stage_duration_seconds_count[$__rate_interval]))',
      legend: '{{stage}}: {{outcome}}',
    },
    {
      says: 'Stages ended per second, by how.',
      unit: 'ops',
    },
  ),
  lines('Time of a stage', [stage(0.5, 'half'), stage(0.95, '95 %')], {
    says: 'Wall time on the worker, over a quarter of an hour.',
    unit: 's',
  }),
  lines(
    'Stages that fail',
    { expr: 'stage:transcription_failures:ratio_rate15m', legend: '{{stage}}' },
    {
      says: 'Share of the tries that failed; each is tried again until its attempts are used up.',
      unit: 'percentunit',
      thresholds: { red: 0.2 },
      alerts: ['StageFailing'],
    },
  ),
];

export const queuesDashboard: DashboardSpec = {
  uid: 'overtone-queues',
  title: 'Overtone: queues',
  description: 'What waits, what is worked on, what hangs.',
  rows: [
    { title: 'Should be 0', panels: alarms },
    { title: 'Queues', panels: queues },
    { title: 'Stages', panels: stages },
  ],
};
