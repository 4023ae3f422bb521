import { queues } from '@overtone/contracts';
import type { Metrics, Sample } from '@overtone/service-kit';
import { Gauge, Registry } from 'prom-client';
import type { QueueGauges } from './queues/queues.ts';

// Metric names are those of the specification ("Health and metrics"), except `transcription_remote_tasks`.
type Read = () => Promise<readonly Sample[]>;

export function watchTaskMetrics(metrics: Metrics, read: Read): void {
  metrics.watch(
    [
      { name: 'transcription_runs_without_lease', help: 'Runs with a claimed task without a live lease' },
      { name: 'transcription_files_infra_requeued', help: 'Files whose tasks lost their worker repeatedly' },
    ],
    read,
  );
}

export function watchQueueMetrics(metrics: Metrics, read: Read): void {
  metrics.watch(
    [
      { name: 'transcription_dead_jobs', help: 'Dead jobs that wait for a decision', label: 'queue' },
      { name: 'queue_paused', help: '1 while an administrator has paused the queue', label: 'queue' },
    ],
    read,
  );
}

/** The queue gauges, in the metrics of the service; those of the specification in a registry of their own, too. */
export function createQueueRegistry(metrics: Metrics, read: () => Promise<ReadonlyMap<string, QueueGauges>>): Registry {
  const registry = new Registry();
  const both = [registry, metrics.registry];
  const gauge = (name: string, help: string, value: (gauges: QueueGauges) => number, registers = both) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      async collect() {
        // Without the broker these gauges have no values; the other metrics stay readable.
        const all = await read().catch(() => undefined);
        this.reset();
        if (!all) return;
        for (const queue of queues) {
          const gauges = all.get(queue);
          if (gauges) this.set({ queue }, value(gauges));
        }
      },
    });
  gauge('celery_queue_depth', 'Waiting tasks', ({ depth }) => depth);
  gauge('celery_queue_reserved', 'Tasks held by a live worker', ({ reserved }) => reserved);
  gauge('celery_queue_orphaned', 'Tasks of a dead worker that are not requeued yet', ({ orphaned }) => orphaned);
  gauge(
    'celery_queue_oldest_unacked_age_seconds',
    'Age of the oldest held task',
    ({ oldestUnackedSeconds }) => oldestUnackedSeconds,
  );
  const remoteHelp = 'Held tasks that only wait for another server';
  gauge('transcription_remote_tasks', remoteHelp, ({ remote }) => remote, [metrics.registry]);
  return registry;
}
