import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { identityRpc, natsUsers, serviceNames, topology, type RpcDef } from '@overtone/contracts';
import { startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { connect } from 'nats';
import { runInFlow } from '../context.ts';
import { createLog } from '../log.ts';
import { createBus, type Bus } from './bus.ts';

// Requests that a client waits for: a person looks at a page that cannot show anything before the response.

const log = createLog('media', { LOG_LEVEL: 'silent' as 'fatal', LOG_FORMAT: 'json' });
const password = 'pw';
const users = [
  ...serviceNames.map((user) => ({ user, password, ...natsUsers()[user] })),
  { user: 'hanging', password, publish: ['>'], subscribe: ['>'] },
];
const nats = await stopAfterFile(startNats({ users }));
const limitMs = 5_000;
const probedAfterMs = 1_000;

type Sent = { subject: string; timeoutMs: number; longRunning: boolean; send: () => Promise<unknown> };
/** Every request of the topology, as its service sends it. */
let requests: Sent[];
let realtime: Bus;
beforeAll(async () => {
  const open = async (service: (typeof serviceNames)[number]): Promise<Bus> => {
    const bus = createBus({ service, url: nats.url, user: service, password, log });
    await bus.connect();
    cleanUpAfterFile(() => bus.close());
    return bus;
  };
  const buses = await Promise.all(serviceNames.map(open));
  realtime = buses.find(({ service }) => service === 'realtime-gateway')!;
  requests = buses.flatMap((bus) =>
    topology[bus.service].requests.map((def: RpcDef) => ({
      subject: `${bus.service} ${def.subject}`,
      timeoutMs: def.timeoutMs,
      longRunning: def.longRunning,
      send: () => bus.request(def, {}),
    })),
  );
});

function asClientRequest<T>(work: () => T): T {
  return runInFlow({ requestId: 'r', route: '/api/files', userId: null, dbQueries: 0, isAwaited: true }, work);
}

/** How each request ended: its code, `pending` for what had not ended when `until` resolved. */
async function outcomes(sent: readonly Sent[], until?: () => Promise<unknown>): Promise<Map<string, string>> {
  const ended = new Map(sent.map(({ subject }) => [subject, 'pending']));
  const sending = sent.map(({ subject, send }) =>
    asClientRequest(send).then(
      () => ended.set(subject, 'replied'),
      (error: { code?: string }) => ended.set(subject, error.code ?? 'failed'),
    ),
  );
  await Promise.race([Promise.all(sending), ...(until ? [until()] : [])]);
  return ended;
}

/** A timer that starts after those of the requests and in their process: a slow machine delays all of them. */
async function limitAfterSending(): Promise<void> {
  await setImmediate();
  await sleep(limitMs); // longer than the limit, in the same event loop
  await setImmediate();
}

function all(sent: readonly Sent[], outcome: string): Map<string, string> {
  return new Map(sent.map(({ subject }) => [subject, outcome]));
}

/** Until each of its threads has stopped, the broker may answer that a request has no responders. */
async function freezeBroker(): Promise<void> {
  const tasks = `/proc/${nats.pid()}/task`;
  process.kill(nats.pid(), 'SIGSTOP');
  await waitFor(() => readdirSync(tasks).every((id) => readFileSync(`${tasks}/${id}/stat`, 'utf8').includes(') T ')));
}

describe('while the broker is unresponsive', () => {
  it('every request of every service is rejected in time, new ones immediately, and the next ones are sent when it responds', async () => {
    expect(requests.length).toBeGreaterThan(50);
    await freezeBroker();
    try {
      // One that gives up earlier may end before it is known that the broker is the cause.
      const patient = requests.filter(({ timeoutMs }) => timeoutMs > probedAfterMs);
      expect(await outcomes(patient, limitAfterSending)).toEqual(all(patient, 'broker_unavailable'));
      const immediate = async () => [...(await outcomes(requests, () => setImmediate())).values()];
      await waitFor(async () => (await immediate()).every((code) => code === 'broker_unavailable'));
    } finally {
      process.kill(nats.pid(), 'SIGCONT');
    }
    const identity = createBus({ service: 'identity', url: nats.url, user: 'identity', password, log });
    await identity.connect();
    cleanUpAfterTest(() => identity.close());
    identity.serve(identityRpc.resolveSession, async () => ({ session: null }));
    await identity.ping();
    const resolve = () => asClientRequest(() => realtime.request(identityRpc.resolveSession, { accessToken: 'x' }));
    await waitFor(() => resolve().catch(() => undefined), { timeoutMs: limitMs });
  });

  it('a published message is not confirmed in time', async () => {
    await freezeBroker();
    try {
      const publish = () => realtime.publish('evt.media.file.uploaded.v1', '{}');
      const sent = [{ subject: 'publish', timeoutMs: 5_000, longRunning: false, send: publish }];
      expect(await outcomes(sent)).toEqual(all(sent, 'broker_unavailable'));
    } finally {
      process.kill(nats.pid(), 'SIGCONT');
    }
    await waitFor(() => realtime.ping().then(() => true));
  });

  it('a job waits for all of the timeout of its request', async () => {
    await freezeBroker();
    const startedAt = Date.now();
    try {
      await expect(realtime.request(identityRpc.memberships, { after: null, limit: 1 })).rejects.toMatchObject({
        code: 'service_unavailable',
      });
    } finally {
      process.kill(nats.pid(), 'SIGCONT');
    }
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(identityRpc.memberships.timeoutMs - 50);
    await waitFor(() => realtime.ping().then(() => true));
  });
});

describe('while a service is unresponsive', () => {
  it('every request is rejected in time, except those whose work takes longer', async () => {
    const hanging = await connect({ servers: nats.url, user: 'hanging', pass: password });
    cleanUpAfterFile(() => hanging.close());
    hanging.subscribe('rpc.>');
    await hanging.flush();
    const quick = requests.filter(({ longRunning }) => !longRunning);
    const slow = requests.filter(({ longRunning }) => longRunning);
    const ended = await outcomes(requests, limitAfterSending);
    expect(ended).toEqual(
      new Map([...all(requests, ''), ...all(quick, 'service_unavailable'), ...all(slow, 'pending')]),
    );
    expect(new Set(slow.map(({ subject }) => subject.split('.').at(-1)))).toEqual(
      new Set([
        'retrieve',
        'count-mentions',
        'found-files',
        'similar-voices',
        'read-voices',
        'embed',
        'find-names',
        'remove-model',
        'test-asr-provider',
        'undo-directory-pass',
      ]),
    );
  });
});
