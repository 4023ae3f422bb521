import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@overtone/database';
import { startRedis } from '@overtone/testkit';
import { Client } from 'pg';
import { alternate, measureSeconds, type Row } from './bench.ts';
import { bullmq } from './jobs.bench.ts';
import { openRuns, enqueueSql, startIdleWorker, type QueueWorld } from './queue.world.ts';

const concurrency = 16;
const rounds = 3;

/** Writes the same rows as a claim and an accepted result, without any logic: two commits. */
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

/** Stages through the dispatcher, compared with bare commits and with a queue in memory. */
export async function throughputRows(world: QueueWorld, count: number): Promise<Row[]> {
  const [redis, plain] = await Promise.all([startRedis(), bareDatabase(world)]);
  try {
    const { ours, rows, jobs } = await alternate(rounds, {
      ours: async () => count / (await measureDispatcher(world, count)),
      rows: async () => count / (await measureBareCommits(plain, count)),
      jobs: async () => count / (await bullmq(redis.url, count)),
    });
    const row = (name: string, peer: string, theirs: number): Row => ({
      name: `queue: stages through the dispatcher, ${name}`,
      ours: `${Math.round(ours)}/s`,
      peer: `${peer} ${Math.round(theirs)}/s`,
      ratio: ours / theirs,
    });
    return [row('beside its rows', 'bare commits', rows), row('beside a queue in memory', 'BullMQ', jobs)];
  } finally {
    await redis.stop();
  }
}

/** A separate database on the same server without a dispatcher. */
async function bareDatabase({ database, postgres }: QueueWorld): Promise<string> {
  await database.query('create database bare');
  const url = new URL(postgres);
  url.pathname = '/bare';
  await migrate({ url: url.href, passwords: {} });
  return url.href;
}

/** The whole path: enqueue, outbox relay, claim with a fencing token, execution, and the result with the next stage. */
async function measureDispatcher(world: QueueWorld, count: number): Promise<number> {
  const runs = (await openRuns(world, count)).map(({ run }) => run);
  let startedJobs = 0;
  const worker = await startIdleWorker(world, concurrency, () => (startedJobs += 1));
  const unfinished = `select 1 from task where run_id = any($1) and stage = 'prepare' and status <> 'completed' limit 1`;
  const duration = await measureSeconds(async () => {
    await enqueueAll(world, runs);
    // The tables are queried only after the last start, because queries would affect the measurement.
    while (startedJobs < count) await sleep(5);
    while ((await world.database.query(unfinished, [runs])).rowCount !== 0) await sleep(10);
  });
  await worker.stop();
  return duration;
}

/** The lower bound for a job that is stored in these tables. */
async function measureBareCommits(url: string, count: number): Promise<number> {
  const clients = Array.from({ length: concurrency }, () => new Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  const [database] = clients as [Client, ...Client[]];
  const runs = (await openRuns({ database }, count)).map(({ run }) => run);
  const duration = await measureSeconds(async () => {
    await enqueueAll({ database }, runs);
    const remaining = [...runs];
    await Promise.all(
      clients.map(async (client) => {
        for (let run = remaining.pop(); run; run = remaining.pop())
          for (const [i, text] of bareStatements.entries())
            await client.query({ name: `bare-${i}`, text, values: [run] });
      }),
    );
  });
  await Promise.all(clients.map((client) => client.end()));
  return duration;
}

async function enqueueAll({ database }: Pick<QueueWorld, 'database'>, runs: string[]): Promise<void> {
  for (let at = 0; at < runs.length; at += 100) await database.query(enqueueSql, [runs.slice(at, at + 100)]);
}
