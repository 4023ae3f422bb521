import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mediaEvents, operationsEvents, stages, stageJobs, transcriptionEvents } from '@overtone/contracts';
import { migrate } from '@overtone/database';
import { startNats, startPostgres, waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import {
  assertionOf,
  busUsers,
  createWorld,
  spawnDispatcher,
  startDispatcher,
  startMedia,
  startWorker,
  statusOf,
  uploadedFile,
  worldOf,
  type World,
} from '../../test/harness.ts';

const completed = (w: World, fileId: string, timeoutMs = 120_000) =>
  waitFor(async () => (await statusOf(w, fileId).catch(() => undefined)) === 'completed', {
    timeoutMs,
    intervalMs: 100,
  });

/** The job was done once: every stage accepted once, in order, and told of once. */
const expectOnce = async (w: World, fileId: string): Promise<void> => {
  const said = await waitFor(
    async () => {
      const all = (await w.events()).filter((e) => e.data['fileId'] === fileId);
      return all.some((e) => e.subject === transcriptionEvents.runCompleted.subject) ? all : undefined;
    },
    { timeoutMs: 120_000 },
  );
  const accepted = said.filter((e) => e.subject === transcriptionEvents.stageCompleted.subject);
  expect(accepted.map((e) => [e.data['stage'], e.data['sequence']])).toEqual(stages.map((s, i) => [s, i + 1]));
  expect(said.filter((e) => e.subject === transcriptionEvents.runCompleted.subject)).toHaveLength(1);
  expect(await w.sql('select status, count(*)::int from task where file_id = $1 group by status', [fileId])).toEqual([
    { status: 'completed', count: 5 },
  ]);
};

/** Time passes: whoever does not renew a lease has none. */
const expireLeases = async (w: World, fileId: string): Promise<void> => {
  const kv = await w.test.jetstream().views.kv('LEASES');
  const tasks = await w.sql<{ uuid: string; token: number }>(
    `update task set claimed_at = now() - interval '1 hour' where file_id = $1 and status = 'in_progress' returning uuid, token`,
    [fileId],
  );
  for (const { uuid, token } of tasks)
    await kv.put(
      `task.${uuid}`,
      JSON.stringify({
        worker: 'x',
        service: 'transcription-worker',
        queue: 'cpu',
        token,
        deliveredAt: 0,
        expiresAt: 1,
      }),
    );
};

describe('with the dispatcher running', () => {
  let w: World;
  let dispatcher: Awaited<ReturnType<typeof startDispatcher>>;
  let media: ReturnType<typeof startMedia>;
  const workers: Awaited<ReturnType<typeof startWorker>>[] = [];
  const startOne = async (...args: Parameters<typeof startWorker> extends [World, ...infer R] ? R : never) => {
    const worker = await startWorker(w, ...args);
    workers.push(worker);
    return worker;
  };

  beforeAll(async () => {
    w = await createWorld();
    dispatcher = await startDispatcher(w);
  });
  afterAll(async () => {
    await dispatcher.stop();
    await w.test.close();
    await w.nats.stop();
  });
  beforeEach(() => {
    media = startMedia(w);
  });
  afterEach(async () => {
    media.stop();
    for (const worker of workers.splice(0)) await worker.stop().catch(() => {});
  });

  test.each(stages)(
    'a worker that dies in the middle of %s costs a moment, not the job',
    async (stage) => {
      const file = uploadedFile();
      let died: () => void = () => {};
      const death = new Promise<void>((resolve) => {
        died = resolve;
      });
      const mortal = await startOne({
        [stage]: async () => {
          await mortal.vanish();
          died();
          await new Promise(() => {});
        },
      });
      await w.emit(mediaEvents.uploaded, file);
      await death;
      workers.splice(workers.indexOf(mortal), 1);
      // It has no voice any more; this only ends its loops.
      void mortal.stop();
      await startOne();
      await expireLeases(w, file.fileId);
      await completed(w, file.fileId);
      await expectOnce(w, file.fileId);
      const [lost] = await w.sql<{ n: number; failures: number }>(
        'select sum(infra_requeues)::int as n, sum(failures)::int as failures from task where file_id = $1',
        [file.fileId],
      );
      expect(lost).toEqual({ n: 1, failures: 0 });
    },
    400_000,
  );

  test('orders that are delivered several times are done once', async () => {
    const file = uploadedFile();
    await w.emit(mediaEvents.uploaded, file);
    const task = await waitFor(async () =>
      (
        await w.sql<{ uuid: string; input: unknown }>('select uuid, input from task where file_id = $1', [file.fileId])
      ).at(0),
    );
    const body = JSON.stringify({ taskId: task.uuid, input: task.input });
    for (let i = 0; i < 5; i += 1)
      await w.test.jetstream().publish(stageJobs.prepare.subject, body, { headers: headers() });
    await startOne();
    await startOne();
    await completed(w, file.fileId);
    await expectOnce(w, file.fileId);
  }, 400_000);

  test('a worker that was only slow finds its late result refused', async () => {
    const file = uploadedFile();
    let wakeUp: () => void = () => {};
    const sleepy = await startOne({
      transcribe: (_d, times) =>
        times === 1
          ? new Promise<void>((resolve) => {
              wakeUp = resolve;
            })
          : undefined,
    });
    await w.emit(mediaEvents.uploaded, file);
    await waitFor(
      async () =>
        (
          await w.sql(`select 1 from task where file_id = $1 and stage = 'transcribe' and status = 'in_progress'`, [
            file.fileId,
          ])
        ).length,
    );
    await startOne();
    await expireLeases(w, file.fileId);
    await completed(w, file.fileId);
    wakeUp();
    await waitFor(() => sleepy.done.some((d) => d.stage === 'transcribe'));
    await expectOnce(w, file.fileId);
  }, 400_000);

  test('the queue is rebuilt when the broker has lost it', async () => {
    const files = [uploadedFile(), uploadedFile(), uploadedFile()];
    for (const file of files) await w.emit(mediaEvents.uploaded, file);
    for (const file of files) await waitFor(() => statusOf(w, file.fileId));
    const jsm = await w.test.jetstreamManager();
    await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 3);
    await jsm.streams.delete('JOBS');
    await startOne();
    for (const file of files) await completed(w, file.fileId);
    for (const file of files) await expectOnce(w, file.fileId);
  }, 400_000);

  test('events are told again when the broker has lost them, and nothing is done twice', async () => {
    const file = uploadedFile();
    const worker = await startOne();
    await w.emit(mediaEvents.uploaded, file);
    await completed(w, file.fileId);
    await expectOnce(w, file.fileId);
    const jsm = await w.test.jetstreamManager();
    await jsm.streams.delete('EVENTS');
    await waitFor(() => jsm.streams.info('EVENTS'), { timeoutMs: 120_000 });
    await expectOnce(w, file.fileId);
    expect(worker.stagesDone()).toEqual([...stages]);
  }, 400_000);

  test('a message that was lost alone is put there again', async () => {
    const file = uploadedFile();
    await w.emit(mediaEvents.uploaded, file);
    const jsm = await w.test.jetstreamManager();
    await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 1);
    await jsm.streams.purge('JOBS');
    // Too new for the dispatcher's own look: only who asks gets it back now.
    await w.sql(`update task set published_at = now() where file_id = $1`, [file.fileId]);
    const answer = await dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(file.ownerId, 'admin'));
    expect(await answer.json()).toMatchObject({ success: true, count: 1, total: 1 });
    const told = await waitFor(async () =>
      (await w.events()).find((e) => e.subject === operationsEvents.performed.subject),
    );
    expect(told.data).toMatchObject({ action: 'stuck_recovered', actorId: file.ownerId, details: { count: 1 } });
    await startOne();
    await completed(w, file.fileId);
  }, 400_000);

  test('a long queue is put there again as a whole', async () => {
    await w.sql(
      `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, publications, published_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'index', 'job.embedding.search.index', 'embedding',
              '{}', 5, 2000, 1, now() - interval '1 hour' from generate_series(1, 250)`,
    );
    // Asked for, unless the dispatcher has seen it itself meanwhile.
    await dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(uploadedFile().ownerId, 'admin'));
    const again = () => w.sql(`select 1 from task where input = '{}' and publications = 2`);
    await waitFor(async () => (await again()).length === 250, { timeoutMs: 120_000, intervalMs: 200 });
    const jsm = await w.test.jetstreamManager();
    const waiting = async () => (await jsm.consumers.info('JOBS', 'embedding-search')).num_pending;
    await waitFor(async () => (await waiting()) === 250, { timeoutMs: 120_000, intervalMs: 200 });
    await w.sql(`update task set status = 'cancelled' where input = '{}'`);
    await jsm.streams.purge('JOBS');
  }, 400_000);

  test('a transcript that was stored without our hearing of it is asked for again', async () => {
    media.stop();
    const file = uploadedFile();
    await startOne();
    await w.emit(mediaEvents.uploaded, file);
    const assembled = () =>
      w.sql(
        `select 1 from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'assemble' and s.status = 'completed'`,
        [file.fileId],
      );
    await waitFor(async () => (await assembled()).length, { timeoutMs: 120_000 });
    await w.sql(
      `update stage set completed_at = now() - interval '1 hour' where run_id = (select uuid from run where file_id = $1)`,
      [file.fileId],
    );
    media = startMedia(w);
    await completed(w, file.fileId);
  }, 400_000);

  test('a task that kills every worker fails its run in the end', async () => {
    const file = uploadedFile();
    await w.emit(mediaEvents.uploaded, file);
    await waitFor(() => statusOf(w, file.fileId));
    await w.sql(
      `update task set status = 'in_progress', worker = 'x', claimed_at = now() - interval '1 hour', infra_requeues = 10 where file_id = $1`,
      [file.fileId],
    );
    await waitFor(async () => (await statusOf(w, file.fileId)) === 'failed', { timeoutMs: 120_000 });
  }, 400_000);

  test('an order is counted as waiting, as held, and as held by nobody any more', async () => {
    const file = uploadedFile();
    const gauge = async (name: string) =>
      Number(
        new RegExp(`celery_queue_${name}\\{queue="gpu"\\} ([\\d.]+)`).exec(
          await dispatcher.internal('/metrics/queues'),
        )?.[1],
      );
    let goOn: () => void = () => {};
    await startOne({
      transcribe: () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    });
    await w.emit(mediaEvents.uploaded, file);
    await waitFor(async () => (await gauge('reserved')) === 1 && (await gauge('orphaned')) === 0);
    await waitFor(async () => (await gauge('oldest_unacked_age_seconds')) > 0);
    goOn();
    await completed(w, file.fileId);
    await waitFor(async () => (await gauge('reserved')) === 0);
  }, 400_000);

  test('a file that lost its worker too often shows in its gauge', async () => {
    const file = uploadedFile();
    await w.emit(mediaEvents.uploaded, file);
    await waitFor(() => statusOf(w, file.fileId));
    await waitFor(async () =>
      /celery_queue_depth\{queue="cpu"\} [1-9]/.test(await dispatcher.internal('/metrics/queues')),
    );
    await w.sql(`update task set infra_requeues = 1 where file_id = $1`, [file.fileId]);
    await waitFor(async () => /transcription_files_infra_requeued 1/.test(await dispatcher.internal('/metrics')), {
      timeoutMs: 120_000,
    });
    await startOne();
    await completed(w, file.fileId);
  }, 400_000);
});

test('two dispatchers side by side do every job once', async () => {
  const w = await createWorld();
  const dispatchers = await Promise.all([startDispatcher(w), startDispatcher(w)]);
  const media = startMedia(w);
  const workers = await Promise.all([startWorker(w), startWorker(w)]);
  const files = Array.from({ length: 6 }, () => uploadedFile());
  for (const file of files) await w.emit(mediaEvents.uploaded, file);
  for (const file of files) await completed(w, file.fileId);
  for (const file of files) await expectOnce(w, file.fileId);
  for (const worker of workers) await worker.stop();
  media.stop();
  for (const dispatcher of dispatchers) await dispatcher.stop();
  await w.test.close();
  await w.nats.stop();
}, 400_000);

describe('whatever is killed at any moment', () => {
  const drive = async (w: World, kill: (round: number) => Promise<void>, rounds: number): Promise<void> => {
    const media = startMedia(w);
    // Work takes a moment, so that a kill meets every kind of state.
    const moment = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    const script = { prepare: moment, transcribe: moment, diarize: moment, assemble: moment, index: moment };
    const worker = await startWorker(w, script);
    const files = Array.from({ length: rounds }, () => uploadedFile());
    for (const [round, file] of files.entries()) {
      await w.emit(mediaEvents.uploaded, file);
      await new Promise((resolve) => setTimeout(resolve, 37 * round));
      await kill(round);
    }
    for (const file of files) await completed(w, file.fileId, 240_000);
    for (const file of files) await expectOnce(w, file.fileId);
    await worker.stop();
    media.stop();
  };

  test('the dispatcher: every job is still done once', async () => {
    const w = await createWorld();
    let dispatcher = await spawnDispatcher(w);
    await drive(
      w,
      async () => {
        await dispatcher.kill9();
        dispatcher = await spawnDispatcher(w);
      },
      5,
    );
    await dispatcher.kill9();
    await w.test.close();
    await w.nats.stop();
  }, 400_000);

  test('the broker: every job is still done once', async () => {
    const w = await createWorld();
    const dispatcher = await startDispatcher(w);
    await drive(
      w,
      async () => {
        await w.nats.kill9();
        await w.nats.restart();
      },
      4,
    );
    await dispatcher.stop();
    await w.test.close();
    await w.nats.stop();
  }, 400_000);

  test('the database: every job is still done once', async () => {
    const [nats, postgres] = await Promise.all([startNats({ users: busUsers() }), startPostgres({ durable: true })]);
    const password = 'secret';
    await migrate({ url: postgres.url, passwords: { transcription_dispatcher: password } });
    const url = new URL(postgres.url);
    url.username = 'transcription_dispatcher';
    url.password = password;
    const w = await worldOf(nats, { url: postgres.url }, url.href);
    const dispatcher = await startDispatcher(w);
    await drive(
      w,
      async () => {
        await postgres.kill9();
        await postgres.restart();
      },
      4,
    );
    await dispatcher.stop();
    await w.test.close();
    await nats.stop();
    await postgres.stop();
  }, 400_000);
});
