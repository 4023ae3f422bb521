import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Bench, type Row } from './bench.ts';
import { gaugesRow } from './queue.gauges.ts';
import { throughputRows } from './queue.throughput.ts';
import { createQueueWorld, openRuns, orderSql, pileUp, startIdleWorker, type QueueWorld } from './queue.world.ts';

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const row = (name: string, value: number, limit: number): Row => ({
  name,
  ours: ms(value),
  peer: '',
  ratio: null,
  goal: `<= ${limit} ms`,
  met: value <= limit,
});

/** From the commit of an order to the first line of its handler: outbox, broker, claim. */
const startLatency = async (world: QueueWorld, count: number): Promise<number[]> => {
  let begun: (() => void) | undefined;
  const worker = await startIdleWorker(world, 4, () => begun?.());
  const taken: number[] = [];
  for (const { run } of await openRuns(world, count)) {
    const started = new Promise<number>((resolve) => {
      begun = () => resolve(performance.now());
    });
    await world.database.query('begin');
    await world.database.query(orderSql, [[run]]);
    await world.database.query('commit');
    const from = performance.now();
    taken.push((await started) - from);
    await sleep(10);
  }
  await worker.stop();
  return taken;
};

const latencyRows = async (world: QueueWorld, count: number): Promise<Row[]> => {
  await startLatency(world, 50);
  const taken = await startLatency(world, count);
  return [
    row('queue: order to start, p50', quantile(taken, 0.5), 2),
    row('queue: order to start, p99', quantile(taken, 0.99), 15),
  ];
};

/** The queue as it is used: the dispatcher's database, its outbox, the broker, claims and results. */
export const queueBench: Bench = {
  name: 'queue',
  about: 'orders through the dispatcher: how soon one is begun, how many are done, what a look at a long queue costs',
  run: async ({ size }) => {
    const world = await createQueueWorld();
    try {
      const rows = await latencyRows(world, Math.max(100, Math.round(500 * size)));
      const waiting = Math.max(1_000, Math.round(100_000 * size));
      await pileUp(world, waiting);
      return [
        ...rows,
        await gaugesRow(world, waiting),
        ...(await throughputRows(world, Math.max(200, Math.round(1_000 * size)))),
      ];
    } finally {
      await world.close();
    }
  },
};
