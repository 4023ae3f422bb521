import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { workerJobs } from '@overtone/contracts';
import { migrate } from '@overtone/database';
import { worker } from '@overtone/jobs';
import { createBus, createLog, type Bus } from '@overtone/service-kit';
import { assertionKeys, freePort, startNats, startPostgres } from '@overtone/testkit';
import { prepared } from '@overtone/testkit/results';
import { Client } from 'pg';

const main = fileURLToPath(new URL('../../../services/transcription-dispatcher/src/main.ts', import.meta.url));
const log = createLog('bench', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
const password = 'secret';

/** The dispatcher in its own process, with durable servers. */
export async function createQueueWorld() {
  // Flushes the writes of earlier benches, because they would slow down the measured commits.
  await promisify(execFile)('sync');
  const [nats, postgres] = await Promise.all([startNats(), startPostgres({ durable: true })]);
  await migrate({ url: postgres.url, passwords: { transcription_dispatcher: password } });
  const url = new URL(postgres.url);
  url.username = 'transcription_dispatcher';
  url.password = password;
  const internalPort = await freePort();
  const child = spawn(process.execPath, ['--no-warnings', main], {
    env: {
      SERVICE_HOST: '127.0.0.1',
      API_PORT: '0',
      INTERNAL_PORT: String(internalPort),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'text',
      NATS_URL: nats.url,
      DATABASE_URL: url.href,
      ASSERTION_PUBLIC_KEY: assertionKeys().publicKey,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const base = `http://127.0.0.1:${internalPort}`;
  while (
    !(await fetch(`${base}/health/ready`).then(
      (response) => response.ok,
      () => false,
    ))
  )
    await sleep(100);
  const database = new Client({ connectionString: postgres.url });
  await database.connect();
  return {
    base,
    database,
    nats: nats.url,
    postgres: postgres.url,
    close: async () => {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      await database.end();
      await Promise.all([nats.stop(), postgres.stop()]);
    },
  };
}

export type QueueWorld = Awaited<ReturnType<typeof createQueueWorld>>;

/** Creates runs that are ready for their first job. */
export async function openRuns(
  { database }: Pick<QueueWorld, 'database'>,
  count: number,
): Promise<{ run: string; owner: string }[]> {
  const { rows } = await database.query<{ run: string; owner: string }>(
    `with runs as (
       insert into run (uuid, file_id, owner_id, object_key, content_type, options, opened_by, ordered_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'original/x', 'audio/mpeg',
              '{"language":null,"minSpeakers":null,"maxSpeakers":null,"diarize":true}', gen_random_uuid(), now()
       from generate_series(1, $1) returning uuid, file_id, owner_id
     ), stages as (
       insert into stage (run_id, stage)
       select uuid, stage from runs, unnest('{prepare,transcribe,diarize,assemble,index}'::text[]) as stage
     ), timings as (
       insert into file_pipeline_timing (run_id, file_id, user_id, file_opened_at)
       select uuid, file_id, owner_id, now() from runs)
     select uuid as run, owner_id as owner from runs`,
    [count],
  );
  return rows;
}

/** Inserts tasks and wake-up messages like the dispatcher, in one statement. */
export const enqueueSql = `
  with ordered as (
    insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms,
                      publications, published_at, rank, cost_s)
    select gen_random_uuid(), r.uuid, r.file_id, r.owner_id, 'prepare', 'job.cpu.media.prepare', 'cpu',
           jsonb_build_object('runId', r.uuid, 'fileId', r.file_id, 'ownerId', r.owner_id, 'earlier', '{}'::jsonb,
                              'objectKey', r.object_key, 'contentType', r.content_type),
           5, 2000, 1, now(), 60, 60
    from run r where r.uuid = any($1::uuid[]) returning uuid
  ), tickets as (
    insert into transcription_dispatcher_outbox (subject, data, headers, message_id)
    select 'job.cpu.media.prepare', jsonb_build_object('taskId', uuid), '{}'::jsonb, gen_random_uuid() from ordered
    returning id)
  select pg_notify('transcription_dispatcher_outbox', '') from tickets limit 1`;

/** Fills the queue of a durable without a worker: tasks, and wake-up messages that the outbox has published. */
export async function fillQueue({ database }: QueueWorld, count: number): Promise<void> {
  await database.query(
    `with ordered as (
       insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, publications,
                         published_at, priority, rank, cost_s)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'index', 'job.embedding.search.index', 'embedding',
              '{}', 5, 2000, 1, now(), 1, 60 + n, 60
       from generate_series(1, $1) n returning uuid
     ), tickets as (
       insert into transcription_dispatcher_outbox (subject, data, headers, message_id)
       select 'job.embedding.search.index', jsonb_build_object('taskId', uuid), '{}'::jsonb, gen_random_uuid()
       from ordered returning id)
     select pg_notify('transcription_dispatcher_outbox', '') from tickets limit 1`,
    [count],
  );
  await database.query('analyze task');
  const unsent = async () =>
    (await database.query('select 1 from transcription_dispatcher_outbox where sent_at is null limit 1')).rowCount;
  while ((await unsent()) !== 0) await sleep(250);
}

/** A worker whose jobs do nothing except report their start. */
export async function startIdleWorker(world: QueueWorld, concurrency: number, onStart: (runId: string) => void) {
  const bus: Bus = createBus({ service: 'transcription-worker', url: world.nats, log });
  await bus.connect();
  const running = worker(
    { prepare: workerJobs.prepare },
    {
      prepare: async ({ runId }) => {
        onStart(runId);
        return prepared();
      },
    },
    { workerId: `bench-${randomUUID()}`, concurrency: { cpu: concurrency } },
  ).start(bus);
  return {
    stop: async () => {
      await running.stop();
      await bus.close();
    },
  };
}
