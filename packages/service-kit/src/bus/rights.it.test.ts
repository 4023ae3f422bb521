import { createConnection } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  eventDurable,
  eventFeed,
  identityRpc,
  jobDurable,
  natsPermissions,
  serviceNames,
  topology,
} from '@overtone/contracts';
import type { ServiceName } from '@overtone/contracts';
import { startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { busUsers } from '@overtone/testkit/bus';
import { AckPolicy, connect, RetentionPolicy } from 'nats';
import { createLog } from '../log.ts';
import { createBus } from './bus.ts';

const password = 'secret';
const log = createLog('test', { LOG_LEVEL: 'silent' as 'fatal', LOG_FORMAT: 'json' });

type Durable = { stream: 'EVENTS' | 'JOBS'; name: string; filter: string; owner: ServiceName | null };
const durables: readonly Durable[] = [
  ...serviceNames.flatMap((owner) => [
    ...Object.entries(topology[owner].consumes).map(([name, event]) => ({
      stream: 'EVENTS' as const,
      name: eventDurable(owner, name),
      filter: event.subject,
      owner,
    })),
    ...new Map(
      topology[owner].works.map((job) => [
        jobDurable(job),
        { stream: 'JOBS' as const, name: jobDurable(job), filter: `job.${job.queue}.${job.domain}.*`, owner },
      ]),
    ).values(),
  ]),
  { stream: 'EVENTS', name: eventFeed.durable, filter: 'evt.>', owner: null },
  { stream: 'EVENTS', name: 'of-no-service', filter: 'evt.>', owner: null },
];

/** Every subject by which a consumer is created, read, changed or deleted, or a delivery of it is acknowledged. */
function consumerSubjects({ stream, name, filter }: Durable): string[] {
  return [
    ...[
      `CREATE.${stream}.${name}`,
      `CREATE.${stream}.${name}.${filter}`,
      `CREATE.${stream}.${name}.${filter}.other`,
      `DURABLE.CREATE.${stream}.${name}`,
      `INFO.${stream}.${name}`,
      `DELETE.${stream}.${name}`,
      `MSG.NEXT.${stream}.${name}`,
      `PAUSE.${stream}.${name}`,
      `UNPIN.${stream}.${name}`,
      `RESET.${stream}.${name}`,
      `LEADER.STEPDOWN.${stream}.${name}`,
    ].map((verb) => `$JS.API.CONSUMER.${verb}`),
    `$JS.ACK.${stream}.${name}.1.1.1.1.0`,
    `$JS.FC.${stream}.${name}.token`,
  ];
}

function allowedOfOwn({ stream, name, filter }: Durable): string[] {
  return [
    ...(stream === 'EVENTS'
      ? [`$JS.API.CONSUMER.CREATE.EVENTS.${name}.${filter}`, `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${name}`]
      : []),
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.1.1.1.1.0`,
  ];
}

const streamSubjects: readonly string[] = ['EVENTS', 'JOBS', 'KV_LEASES', 'KV_WORKERS'].flatMap((stream) => [
  ...['CREATE', 'UPDATE', 'DELETE', 'PURGE', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE', 'PEER.REMOVE', 'LEADER.STEPDOWN'].map(
    (verb) => `$JS.API.STREAM.${verb}.${stream}`,
  ),
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}`,
  `$JS.API.CONSUMER.LIST.${stream}`,
  `$JS.API.CONSUMER.NAMES.${stream}`,
]);

function connectAs(user: string) {
  return connect({ servers: nats.url, user, pass: password, inboxPrefix: `_INBOX.${user}`, reconnect: false });
}

const nats = await stopAfterFile(startNats({ users: busUsers(password) }));
const admin = await connectAs('test');
cleanUpAfterFile(() => admin.close());
const jsm = await admin.jetstreamManager();
await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
for (const { stream, name, filter } of durables)
  await jsm.consumers.add(stream, { durable_name: name, filter_subject: filter, ack_policy: AckPolicy.Explicit });

/**
 * The subjects that the server refuses to let this service publish or subscribe to. Speaks the protocol itself: the
 * client reports only some of many violations.
 */
async function refusedOf(
  service: ServiceName,
  { publish = [], subscribe = [] }: Record<string, string[]>,
): Promise<Set<string>> {
  const socket = createConnection(Number(new URL(nats.url).port), '127.0.0.1');
  const credentials = JSON.stringify({ user: service, pass: password, verbose: false, pedantic: false });
  socket.write(`CONNECT ${credentials}\r\n`);
  socket.write(subscribe.map((subject, i) => `SUB ${subject} ${i + 1}\r\n`).join(''));
  socket.write(publish.map((subject) => `PUB ${subject} 0\r\n\r\n`).join(''));
  socket.write('PING\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk as string;
    if (text.includes('PONG\r\n')) break;
  }
  return new Set(
    [...text.matchAll(/-ERR 'Permissions Violation for \w+ to "([^"]+)"/g)].map(([, subject = '']) => subject),
  );
}

describe.each(serviceNames)('the bus user %s', (service) => {
  const own = durables.filter((durable) => durable.owner === service);
  const ownsStreams = service === 'transcription-dispatcher';

  it('is refused every consumer verb except its own on its own consumers', async () => {
    if (ownsStreams) return;
    const allowed = new Set(own.flatMap(allowedOfOwn));
    const foreign = [...durables.flatMap(consumerSubjects), ...streamSubjects].filter(
      (subject) => !allowed.has(subject),
    );
    expect(foreign.length).toBeGreaterThan(200);
    const refused = await refusedOf(service, { publish: foreign });
    expect(foreign.filter((subject) => !refused.has(subject))).toEqual([]);
  });

  it('may publish and subscribe all that its topology names', async () => {
    const { publish, subscribe } = natsPermissions(service);
    const literal = (subjects: string[]) => subjects.map((subject) => subject.replace('>', 'x').replaceAll('*', 'x'));
    const api = (subject: string) => subject.startsWith('$JS.');
    const refused = await refusedOf(service, {
      publish: literal(publish.filter((subject) => !api(subject))),
      subscribe,
    });
    expect([...refused]).toEqual([]);
  });

  it('may neither publish to an inbox without a request nor read the inbox of another service', async () => {
    const others = serviceNames.filter((name) => name !== service);
    const publish = ['_INBOX.x', ...serviceNames.map((name) => `_INBOX.${name}.x`)];
    const feed = topology[service].follows.length > 0 ? [] : [eventFeed.subject];
    const subscribe = ['_INBOX.>', ...others.map((name) => `_INBOX.${name}.>`), ...feed];
    const refused = await refusedOf(service, { publish: [...publish, eventFeed.subject], subscribe });
    expect(refused).toEqual(new Set([...publish, eventFeed.subject, ...subscribe]));
  });
});

it('no consumer was changed or deleted by what the services tried', async () => {
  for (const { stream, name } of durables)
    expect(await jsm.consumers.info(stream, name)).toMatchObject({ ack_floor: { stream_seq: 0 } });
});

it('a service cannot turn a consumer of its own into one that pushes to another subject', async () => {
  const media = await connectAs('media');
  const consumer = durables.find((durable) => durable.owner === 'media');
  if (!consumer) throw new Error('media consumes nothing');
  const { name, filter } = consumer;
  const config = {
    durable_name: name,
    filter_subject: filter,
    ack_policy: 'explicit',
    deliver_policy: 'all',
    replay_policy: 'instant',
    deliver_subject: identityRpc.resolveSession.subject,
  };
  const subject = `$JS.API.CONSUMER.DURABLE.CREATE.EVENTS.${name}`;
  const answer = await media.request(subject, JSON.stringify({ stream_name: 'EVENTS', config }));
  expect(answer.json()).toHaveProperty('error');
  await media.close();
});

it('a request whose reply would go anywhere but to an inbox is not handled', async () => {
  const identity = createBus({ service: 'identity', url: nats.url, user: 'identity', password, log });
  await identity.connect();
  const handled: string[] = [];
  identity.serve(identityRpc.resolveSession, async ({ accessToken }) => {
    handled.push(accessToken);
    return { session: null };
  });
  await identity.ping();
  const victim = durables.find((durable) => durable.owner === 'media')?.name ?? '';
  const gateway = await connectAs('realtime-gateway');
  const request = (accessToken: string) => JSON.stringify({ accessToken });
  const reply = `$JS.API.CONSUMER.DELETE.EVENTS.${victim}`;
  gateway.publish(identityRpc.resolveSession.subject, request('forged'), { reply });
  gateway.publish(identityRpc.resolveSession.subject, request('without a reply'));
  await gateway.request(identityRpc.resolveSession.subject, request('honest'));
  expect(handled).toEqual(['honest']);
  await waitFor(() => jsm.consumers.info('EVENTS', victim));
  await gateway.close();
  await identity.close();
});
