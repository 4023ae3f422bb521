import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@overtone/database';
import { startRedis } from '@overtone/testkit';
import { Client } from 'pg';
import { quantile, type Row } from './bench.ts';
import { bullmq } from './jobs.bench.ts';
import { openRuns, orderSql, startIdleWorker, type QueueWorld } from './queue.world.ts';

const atOnce = 16;
const rounds = 3;
const seconds = async (work: () => Promise<void>): Promise<number> => {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
};
const orderAll = async ({ database }: Pick<QueueWorld, 'database'>, runs: string[]): Promise<void> => {
  for (let at = 0; at < runs.length; at += 100) await database.query(orderSql, [runs.slice(at, at + 100)]);
};

/** The whole way: ordered, told by the outbox, claimed under a token, done, accepted with the order of the next stage. */
const dispatched = async (world: QueueWorld, count: number): Promise<number> => {
  const runs = (await openRuns(world, count)).map(({ run }) => run);
  let begun = 0;
  const worker = await startIdleWorker(world, atOnce, () => (begun += 1));
  const unfinished = `select 1 from task where run_id = any($1) and stage = 'prepare' and status <> 'completed' limit 1`;
  const taken = await seconds(async () => {
    await orderAll(world, runs);
    // The tables are asked only when the last one has begun: asking would cost what is being measured.
    while (begun < count) await sleep(5);
    while ((await world.database.query(unfinished, [runs])).rowCount !== 0) await sleep(10);
  });
  await worker.stop();
  return taken;
};

/** The rows that a claim and an accepted result leave behind, written by whoever knows which: two commits. */
const bareStatements = [
  `with held as (
     update task set status = 'in_progress', token = 1, worker = 'bare', claimed_at = now(), started_at = now()
     where run_id = $1 and stage = 'prepare' returning uuid
   ), tried as (insert into task_attempt (task_id, token, attempt, worker) select uuid, 1, 1, 'bare' from held
   ), begun as (update stage set status = 'running', started_at = now() where run_id = $1 and stage = 'prepare')
   insert into transcription_dispatcher_outbox (subject, data, sent_at) values ('bare', '{}', now())`,
  `with ended as (
     update task set status = 'completed', completed_at = now() where run_id = $1 and stage = 'prepare' returning uuid
   ), tried as (update task_attempt set outcome = 'completed', ended_at = now() from ended where task_id = ended.uuid
   ), led as (update run set sequence = 1, audio_duration_s = 60 where uuid = $1
   ), done as (update stage set status = 'completed', output = '{}', completed_at = now() where run_id = $1 and stage = 'prepare'
   ), timed as (update file_pipeline_timing set prepare_s = 1, audio_duration_s = 60 where run_id = $1
   ), next as (
     insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, rank, cost_s)
     select gen_random_uuid(), uuid, file_id, owner_id, 'transcribe', 'job.bare.bare.bare', 'bare', '{}', 3, 2000, 60, 60
     from run where uuid = $1
   ), awaited as (update stage set ordered_at = now() where run_id = $1 and stage = 'transcribe')
   insert into transcription_dispatcher_outbox (subject, data, sent_at) values ('bare', '{}', now()), ('bare', '{}', now())`,
];

/** A database of its own on the same server, of which no dispatcher knows. */
const bareDatabase = async ({ database, postgres }: QueueWorld): Promise<string> => {
  await database.query('create database bare');
  const url = new URL(postgres);
  url.pathname = '/bare';
  await migrate({ url: url.href, passwords: {} });
  return url.href;
};

/** No order that is kept in these tables can be done faster. */
const bare = async (url: string, count: number): Promise<number> => {
  const clients = Array.from({ length: atOnce }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((c) => c.connect()));
  const [database] = clients as [Client, ...Client[]];
  const runs = (await openRuns({ database }, count)).map(({ run }) => run);
  const taken = await seconds(async () => {
    await orderAll({ database }, runs);
    const left = [...runs];
    await Promise.all(
      clients.map(async (client) => {
        for (let run = left.pop(); run; run = left.pop())
          for (const [i, text] of bareStatements.entries())
            await client.query({ name: `bare-${i}`, text, values: [run] });
      }),
    );
  });
  await Promise.all(clients.map((c) => c.end()));
  return taken;
};

/** Stages through the dispatcher beside what they cannot do without, and beside a queue that keeps nothing. */
export const throughputRows = async (world: QueueWorld, count: number): Promise<Row[]> => {
  const [redis, plain] = await Promise.all([startRedis(), bareDatabase(world)]);
  try {
    const rates = { ours: [] as number[], bare: [] as number[], bullmq: [] as number[] };
    // Turn by turn, so that whatever else the machine does meets all.
    for (let round = 0; round < rounds; round += 1) {
      rates.ours.push(count / (await dispatched(world, count)));
      rates.bare.push(count / (await bare(plain, count)));
      rates.bullmq.push(count / (await bullmq(redis.url, count)));
    }
    const [ours, rows, jobs] = [rates.ours, rates.bare, rates.bullmq].map((all) => quantile(all, 0.5)) as [
      number,
      number,
      number,
    ];
    const row = (name: string, peer: string, theirs: number): Row => ({
      name: `queue: stages through the dispatcher, ${name}`,
      ours: `${Math.round(ours)}/s`,
      peer: `${peer} ${Math.round(theirs)}/s`,
      ratio: ours / theirs,
      goal: '',
      met: true,
    });
    return [row('beside its rows', 'bare commits', rows), row('beside a queue in memory', 'BullMQ', jobs)];
  } finally {
    await redis.stop();
  }
};
