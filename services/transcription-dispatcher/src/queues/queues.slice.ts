import { dispatcherRoutes, dispatcherRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { handle, rpc, type Bus, type Log, type Metrics, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { operatorOf } from '../operator.ts';
import type { Files, People } from '../ports/files.ts';
import { createQueueRegistry, watchQueueMetrics } from '../telemetry.ts';
import type { Leases, Workers } from '../workers/workers.ts';
import { createBroker } from './broker.adapter.ts';
import { createQueueGauges } from './queue-gauges.ts';
import { createOverview, createPauses } from './queues.service.ts';
import type { JobSignals } from './queues.ts';
import { createQueuesStore } from './queues.store.ts';

export type QueuesSliceDeps = {
  db: Db;
  outbox: Outbox;
  bus: Bus;
  log: Log;
  metrics: Metrics;
  workers: Workers;
  leases: Leases;
  files: Files;
  people: People;
  fractionOf: (runId: string, stage: string) => number;
};

/** The queues: their streams in the broker, their gauges and overview, and pausing them. */
export function createQueuesSlice(deps: QueuesSliceDeps): Slice & { signals: JobSignals } {
  const { db, bus, metrics, workers, leases } = deps;
  const store = createQueuesStore({ db });
  const broker = createBroker({ bus });
  const gauges = createQueueGauges({ broker, leases: leases.entries, isWorkerLive: workers.isLive });
  const registry = createQueueRegistry(metrics, gauges);
  watchQueueMetrics(metrics, store.samples);
  const readOverview = createOverview({ ...deps, store, gauges });
  const pauses = createPauses({ ...deps, store });

  return {
    signals: broker.signals,
    parts: [broker.part],
    routes: [
      handle(dispatcherRoutes.queues, async ({ caller }) => readOverview(caller)),
      handle(dispatcherRoutes.pauseQueue, async (request) =>
        pauses.pause(request.params.queue, request.body.reason, operatorOf(request)),
      ),
      handle(dispatcherRoutes.resumeQueue, async (request) => pauses.resume(request.params.queue, operatorOf(request))),
    ],
    // For workers whose jobs the dispatcher does not hand out.
    rpcs: [rpc(dispatcherRpc.paused, async ({ queue }) => ({ paused: await store.isPaused(queue) }))],
    internal: [
      {
        path: '/metrics/queues',
        run: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
      },
    ],
  };
}
