import type { Queue } from '@overtone/contracts';
import type { Lease } from '../leases/leases.ts';
import type { Broker } from './broker.adapter.ts';
import { cached } from './cached.ts';
import { gaugesOf, type QueueGauges } from './gauges.ts';

type Deps = {
  broker: Pick<Broker, 'queues'>;
  leases: () => ReadonlyMap<string, Lease>;
  lives: (worker: string) => boolean;
};

/** With the four seconds of a heartbeat: a dead worker is seen within five. */
const freshMs = 500;

/** The queues as they are now: one question to the broker; leases and heartbeats have come by themselves. */
export const createQueueGauges = ({ broker, leases, lives }: Deps): (() => Promise<ReadonlyMap<Queue, QueueGauges>>) =>
  cached(freshMs, async () => {
    const states = await broker.queues();
    return gaugesOf(states, [...leases().values()], lives, Date.now());
  });
