import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

function byQueue(metric: string) {
  return { expr: `max by (queue) (${metric})`, legend: '{{queue}}' };
}

const alarms = [
  number('Orphaned', 'sum(max by (queue) (celery_queue_orphaned))', {
    description: 'Deliveries held by dead workers. Back to 0 within a minute. For alerts, not for scaling.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['QueueOrphaned'],
  }),
  number('Runs without a lease', 'max(transcription_runs_without_lease)', {
    description: 'Runs whose lease is not renewed. Back to 0 within a minute.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['RunsWithoutLease'],
  }),
  number('Files that lose their workers', 'max(transcription_files_infra_requeued)', {
    description: 'Files that lost their worker at least TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD times.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['FilesInfraRequeued'],
  }),
  number('Dead jobs', 'sum(max by (queue) (transcription_dead_jobs))', {
    description: 'Jobs that used up their attempts and wait for a decision.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['DeadJobs'],
  }),
  number('Queues paused', 'sum(max by (queue) (queue_paused))', {
    description: 'Queues that an administrator has paused.',
    unit: 'short',
    thresholds: { orange: 1, red: 100 },
  }),
  number('Waiting and running tasks', 'sum(queue:celery_queue_work:sum)', {
    description: 'Waiting plus held tasks: the metric for scaling.',
    unit: 'short',
  }),
];

const queues = [
  lines('Waiting', byQueue('celery_queue_depth'), {
    description: 'Tasks that no worker has started.',
    unit: 'short',
    alerts: ['QueueWithoutWorker', 'QueueGaugesMissing'],
  }),
  lines('Held by a live worker', byQueue('celery_queue_reserved'), {
    description: 'Running tasks.',
    unit: 'short',
  }),
  lines('Orphaned', byQueue('celery_queue_orphaned'), {
    description: 'Tasks whose worker crashed and that are not requeued yet.',
    unit: 'short',
    thresholds: { red: 1 },
    alerts: ['QueueOrphaned'],
  }),
  lines(
    'Oldest held task',
    [
      byQueue('celery_queue_oldest_unacked_age_seconds'),
      { expr: 'max(queue:oldest_unacked_limit:seconds)', legend: 'longest limit' },
    ],
    {
      description: 'Age of the oldest held task; above the limit of its queue it is stuck.',
      unit: 's',
      alerts: ['QueueOldestUnackedTooOld'],
    },
  ),
  lines(
    'Scaling metric',
    { expr: 'queue:celery_queue_work:sum', legend: '{{queue}}' },
    {
      description: 'Waiting plus held tasks by queue, as queried by KEDA.',
      unit: 'short',
      stacked: true,
    },
  ),
  states('Paused', byQueue('queue_paused'), {
    description: 'Queues that an administrator paused.',
    unit: 'bool_yes_no',
    thresholds: { orange: 1, red: 2 },
    width: 8,
  }),
];

function stage(value: number, legend: string) {
  return {
    expr: `histogram_quantile(${value}, sum by (stage, le) (rate(transcription_stage_duration_seconds_bucket{outcome="done"}[15m])))`,
    legend: `{{stage}}: ${legend}`,
  };
}

const stages = [
  lines(
    'Stages done',
    {
      expr: 'sum by (stage, outcome) (rate(transcription_stage_duration_seconds_count[$__rate_interval]))',
      legend: '{{stage}}: {{outcome}}',
    },
    {
      description: 'Finished stages per second by outcome.',
      unit: 'ops',
    },
  ),
  lines('Stage duration', [stage(0.5, 'half'), stage(0.95, '95 %')], {
    description: 'Wall time on the worker, over 15 minutes.',
    unit: 's',
  }),
  lines(
    'Failed stages',
    { expr: 'stage:transcription_failures:ratio_rate15m', legend: '{{stage}}' },
    {
      description: 'Share of failed attempts; a stage is retried until its attempts are used up.',
      unit: 'percentunit',
      thresholds: { red: 0.2 },
      alerts: ['StageFailing'],
    },
  ),
];

export const queuesDashboard: DashboardSpec = {
  uid: 'overtone-queues',
  title: 'Overtone: queues',
  description: 'Waiting, running and stuck tasks.',
  rows: [
    { title: 'Should be 0', panels: alarms },
    { title: 'Queues', panels: queues },
    { title: 'Stages', panels: stages },
  ],
};
