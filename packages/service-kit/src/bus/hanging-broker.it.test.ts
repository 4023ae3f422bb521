import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { identityRpc, natsUsers, serviceNames } from '@overtone/contracts';
import { startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { createLog } from '../log.ts';
import { createBus, type Bus } from './bus.ts';

const log = createLog('media', { LOG_LEVEL: 'silent' as 'fatal', LOG_FORMAT: 'json' });
const password = 'pw';
const users = serviceNames.map((user) => ({ user, password, ...natsUsers()[user] }));
const nats = await stopAfterFile(startNats({ users }));

/** Three unanswered pings, one attempt to connect that is given up, and the start of the next. */
const hangMs = 15_000 + 10_000 + 1_500;

function busOf(service: Bus['service']): Bus {
  const bus = createBus({ service, url: nats.url, user: service, password, log });
  cleanUpAfterTest(() => bus.close());
  return bus;
}

/** Established connections of the broker, as the kernel lists them: local address and port, remote ones, state. */
async function connections(): Promise<number> {
  const port = nats.port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n');
  return lines.filter((line) => new RegExp(`^\\s*\\d+: \\w+:${port} \\w+:\\w+ 01 `).test(line)).length;
}

/** Waits until the broker ends a connection that does not sign in: it has then ended all earlier ones of this kind. */
async function outlastSignIns(): Promise<void> {
  const silent = connect(nats.port, '127.0.0.1')
    .on('error', () => {})
    .resume();
  cleanUpAfterTest(() => silent.destroy());
  await waitFor(() => silent.closed);
}

it('a broker that hung has one connection of each bus, and every request is answered', async () => {
  const [realtime, identity, late] = [busOf('realtime-gateway'), busOf('identity'), busOf('media')];
  await Promise.all([realtime.connect(), identity.connect()]);
  identity.serve(identityRpc.resolveSession, async () => ({ session: null }));
  await identity.ping();
  process.kill(nats.pid(), 'SIGSTOP');
  try {
    // More than the sockets hold: the broker must be found lost although the writes do not end.
    for (let i = 0; i < 4; i += 1) realtime.nc().publish(identityRpc.resolveSession.subject, new Uint8Array(8_000_000));
    const lateConnects = late.connect();
    await sleep(hangMs);
    expect([realtime.connected(), identity.connected()]).toEqual([false, false]);
    process.kill(nats.pid(), 'SIGCONT');
    await lateConnects;
  } finally {
    process.kill(nats.pid(), 'SIGCONT');
  }
  const buses = [realtime, identity, late];
  await waitFor(() => buses.every((bus) => bus.connected()));
  await outlastSignIns();
  await waitFor(async () => (await connections()) === 3 && buses.every((bus) => bus.connected()));

  const ask = () => realtime.request(identityRpc.resolveSession, { accessToken: 'x' });
  await expect(Promise.all(Array.from({ length: 50 }, ask))).resolves.toHaveLength(50);
  expect(await connections()).toBe(3);
  // The second one would report that the reply to the first came twice.
  for (const bus of [...buses, ...buses]) await bus.ping();
});

it('the ping reports two connections of one bus', async () => {
  const bus = busOf('media');
  await bus.connect();
  await bus.ping();
  // What the client did when an attempt that it had given up ended later.
  await (bus.nc() as unknown as { protocol: { dialLoop: () => Promise<void> } }).protocol.dialLoop();
  await waitFor(() =>
    bus.ping().then(
      () => undefined,
      (error: { kind: string }) => error.kind === 'unavailable',
    ),
  );
});
