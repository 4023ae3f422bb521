import { setTimeout as sleep } from 'node:timers/promises';
import { quantile, type Bench, type Row } from './bench.ts';
import { gaugesRow } from './queue.gauges.ts';
import { createQueueWorld, openRuns, orderSql, pileUp, startIdleWorker, type QueueWorld } from './queue.world.ts';

const atOnce = 16;
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

/** Every task claimed under a token and its result accepted with the order of the next stage: told, not judged. */
const throughputRow = async (world: QueueWorld, count: number): Promise<Row> => {
  const runs = (await openRuns(world, count)).map(({ run }) => run);
  const worker = await startIdleWorker(world, atOnce, () => {});
  const from = performance.now();
  for (let at = 0; at < runs.length; at += 100) await world.database.query(orderSql, [runs.slice(at, at + 100)]);
  const left = async () =>
    (
      await world.database.query(
        `select 1 from task where run_id = any($1) and stage = 'prepare' and status <> 'completed' limit 1`,
        [runs],
      )
    ).rowCount;
  while ((await left()) !== 0) await sleep(50);
  const rate = count / ((performance.now() - from) / 1000);
  await worker.stop();
  return {
    name: 'queue: stages through the dispatcher',
    ours: `${Math.round(rate)}/s`,
    peer: '',
    ratio: null,
    goal: '',
    met: true,
  };
};

/** The queue as it is used: the dispatcher's database, its outbox, the broker, claims and results. */
export const queueBench: Bench = {
  name: 'queue',
  about: 'orders through the dispatcher: how soon one is begun, what looking at a long queue costs',
  run: async ({ size }) => {
    const world = await createQueueWorld();
    try {
      const rows = await latencyRows(world, Math.max(100, Math.round(500 * size)));
      const waiting = Math.max(1_000, Math.round(100_000 * size));
      await pileUp(world, waiting);
      return [
        ...rows,
        await gaugesRow(world, waiting),
        await throughputRow(world, Math.max(200, Math.round(1_000 * size))),
      ];
    } finally {
      await world.close();
    }
  },
};
