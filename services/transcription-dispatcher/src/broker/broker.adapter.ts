import { eventFeed } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  nanos,
  NatsError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from 'nats';
import { durables, type QueueState } from './gauges.ts';

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
    name: 'JOBS',
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
const bucketLifeMs = 60_000;

/** The broker's streams, durables and buckets: made at start, made again when the broker has lost them. */
export const createBroker = ({ bus, onEmptied }: { bus: Bus; onEmptied: (stream: string) => void }) => {
  let first = true;

  const provision = async (): Promise<void> => {
    const jsm = await bus.jetstreamManager();
    const made: string[] = [];
    for (const config of streams) if (await ensureStream(jsm, config, first)) made.push(config.name);
    for (const d of durables) await ensureDurable(jsm, d);
    await ensureFeed(jsm);
    for (const bucket of buckets)
      await bus.jetstream().views.kv(bucket, { history: 1, ttl: bucketLifeMs, storage: StorageType.File });
    for (const name of made) if (!first || name === 'JOBS') onEmptied(name);
    first = false;
  };
  const quietly = () =>
    provision().catch((err: unknown) => bus.log.warn({ err: err as Error }, 'streams not checked; tried again later'));

  const part: Part = {
    name: 'broker',
    start: async () => {
      await provision();
      bus.onReconnect(() => void quietly());
    },
    stop: async () => {},
  };

  return {
    part,
    /** Makes whatever is missing; cheap when nothing is. */
    provision,
    /** One round trip. */
    queues: async (): Promise<QueueState[]> => {
      const answer = await bus
        .nc()
        .request('$JS.API.CONSUMER.LIST.JOBS', JSON.stringify({ offset: 0 }), { timeout: 2_000 });
      const { consumers = [] } = answer.json<{ consumers?: Listed[] }>();
      return consumers.map((c) => ({ durable: c.name, pending: c.num_pending, unacknowledged: c.num_ack_pending }));
    },
    /** Messages on JOBS by durable, delivered or not. */
    tickets: async (): Promise<Map<string, number>> => {
      const jsm = await bus.jetstreamManager();
      const { state } = await jsm.streams.info('JOBS', { subjects_filter: 'job.>' });
      const all = new Map<string, number>();
      for (const [subject, count] of Object.entries(state.subjects ?? {})) {
        const [, queue, domain] = subject.split('.');
        const durable = `${queue}-${domain}`;
        all.set(durable, (all.get(durable) ?? 0) + count);
      }
      return all;
    },
    /** Acknowledges in the name of a worker that cannot any more. Nothing is lost when the broker does not hear it. */
    takeAway: (ticket: string): void => {
      if (bus.connected()) bus.nc().publish(ticket, '+ACK');
    },
  };
};
export type Broker = ReturnType<typeof createBroker>;

type Listed = { name: string; num_pending: number; num_ack_pending: number };

const missing = (e: unknown): boolean => e instanceof NatsError && e.api_error?.code === 404;

/** @returns true when the stream was not there. One that was is brought up to date at start. */
const ensureStream = async (
  jsm: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
  update: boolean,
): Promise<boolean> => {
  try {
    await jsm.streams.info(config.name);
  } catch (e) {
    if (!missing(e)) throw e;
    await jsm.streams.add(config);
    return true;
  }
  if (!update) return false;
  const { name, subjects, retention: _, storage: __, ...mutable } = config;
  await jsm.streams.update(name, { ...mutable, ...(subjects ? { subjects } : {}) });
  return false;
};

const ensureDurable = async (jsm: JetStreamManager, d: (typeof durables)[number]): Promise<void> => {
  await jsm.consumers.info('JOBS', d.name).catch(async (e: unknown) => {
    if (!missing(e)) throw e;
    await jsm.consumers.add('JOBS', {
      durable_name: d.name,
      filter_subject: d.filter,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(d.ackWaitMs),
      // The attempt policy is in the database; the broker repeats for ever.
      max_deliver: -1,
      max_ack_pending: 1_000,
    });
  });
};

/** Delivers every event to every replica that follows them; such a replica asks the stream for what it missed. */
const ensureFeed = async (jsm: JetStreamManager): Promise<void> => {
  await jsm.consumers.info('EVENTS', eventFeed.durable).catch(async (e: unknown) => {
    if (!missing(e)) throw e;
    await jsm.consumers.add('EVENTS', {
      durable_name: eventFeed.durable,
      deliver_subject: eventFeed.subject,
      deliver_policy: DeliverPolicy.New,
      ack_policy: AckPolicy.None,
    });
  });
};
