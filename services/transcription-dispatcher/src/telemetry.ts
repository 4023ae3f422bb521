import { queues } from '@overtone/contracts';
import type { Metrics, Sample } from '@overtone/service-kit';
import { Gauge, Registry } from 'prom-client';
import type { QueueGauges } from './broker/broker.ts';

/** Metric names are those of the specification ("Health and metrics"). */
export function createTelemetry(
  metrics: Metrics,
  read: () => Promise<ReadonlyMap<string, QueueGauges>>,
  sources: { recovery: () => Promise<readonly Sample[]>; operator: () => Promise<readonly Sample[]> },
) {
  metrics.watch(
    [
      { name: 'transcription_runs_without_lease', help: 'Runs with a claimed task without a live lease' },
      { name: 'transcription_files_infra_requeued', help: 'Files whose tasks lost their worker repeatedly' },
    ],
    sources.recovery,
  );
  metrics.watch(
    [
      { name: 'transcription_dead_jobs', help: 'Dead jobs that wait for a decision', label: 'queue' },
      { name: 'queue_paused', help: '1 while an administrator has paused the queue', label: 'queue' },
    ],
    sources.operator,
  );
  const queueRegistry = new Registry();
  const registers = [queueRegistry, metrics.registry];
  const gauge = (name: string, help: string, value: (gauges: QueueGauges) => number) =>
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
  gauge('celery_queue_depth', 'Waiting tasks', (gauges) => gauges.depth);
  gauge('celery_queue_reserved', 'Tasks held by a live worker', (gauges) => gauges.reserved);
  gauge('celery_queue_orphaned', 'Tasks of a dead worker that are not requeued yet', (gauges) => gauges.orphaned);
  gauge(
    'celery_queue_oldest_unacked_age_seconds',
    'Age of the oldest held task',
    (gauges) => gauges.oldestUnackedSeconds,
  );
  return { queueRegistry };
}
