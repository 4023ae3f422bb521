import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { operationsEvents, userErasureOrdered } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { adminId, createWorld } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());
const service = await world.start();
cleanUpAfterFile(() => service.stop());

it('leaves no action of an erased person in the outbox, and those of others', async () => {
  const erased = randomUUID();
  const { status } = await service.ask('PUT', '/backup/settings', { retention_daily: 3 });
  expect(status).toBe(200);
  await world.sql(
    `insert into operations_outbox (subject, data, headers, message_id, sent_at)
     values ($1, $2, '{}', gen_random_uuid(), now())`,
    [operationsEvents.performed.subject, { actorId: erased, details: {}, client: { ip: '192.0.2.1' } }],
  );
  const actors = async () => {
    const rows = await world.sql<{ actor: string }>(`select data ->> 'actorId' as actor from operations_outbox`);
    return rows.map(({ actor }) => actor);
  };
  expect(new Set(await actors())).toEqual(new Set([adminId, erased]));
  const order = { erasureId: randomUUID(), round: 1, userId: erased };
  await world.nats.jetstream({ timeout: 30_000 }).publish(userErasureOrdered.subject, JSON.stringify(order));
  await waitFor(async () => !(await actors()).includes(erased));
  expect(await actors()).toEqual([adminId]);
});
