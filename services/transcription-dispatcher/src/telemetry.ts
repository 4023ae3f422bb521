import { queues } from '@overtone/contracts';
import type { Metrics, Sample } from '@overtone/service-kit';
import { Gauge, Registry } from 'prom-client';
import type { QueueGauges } from './broker/broker.ts';

/** Names are the specification's ("Health and metrics"), kept to the letter. */
export const createTelemetry = (
  metrics: Metrics,
  read: () => Promise<ReadonlyMap<string, QueueGauges>>,
  more: { lost: () => Promise<readonly Sample[]>; forPeople: () => Promise<readonly Sample[]> },
) => {
  metrics.watch(
    [
      { name: 'transcription_runs_without_lease', help: 'Runs whose task nobody renews' },
      { name: 'transcription_files_infra_requeued', help: 'Files that lost their worker again and again' },
    ],
    more.lost,
  );
  metrics.watch(
    [
      { name: 'transcription_dead_jobs', help: 'Jobs given up that wait for a decision', label: 'queue' },
      { name: 'queue_paused', help: '1 while an administrator lets nothing new begin in the queue', label: 'queue' },
    ],
    more.forPeople,
  );
  const queueRegistry = new Registry();
  const registers = [queueRegistry, metrics.registry];
  const gauge = (name: string, help: string, value: (g: QueueGauges) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers,
      async collect() {
        // A broker that cannot be asked leaves no numbers, and the other metrics stay readable.
        const all = await read().catch(() => undefined);
        this.reset();
        if (!all) return;
        for (const queue of queues) {
          const g = all.get(queue);
          if (g) this.set({ queue }, value(g));
        }
      },
    });
  gauge('celery_queue_depth', 'Orders that wait', (g) => g.depth);
  gauge('celery_queue_reserved', 'Orders held by a live worker', (g) => g.reserved);
  gauge('celery_queue_orphaned', 'Orders unacknowledged by a dead worker', (g) => g.orphaned);
  gauge('celery_queue_oldest_unacked_age_seconds', 'Age of the oldest order held', (g) => g.oldestUnackedSeconds);
  return { queueRegistry };
};
