import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  identityRpc,
  mediaEvents,
  mediaRpc,
  natsUsers,
  serviceNames,
  transcriptionEvents,
  transcriptionLive,
} from '@overtone/contracts';
import { startNats, waitFor, type TestServer } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { headers } from 'nats';
import { invalid, notFound } from '../errors.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createBus, type Bus } from './bus.ts';
import { consumer } from './consumer.ts';
import { watchEventLag } from './event-lag.ts';

const log = createLog('media', { LOG_LEVEL: 'silent' as 'fatal', LOG_FORMAT: 'json' });
const password = 'pw';
const users = [
  ...serviceNames.map((user) => ({ user, password, ...natsUsers()[user] })),
  { user: 'supervisor', password, publish: ['>'], subscribe: ['>'] },
];

async function connect(service: Bus['service']): Promise<Bus> {
  const bus = createBus({ service, url: nats.url, user: service, password, log });
  await bus.connect();
  cleanUpAfterTest(() => bus.close());
  return bus;
}
const nats = await stopAfterFile(startNats({ users }));
function ids() {
  return { fileId: crypto.randomUUID(), ownerId: crypto.randomUUID() };
}

describe('questions', () => {
  it('are answered by the service they are for', async () => {
    const [realtime, identity] = [await connect('realtime-gateway'), await connect('identity')];
    identity.serve(identityRpc.resolveSession, async () => ({ session: null }));
    await identity.ping();
    expect(await realtime.request(identityRpc.resolveSession, { accessToken: 'x' })).toEqual({ session: null });
  });

  it('carry the answering service’s refusal, kind and code', async () => {
    const [indexer, media] = [await connect('search-indexer'), await connect('media')];
    media.serve(mediaRpc.transcriptPage, async () => {
      throw notFound('No such file');
    });
    await media.ping();
    const asked = indexer.request(mediaRpc.transcriptPage, { fileId: crypto.randomUUID(), offset: 0, limit: 1 });
    await expect(asked).rejects.toMatchObject({ kind: 'not_found', code: 'not_found', message: 'No such file' });
  });

  it('are unavailable when no service replies', async () => {
    const indexer = await connect('search-indexer');
    const asked = indexer.request(mediaRpc.listTranscribed, { after: null, limit: 1 });
    await expect(asked).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe.each(['{"taskId":7}', 'not JSON'])('a message with the payload %s', (payload) => {
  it('is dropped by a live subscription, which receives the next one', async () => {
    const [dispatcher, worker] = [await connect('transcription-dispatcher'), await connect('transcription-worker')];
    const { taskCancelled } = transcriptionLive;
    const taskId = crypto.randomUUID();
    const received: string[] = [];
    let dropped = 0;
    const count = () => void (dropped += 1);
    worker.subscribeLive(taskCancelled, (task) => received.push(task.taskId), count);
    await worker.ping();
    dispatcher.nc().publish(taskCancelled.subject, payload);
    dispatcher.publishLive(taskCancelled, { taskId });
    await waitFor(() => received.length > 0);
    expect([received, dropped]).toEqual([[taskId], 1]);
  });

  it('is refused as an invalid request', async () => {
    const [realtime, identity] = [await connect('realtime-gateway'), await connect('identity')];
    identity.serve(identityRpc.resolveSession, async () => ({ session: null }));
    await identity.ping();
    const reply = await realtime.nc().request(identityRpc.resolveSession.subject, payload, { timeout: 30_000 });
    expect(reply.json()).toMatchObject({ error: { kind: 'invalid', code: 'invalid_request' } });
  });
});

describe('permissions', () => {
  it('let a service speak only for itself', async () => {
    const identity = await connect('identity');
    const dispatcher = await connect('transcription-dispatcher');
    const jsm = await dispatcher.jetstreamManager();
    await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
    const forged = identity.jetstream().publish(mediaEvents.deleted.subject, JSON.stringify(ids()), { timeout: 500 });
    await expect(forged).rejects.toThrow();
    expect((await jsm.streams.info('EVENTS')).state.messages).toBe(0);
  });

  it('keep a service from pulling another one’s events', async () => {
    const [dispatcher, indexer] = [await connect('transcription-dispatcher'), await connect('search-indexer')];
    await (await dispatcher.jetstreamManager()).streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
    const stolen = indexer.jetstream().consumers.get('EVENTS', 'media-store-results');
    await expect(stolen).rejects.toThrow();
  });
});

describe('a broker whose users are wrong for a while', () => {
  /** Restarts a broker with a changed configuration, and returns how often its log says something. */
  const changed = async (server: TestServer, change: (configuration: string) => string) => {
    const path = join(server.folder, 'nats.conf');
    await writeFile(path, change(await readFile(path, 'utf8')));
    await server.restart();
    return async (what: string) => (await readFile(join(server.folder, 'log'), 'utf8')).split(what).length - 1;
  };
  const connectTo = async (server: TestServer, service: Bus['service']): Promise<Bus> => {
    const bus = createBus({ service, url: server.url, user: service, password, log });
    await bus.connect();
    cleanUpAfterTest(() => bus.close());
    return bus;
  };

  it('is connected to again, however often it refused the password', async () => {
    const server = await startNats({ users });
    cleanUpAfterTest(() => server.stop());
    const media = await connectTo(server, 'media');
    const countIn = await changed(server, (text) => text.replaceAll(password, 'not-it'));
    await waitFor(async () => (await countIn('authentication error')) >= 3);
    await changed(server, (text) => text.replaceAll('not-it', password));
    await waitFor(async () => {
      await media.ping();
      return true;
    });
  });

  it('gets subscriptions again that it refused, when it learns the right', async () => {
    const server = await startNats({ users });
    cleanUpAfterTest(() => server.stop());
    const { subject } = transcriptionLive.taskCancelled;
    const countIn = await changed(server, (text) => text.replaceAll(subject, 'unknown.subject'));
    const worker = await connectTo(server, 'transcription-worker');
    const cancelled: string[] = [];
    worker.subscribeLive(transcriptionLive.taskCancelled, ({ taskId }) => cancelled.push(taskId));
    await waitFor(() => countIn('Subscription Violation'));
    await changed(server, (text) => text.replaceAll('unknown.subject', subject));
    const dispatcher = await connectTo(server, 'transcription-dispatcher');
    const taskId = crypto.randomUUID();
    await waitFor(() => {
      dispatcher.publishLive(transcriptionLive.taskCancelled, { taskId });
      return cancelled.includes(taskId);
    });
  });
});

describe('consumers', () => {
  const publish = async (bus: Bus, data: object, id: string = crypto.randomUUID()) => {
    const messageHeaders = headers();
    messageHeaders.set('ot-source', 'media');
    await bus.jetstream().publish(mediaEvents.deleted.subject, JSON.stringify(data), {
      msgID: id,
      headers: messageHeaders,
      timeout: 30_000,
    });
  };
  const setUp = async (): Promise<{ media: Bus; dispatcher: Bus }> => {
    const dispatcher = await connect('transcription-dispatcher');
    const jsm = await dispatcher.jetstreamManager();
    await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
    await jsm.streams.purge('EVENTS');
    return { media: await connect('media'), dispatcher };
  };

  const startSeeing = (dispatcher: Bus) => {
    const seen: string[] = [];
    const running = consumer(mediaEvents.deleted, 'forget-file', async ({ fileId }) => {
      seen.push(fileId);
    }).start(dispatcher);
    return { seen, running };
  };

  it('get an event again until it is handled', async () => {
    const { media, dispatcher } = await setUp();
    let tries = 0;
    const running = consumer(mediaEvents.deleted, 'forget-file', async () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
    }).start(dispatcher);
    await publish(media, ids());
    await waitFor(() => tries === 3);
    await running.stop();
  });

  it('tell how far they are behind, and what is tried again', async () => {
    const { media, dispatcher } = await setUp();
    const metrics = createMetrics();
    const reaction = consumer(mediaEvents.deleted, 'forget-file', async () => {
      throw new Error('not yet');
    });
    watchEventLag(metrics, dispatcher, [reaction]);
    const line = async (name: string): Promise<number> =>
      Number(
        new RegExp(`^${name}\\{consumer="forget-file"\\} (\\d+)$`, 'm').exec(await metrics.registry.metrics())?.[1] ??
          Number.NaN,
      );
    const running = reaction.start(dispatcher);
    await publish(media, ids());
    await waitFor(async () => (await line('event_consumer_retrying')) === 1);
    await running.stop();
    // The broker may still know of the last pull when the first of these comes.
    await waitFor(async () => {
      await publish(media, ids());
      return (await line('event_consumer_pending')) > 0;
    });
  });

  it('keep nothing in hand that came while they stop, and nothing is handled twice', async () => {
    const { media, dispatcher } = await setUp();
    const jsm = await dispatcher.jetstreamManager();
    const durable = 'transcription-dispatcher-forget-file';
    const sent = Array.from({ length: 15 }, ids);
    const handled: string[] = [];
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const reaction = consumer(mediaEvents.deleted, 'forget-file', async ({ fileId }) => {
      handled.push(fileId);
      await held;
    });
    const first = reaction.start(dispatcher);
    // The others come while the first is being handled.
    for (const data of sent) {
      await publish(media, data);
      await waitFor(() => handled.length === 1);
    }
    await waitFor(async () => (await jsm.consumers.info('EVENTS', durable)).num_ack_pending === sent.length);
    const stopped = first.stop();
    goOn();
    await stopped;
    await dispatcher.ping();
    const { num_ack_pending: kept } = await jsm.consumers.info('EVENTS', durable);
    const second = reaction.start(await connect('transcription-dispatcher'));
    await waitFor(() => handled.length >= sent.length);
    await second.stop();
    expect(kept).toBe(0);
    expect(handled.toSorted()).toEqual(sent.map(({ fileId }) => fileId).toSorted());
  });

  it('drop an event that can never be handled, and go on with the next', async () => {
    const { media, dispatcher } = await setUp();
    const seen: string[] = [];
    const running = consumer(mediaEvents.deleted, 'forget-file', async ({ fileId }) => {
      seen.push(fileId);
      if (seen.length === 1) throw invalid('invalid_request', 'never');
    }).start(dispatcher);
    const [first, second] = [ids(), ids()];
    await publish(media, first);
    await publish(media, second);
    await waitFor(() => seen.length === 2);
    // Allowed: nothing announces that no repetition follows.
    await sleep(1_000);
    expect(seen).toEqual([first.fileId, second.fileId]);
    await running.stop();
  });

  it('go on after the broker was killed and came back', async () => {
    const { media, dispatcher } = await setUp();
    const { seen, running } = startSeeing(dispatcher);
    await publish(media, ids());
    await waitFor(() => seen.length === 1);
    await nats.kill9();
    await nats.restart();
    const after = ids();
    await waitFor(async () => {
      await publish(media, after, after.fileId).catch(() => {});
      return seen.includes(after.fileId);
    });
    await running.stop();
  });

  it('go on with a stream that was deleted and created again, even if the broker did not notify their pulls', async () => {
    const { media, dispatcher } = await setUp();
    const renewals = [media, dispatcher].map((bus) => new Promise<void>((resolve) => bus.onRenewal(resolve)));
    const jsm = await dispatcher.jetstreamManager();
    const { seen, running } = startSeeing(dispatcher);
    await publish(media, ids());
    await waitFor(() => seen.length === 1);
    const { config } = await jsm.streams.info('EVENTS');
    await jsm.streams.delete('EVENTS');
    await jsm.streams.add(config);
    await Promise.all(renewals);
    const after = ids();
    await publish(media, after);
    await waitFor(() => seen.includes(after.fileId));
    await running.stop();
  });

  it('must be in the topology of their service', async () => {
    const media = await connect('media');
    const stray = consumer(transcriptionEvents.runOpened, 'made-up', async () => {});
    expect(() => stray.start(media)).toThrow('not in the topology');
  });
});
