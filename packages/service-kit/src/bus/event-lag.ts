import { eventDurable } from '@overtone/contracts';
import type { Metrics } from '../metrics.ts';
import type { Sample } from '../watched.ts';
import type { Bus } from './bus.ts';
import type { Consumer } from './consumer.ts';

/** How far a service is behind the events it reacts to, as the broker counts it: the same from every replica. */
export function watchEventLag(metrics: Metrics, bus: Bus, consumers: readonly Consumer[]): void {
  const samples = async ({ durable: of }: Consumer): Promise<Sample[]> => {
    const jsm = await bus.jetstreamManager();
    const info = await jsm.consumers.info('EVENTS', eventDurable(bus.service, of));
    return [
      { name: 'event_consumer_pending', of, value: info.num_pending },
      { name: 'event_consumer_retrying', of, value: info.num_redelivered },
    ];
  };
  metrics.watch(
    [
      { name: 'event_consumer_pending', help: 'Events not yet delivered to a consumer', label: 'consumer' },
      { name: 'event_consumer_retrying', help: 'Events that failed and are tried again', label: 'consumer' },
    ],
    // One durable that is not there yet hides no other.
    async () => (await Promise.all(consumers.map((consumer) => samples(consumer).catch(() => [])))).flat(),
  );
}
