import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

function byQueue(metric: string) {
  return { '{{queue}}': `max by (queue) (${metric})` };
}

function stage(value: number, legend: string) {
  return {
    [`{{stage}}: ${legend}`]: `histogram_quantile(${value}, sum by (stage, le) (rate(transcription_stage_duration_seconds_bucket{outcome="done"}[15m])))`,
  };
}

export const queuesDashboard: DashboardSpec = {
  uid: 'overtone-queues',
  title: 'Overtone: queues',
  description: 'Waiting, running and stuck tasks.',
  rows: [
    {
      title: 'Should be 0',
      panels: [
        number('Orphaned', 'short', {
          queries: 'sum(max by (queue) (celery_queue_orphaned))',
          description: 'Deliveries held by dead workers. Back to 0 within a minute. For alerts, not for scaling.',
          thresholds: { red: 1 },
          alerts: ['QueueOrphaned'],
        }),
        number('Runs without a lease', 'short', {
          queries: 'max(transcription_runs_without_lease)',
          description: 'Runs whose lease is not renewed. Back to 0 within a minute.',
          thresholds: { red: 1 },
          alerts: ['RunsWithoutLease'],
        }),
        number('Files that lose their workers', 'short', {
          queries: 'max(transcription_files_infra_requeued)',
          description: 'Files that lost their worker at least TRANSCRIPTION_INFRA_REQUEUE_ALERT_THRESHOLD times.',
          thresholds: { red: 1 },
          alerts: ['FilesInfraRequeued'],
        }),
        number('Dead jobs', 'short', {
          queries: 'sum(max by (queue) (transcription_dead_jobs))',
          description: 'Jobs that used up their attempts and wait for a decision.',
          thresholds: { red: 1 },
          alerts: ['DeadJobs'],
        }),
        number('Queues paused', 'short', {
          queries: 'sum(max by (queue) (queue_paused))',
          description: 'Queues that an administrator has paused.',
          thresholds: { orange: 1, red: 100 },
        }),
        number('Waiting and running tasks', 'short', {
          queries: 'sum(queue:celery_queue_work:sum)',
          description: 'Waiting plus held tasks: the metric for scaling.',
        }),
      ],
    },
    {
      title: 'Queues',
      panels: [
        lines('Waiting', 'short', {
          queries: byQueue('celery_queue_depth'),
          description: 'Tasks that no worker has started.',
          alerts: ['QueueWithoutWorker', 'QueueGaugesMissing'],
        }),
        lines('Held by a live worker', 'short', {
          queries: byQueue('celery_queue_reserved'),
          description: 'Running tasks.',
        }),
        lines('At OpenAI-compatible servers', 'short', {
          queries: byQueue('transcription_remote_tasks'),
          description: 'Those of the held tasks that only wait for another server.',
        }),
        lines('Orphaned', 'short', {
          queries: byQueue('celery_queue_orphaned'),
          description: 'Tasks whose worker crashed and that are not requeued yet.',
          thresholds: { red: 1 },
          alerts: ['QueueOrphaned'],
        }),
        lines('Oldest held task', 's', {
          queries: {
            ...byQueue('celery_queue_oldest_unacked_age_seconds'),
            'longest limit': 'max(queue:oldest_unacked_limit:seconds)',
          },
          description: 'Age of the oldest held task; above the limit of its queue it is stuck.',
          alerts: ['QueueOldestUnackedTooOld'],
        }),
        lines('Scaling metric', 'short', {
          queries: { '{{queue}}': 'queue:celery_queue_work:sum' },
          description: 'Waiting plus held tasks by queue, as queried by KEDA.',
          stacked: true,
        }),
        states('Paused', 'bool_yes_no', {
          queries: byQueue('queue_paused'),
          description: 'Queues that an administrator paused.',
          thresholds: { orange: 1, red: 2 },
          width: 8,
        }),
      ],
    },
    {
      title: 'Stages',
      panels: [
        lines('Stages done', 'ops', {
          queries: {
            '{{stage}}: {{outcome}}':
              'sum by (stage, outcome) (rate(transcription_stage_duration_seconds_count[$__rate_interval]))',
          },
          description: 'Finished stages per second by outcome.',
        }),
        lines('Stage duration', 's', {
          queries: { ...stage(0.5, 'half'), ...stage(0.95, '95 %') },
          description: 'Wall time on the worker, over 15 minutes.',
        }),
        lines('Failed stages', 'percentunit', {
          queries: { '{{stage}}': 'stage:transcription_failures:ratio_rate15m' },
          description: 'Share of failed attempts; a stage is retried until its attempts are used up.',
          thresholds: { red: 0.2 },
          alerts: ['StageFailing'],
        }),
      ],
    },
  ],
};
