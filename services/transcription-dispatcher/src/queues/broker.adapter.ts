import { eventFeed, liveness } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from 'nats';
import { durables, type JobSignals, type QueueState } from './queues.ts';

const jobStream = 'JOBS';
const day = 24 * 60 * 60_000;
const streams: (Partial<StreamConfig> & { name: string })[] = [
  {
    name: 'EVENTS',
    subjects: ['evt.>'],
    storage: StorageType.File,
    max_age: nanos(7 * day),
    max_bytes: 1024 ** 3,
    duplicate_window: nanos(5 * 60_000),
    allow_direct: true,
  },
  {
    name: jobStream,
    subjects: ['job.>'],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_msgs: 1_000_000,
    duplicate_window: nanos(5 * 60_000),
    allow_direct: true,
  },
];
const buckets = ['LEASES', 'WORKERS'];

/** Creates the broker's streams, durables and buckets at start, and again when the broker has lost them. */
export function createBroker({ bus }: { bus: Bus }) {
  let first = true;
  /** A broker loses messages only when it restarts, so that positions are checked once for each connection. */
  let isConnectionNew = true;
  let notifyLoss = (): void => {};

  const checkPositions = async (jsm: JetStreamManager): Promise<void> => {
    isConnectionNew = false;
    try {
      for (const { name } of streams) await removeConsumersAhead(jsm, name, bus.log);
    } catch (error) {
      isConnectionNew = true;
      throw error;
    }
  };

  const provision = async (): Promise<void> => {
    const jsm = await bus.jetstreamManager();
    let jobsCreated = false;
    for (const config of streams) if (await ensureStream(jsm, config, first)) jobsCreated ||= config.name === jobStream;
    if (isConnectionNew) await checkPositions(jsm);
    for (const durable of durables) await ensureConsumer(jsm, jobStream, jobConsumer(durable));
    await ensureConsumer(jsm, 'EVENTS', feedConsumer);
    for (const bucket of buckets)
      await bus.jetstream().views.kv(bucket, { history: 1, ttl: liveness.bucketLifeMs, storage: StorageType.File });
    if (jobsCreated) notifyLoss();
    first = false;
  };
  const provisionOrLog = () =>
    provision().catch((err: unknown) => bus.log.warn({ err: err as Error }, 'stream check failed'));

  const part: Part = {
    name: 'broker',
    start: async () => {
      await provision();
      bus.onRenewal(() => {
        isConnectionNew = true;
        void provisionOrLog();
      });
    },
    stop: async () => {},
  };

  const signals: JobSignals = {
    provision,
    countSignals: async () =>
      new Map(
        (await listQueues(bus)).map(({ durable, pending, unacknowledged }) => [durable, pending + unacknowledged]),
      ),
    acknowledgeSignal: (replySubject) => {
      if (bus.connected()) bus.nc().publish(replySubject, '+ACK');
    },
    onLoss: (notify) => (notifyLoss = notify),
  };

  return { part, signals, listQueues: () => listQueues(bus) };
}

export type Broker = ReturnType<typeof createBroker>;

/** Lists the job durables in one round trip. */
async function listQueues(bus: Bus): Promise<QueueState[]> {
  const reply = await bus
    .nc()
    .request(`$JS.API.CONSUMER.LIST.${jobStream}`, JSON.stringify({ offset: 0 }), { timeout: 2_000 });
  const { consumers = [] } = reply.json<{ consumers?: Listed[] }>();
  return consumers.map((consumer) => ({
    durable: consumer.name,
    pending: consumer.num_pending,
    unacknowledged: consumer.num_ack_pending,
  }));
}

type Listed = { name: string; num_pending: number; num_ack_pending: number };

function isNotFound(value: unknown): boolean {
  return value instanceof NatsError && value.api_error?.code === 404;
}

/** Creates a missing stream; updates an existing one at start. @returns true when it was created. */
async function ensureStream(
  jsm: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
  update: boolean,
): Promise<boolean> {
  try {
    await jsm.streams.info(config.name);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await jsm.streams.add(config);
    return true;
  }
  if (!update) return false;
  const { name, subjects, retention: _, storage: __, ...mutable } = config;
  await jsm.streams.update(name, { ...mutable, ...(subjects ? { subjects } : {}) });
  return false;
}

/**
 * Removes consumers that are ahead of their stream, so that they are created again and begin with its first message. After
 * a crash on a full disk the broker may have lost the messages but not the positions, and would never deliver new messages
 * before them. The stream is read last: its sequence only grows.
 */
async function removeConsumersAhead(jsm: JetStreamManager, stream: string, log: Bus['log']): Promise<void> {
  const positions = new Map<string, number>();
  for await (const { name, delivered } of jsm.consumers.list(stream)) positions.set(name, delivered.stream_seq);
  const { state } = await jsm.streams.info(stream);
  for (const [consumer, position] of positions) {
    if (position <= state.last_seq) continue;
    log.warn({ stream, consumer, position, last: state.last_seq }, 'consumer removed: it is ahead of its stream');
    await jsm.consumers.delete(stream, consumer);
  }
}

async function ensureConsumer(
  jsm: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { durable_name: string },
): Promise<void> {
  await jsm.consumers.info(stream, config.durable_name).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error;
    await jsm.consumers.add(stream, config);
  });
}

/** The durable of a kind of jobs. */
function jobConsumer({ name, filter, ackWaitMs }: (typeof durables)[number]) {
  return {
    durable_name: name,
    filter_subject: filter,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    // The attempt policy is in the database; the broker redelivers without a limit.
    max_deliver: -1,
    max_ack_pending: 1_000,
  };
}

/** Pushes every event to every subscribed replica; a replica reads missed events from the stream itself. */
const feedConsumer = {
  durable_name: eventFeed.durable,
  deliver_subject: eventFeed.subject,
  deliver_policy: DeliverPolicy.New,
  ack_policy: AckPolicy.None,
};
