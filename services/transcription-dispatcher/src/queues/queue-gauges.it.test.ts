import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { leaseValue } from '@overtone/contracts';
import { createBus, createMetrics, type Bus } from '@overtone/service-kit';
import { startNats, waitFor, type TestServer } from '@overtone/testkit';
import { log, createWorld, startDispatcher, type World } from '../../test/harness.ts';
import { startGate } from '../../test/gate.ts';
import { createQueueRegistry } from '../telemetry.ts';
import { createMirror } from '../workers/mirror.adapter.ts';
import { createBroker } from './broker.adapter.ts';
import { createQueueGauges } from './queue-gauges.ts';

describe('the queue gauges', () => {
  let nats: TestServer;
  let proxy: Awaited<ReturnType<typeof startGate>>;
  let bus: Bus;
  beforeAll(async () => {
    nats = await startNats();
    proxy = await startGate(nats.url);
    bus = createBus({ service: 'transcription-dispatcher', url: proxy.url, log });
    await bus.connect();
  });
  afterAll(async () => {
    await bus.close();
    await proxy.shut();
    await nats.stop();
  });

  it('cost one request to the broker, also while tasks are held', async () => {
    const broker = createBroker({ bus });
    await broker.part.start();
    const leases = createMirror(bus, 'LEASES', leaseValue);
    await leases.part.start();
    await waitFor(() => leases.since() !== null);
    const now = Date.now();
    const held = { worker: 'w', service: 'x', queue: 'gpu', token: 1, deliveredAt: now, expiresAt: now + 600_000 };
    await (await bus.kv('LEASES')).put(`task.${randomUUID()}`, JSON.stringify(held));
    await waitFor(() => leases.entries().size === 1);
    const read = createQueueGauges({ broker, leases: leases.entries, isWorkerLive: () => true });
    const registry = createQueueRegistry(createMetrics(), read);
    await bus.nc().flush();
    proxy.published();
    const text = await registry.metrics();
    expect(proxy.published()).toEqual(['$JS.API.CONSUMER.LIST.JOBS']);
    expect(text).toContain('celery_queue_reserved{queue="gpu"} 1');
    expect([...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map((match) => match[1])).toEqual([
      'celery_queue_depth',
      'celery_queue_reserved',
      'celery_queue_orphaned',
      'celery_queue_oldest_unacked_age_seconds',
    ]);
    await leases.part.stop();
  });
});

it('GET /metrics/queues responds without a database', async () => {
  const world: World = await createWorld();
  const proxy = await startGate(world.dispatcherUrl);
  const dispatcher = await startDispatcher({ ...world, dispatcherUrl: proxy.url });
  await proxy.shut();
  const text = await dispatcher.internal('/metrics/queues');
  expect(text).toContain('celery_queue_depth{queue="gpu"} 0');
  await dispatcher.stop();
  await world.close();
});
