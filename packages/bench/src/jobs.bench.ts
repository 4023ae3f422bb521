import { randomUUID } from 'node:crypto';
import { createBus, createLog } from '@overtone/service-kit';
import { startNats, startRedis } from '@overtone/testkit';
import { Queue, Worker } from 'bullmq';
import { AckPolicy, headers, nanos, RetentionPolicy, StorageType, type JsMsg } from 'nats';
import { alternate, measureSeconds, type Bench } from './bench.ts';

const enqueuers = 500;
const inFlight = 500;

/** Enqueues and processes empty jobs with BullMQ. @returns seconds. */
export async function bullmq(url: string, jobs: number): Promise<number> {
  const { hostname: host, port, password } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null, ...(password ? { password } : {}) };
  const queue = new Queue('jobs', {
    connection,
    skipVersionCheck: true,
    defaultJobOptions: { removeOnComplete: true },
  });
  await queue.waitUntilReady();
  const drain = async (): Promise<void> => {
    const worker = new Worker('jobs', async () => {}, { connection, skipVersionCheck: true, concurrency: 100 });
    let done = 0;
    await new Promise<void>((resolve) => {
      worker.on('completed', () => {
        done += 1;
        if (done === jobs) resolve();
      });
    });
    await worker.close();
  };
  const taken = await measureSeconds(async () => {
    await abreast(enqueuers, jobs, () => queue.add('prepare', JSON.parse(bodyOf())));
    await drain();
  });
  await queue.obliterate({ force: true });
  await queue.close();
  return taken;
}

/** Runs an operation `count` times, at most `width` concurrently. */
async function abreast(width: number, count: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: width }, lane));
}

function bodyOf() {
  return JSON.stringify({ taskId: randomUUID(), input: { runId: randomUUID(), fileId: randomUUID() } });
}

/** The queue like the dispatcher's: a file-backed work queue; every job has an id, every acknowledgement is confirmed. */
async function ours(url: string, jobs: number): Promise<number> {
  const log = createLog('bench', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
  const bus = createBus({ service: 'transcription-dispatcher', url, log });
  await bus.connect();
  const jsm = await bus.jetstreamManager();
  await jsm.streams.add({
    name: 'JOBS',
    subjects: ['job.>'],
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    duplicate_window: nanos(5 * 60_000),
  });
  const durable = { durable_name: 'cpu-media', filter_subject: 'job.cpu.media.*', ack_policy: AckPolicy.Explicit };
  await jsm.consumers.add('JOBS', { ...durable, ack_wait: nanos(20_000), max_ack_pending: 1_000 });
  const enqueue = () => {
    const messageHeaders = headers();
    messageHeaders.set('Nats-Msg-Id', randomUUID());
    return bus.publish('job.cpu.media.prepare', bodyOf(), { headers: messageHeaders });
  };
  const drain = async (): Promise<void> => {
    const consumer = await bus.jetstream().consumers.get('JOBS', 'cpu-media');
    let done = 0;
    await new Promise<void>((resolve, reject) => {
      const take = (msg: JsMsg) =>
        bus.acknowledge(msg).then(() => {
          done += 1;
          if (done === jobs) resolve();
        });
      consumer.consume({ max_messages: inFlight, callback: (msg) => void take(msg).catch(reject) }).catch(reject);
    });
  };
  const taken = await measureSeconds(async () => {
    await abreast(enqueuers, jobs, enqueue);
    await drain();
  });
  await jsm.streams.delete('JOBS');
  await bus.close();
  return taken;
}

/** The job queue without the dispatcher's database: enqueue, receive, process, acknowledge. */
export const jobsBench: Bench = {
  name: 'jobs',
  about: 'enqueue, process and acknowledge empty jobs, compared with BullMQ on a Redis without persistence',
  run: async function* ({ size }) {
    const jobs = Math.max(1_000, Math.round(10_000 * size));
    const [nats, redis] = await Promise.all([startNats(), startRedis()]);
    try {
      const { mine, theirs } = await alternate(3, {
        mine: async () => jobs / (await ours(nats.url, jobs)),
        theirs: async () => jobs / (await bullmq(redis.url, jobs)),
      });
      yield* [
        {
          name: `jobs: ${jobs}`,
          ours: `${Math.round(mine)}/s`,
          peer: `BullMQ ${Math.round(theirs)}/s`,
          ratio: mine / theirs,
          goal: '>= 1.00',
          met: mine >= theirs,
        },
      ];
    } finally {
      await Promise.all([nats.stop(), redis.stop()]);
    }
  },
};
