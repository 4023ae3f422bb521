import type { Queue } from '@overtone/contracts';
import type { Lease } from '../leases/leases.ts';
import type { Broker } from './broker.adapter.ts';
import { cached } from './cached.ts';
import { gaugesOf, type QueueGauges } from './gauges.ts';

type Deps = {
  broker: Pick<Broker, 'listQueues'>;
  leases: () => ReadonlyMap<string, Lease>;
  isWorkerLive: (worker: string) => boolean;
};

/** Together with the four seconds a heartbeat lasts, a dead worker is visible within five seconds. */
const cacheMs = 500;

/** The current queue gauges: one request to the broker; leases and heartbeats are mirrored already. */
export function createQueueGauges({
  broker,
  leases,
  isWorkerLive,
}: Deps): () => Promise<ReadonlyMap<Queue, QueueGauges>> {
  return cached(cacheMs, async () => {
    const states = await broker.listQueues();
    return gaugesOf(states, [...leases().values()], isWorkerLive, Date.now());
  });
}
