import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Bench, type Row } from './bench.ts';
import { gaugesRow } from './queue.gauges.ts';
import { startHops, type Hops } from './queue.hops.ts';
import { throughputRows } from './queue.throughput.ts';
import { createQueueWorld, openRuns, orderSql, pileUp, startIdleWorker, type QueueWorld } from './queue.world.ts';

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const row = (name: string, value: number, bare: number, limit: number): Row => ({
  name,
  ours: ms(value),
  peer: `bare ${ms(bare)}`,
  ratio: value / bare,
  goal: `<= ${limit} ms`,
  met: value <= limit,
});

type Taken = { ours: number[]; bare: number[] };
/** From the commit of an order to the first line of its handler: outbox, broker, claim. Turn by turn with the bare way. */
const startLatency = async (world: QueueWorld, hops: Hops, count: number): Promise<Taken> => {
  let begun: (() => void) | undefined;
  const worker = await startIdleWorker(world, 4, () => begun?.());
  const taken: Taken = { ours: [], bare: [] };
  for (const { run } of await openRuns(world, count)) {
    const started = new Promise<number>((resolve) => {
      begun = () => resolve(performance.now());
    });
    await world.database.query('begin');
    await world.database.query(orderSql, [[run]]);
    await world.database.query('commit');
    const from = performance.now();
    taken.ours.push((await started) - from);
    await sleep(10);
    taken.bare.push(await hops.hop());
    await sleep(10);
  }
  await worker.stop();
  return taken;
};

const latencyRows = async (world: QueueWorld, count: number): Promise<Row[]> => {
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
};

/** The queue as it is used: the dispatcher's database, its outbox, the broker, claims and results. */
export const queueBench: Bench = {
  name: 'queue',
  about: 'orders through the dispatcher: how soon one is begun, how many are done, what a look at a long queue costs',
  run: async function* ({ size }) {
    const world = await createQueueWorld();
    try {
      yield* await latencyRows(world, Math.max(100, Math.round(500 * size)));
      const waiting = Math.max(1_000, Math.round(100_000 * size));
      await pileUp(world, waiting);
      yield await gaugesRow(world, waiting);
      yield* await throughputRows(world, Math.max(200, Math.round(1_000 * size)));
    } finally {
      await world.close();
    }
  },
};
