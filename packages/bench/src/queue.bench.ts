import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Bench, type Row } from './bench.ts';
import { gaugesRow } from './queue.gauges.ts';
import { startHops, type Hops } from './queue.hops.ts';
import { throughputRows } from './queue.throughput.ts';
import { createQueueWorld, openRuns, enqueueSql, fillQueue, startIdleWorker, type QueueWorld } from './queue.world.ts';

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

function row(name: string, value: number, bare: number, limit: number): Row {
  return {
    name,
    ours: ms(value),
    peer: `bare ${ms(bare)}`,
    ratio: value / bare,
    goal: `<= ${limit} ms`,
    met: value <= limit,
  };
}

type Latencies = { ours: number[]; bare: number[] };
/** Latency from the commit of a job to its handler (outbox, broker, claim), alternating with the minimal path. */
async function startLatency(world: QueueWorld, hops: Hops, count: number): Promise<Latencies> {
  let onStart: (() => void) | undefined;
  const worker = await startIdleWorker(world, 4, () => onStart?.());
  const latencies: Latencies = { ours: [], bare: [] };
  for (const { run } of await openRuns(world, count)) {
    const started = new Promise<number>((resolve) => {
      onStart = () => resolve(performance.now());
    });
    await world.database.query('begin');
    await world.database.query(enqueueSql, [[run]]);
    await world.database.query('commit');
    const committedAt = performance.now();
    latencies.ours.push((await started) - committedAt);
    await sleep(10);
    latencies.bare.push(await hops.hop());
    await sleep(10);
  }
  await worker.stop();
  return latencies;
}

async function latencyRows(world: QueueWorld, count: number): Promise<Row[]> {
  const hops = await startHops(world);
  try {
    await startLatency(world, hops, 50);
    const { ours, bare } = await startLatency(world, hops, count);
    const at = (name: string, share: number, limit: number): Row =>
      row(`queue: order to start, ${name}`, quantile(ours, share), quantile(bare, share), limit);
    return [at('p50', 0.5, 2), at('p99', 0.99, 15)];
  } finally {
    await hops.stop();
  }
}

/** The job queue of the product: the dispatcher's database, its outbox, the broker, claims and results. */
export const queueBench: Bench = {
  name: 'queue',
  about: 'jobs through the dispatcher: start latency, throughput, and the cost of the gauges of a long queue',
  run: async function* ({ size }) {
    const world = await createQueueWorld();
    try {
      yield* await latencyRows(world, Math.max(100, Math.round(500 * size)));
      const waiting = Math.max(1_000, Math.round(100_000 * size));
      await fillQueue(world, waiting);
      yield await gaugesRow(world, waiting);
      yield* await throughputRows(world, Math.max(200, Math.round(1_000 * size)));
    } finally {
      await world.close();
    }
  },
};
