import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { operationsEvents, type DataOf } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { setUpIdentity } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();
const root = await identity.session();

async function tell(data: DataOf<typeof operationsEvents.performed>) {
  const messageHeaders = headers();
  messageHeaders.set('ot-time', '2026-01-02T03:04:05.000Z');
  const { subject } = operationsEvents.performed;
  await backends.bus
    .jetstream()
    .publish(subject, JSON.stringify(data), { headers: messageHeaders, msgID: randomUUID() });
}

async function recorded(type: string) {
  const { body } = await identity.ask(`/api/admin/audit-logs?event_type=${type}`, { caller: root.caller });
  return body['items'] as Record<string, unknown>[];
}

it('records an action of an operator with the time of the event and the origin of the request', async () => {
  const client = { ip: '192.0.2.7', userAgent: 'curl/8', requestId: 'r-1' };
  const paused = { action: 'queue_paused', actorId: root.caller.userId, client } as const;
  await tell({ ...paused, details: { queue: 'gpu', reason: 'New driver' } });
  const items = await waitFor(async () => {
    const all = await recorded('admin.queue.pause');
    return all.length > 0 ? all : undefined;
  });
  expect(items).toMatchObject([
    {
      actor: root.caller.userId,
      outcome: 'success',
      source_ip: '192.0.2.7',
      user_agent: 'curl/8',
      request_id: 'r-1',
      timestamp: '2026-01-02T03:04:05.000Z',
      details: { queue: 'gpu', reason: 'New driver' },
    },
  ]);
});
