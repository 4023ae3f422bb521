import { expect, test } from '@jest/globals';
import { mediaEvents, operationsEvents, stages, stageJobs } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { assertionOf, patience, statusOf, uploadedFile } from '../../test/harness.ts';
import { expectOnce } from '../../test/once.ts';
import { standing } from '../../test/standing.ts';

const w = standing();

/** Time passes: whoever does not renew a lease has none. */
const expireLeases = async (fileId: string): Promise<void> => {
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

test.each(stages)('a worker that dies in the middle of %s costs a moment, not the job', async (stage) => {
  const file = uploadedFile();
  let died: () => void = () => {};
  const death = new Promise<void>((resolve) => {
    died = resolve;
  });
  const mortal = await w.worker({
    [stage]: async () => {
      await mortal.vanish();
      died();
      await new Promise(() => {});
    },
  });
  await w.emit(mediaEvents.uploaded, file);
  await death;
  await w.worker();
  await expireLeases(file.fileId);
  await expectOnce(w, file.fileId);
  const [lost] = await w.sql<{ n: number; failures: number }>(
    'select sum(infra_requeues)::int as n, sum(failures)::int as failures from task where file_id = $1',
    [file.fileId],
  );
  expect(lost).toEqual({ n: 1, failures: 0 });
});

test('orders that are delivered several times are done once', async () => {
  const file = await w.upload();
  const task = await waitFor(async () =>
    (
      await w.sql<{ uuid: string; input: unknown }>('select uuid, input from task where file_id = $1', [file.fileId])
    ).at(0),
  );
  const body = JSON.stringify({ taskId: task.uuid, input: task.input });
  for (let i = 0; i < 5; i += 1)
    await w.test.jetstream().publish(stageJobs.prepare.subject, body, { headers: headers() });
  await w.worker();
  await w.worker();
  await expectOnce(w, file.fileId);
});

test('a worker that was only slow finds its late result refused', async () => {
  const file = uploadedFile();
  let wakeUp: () => void = () => {};
  const sleepy = await w.worker({
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
  await w.worker();
  await expireLeases(file.fileId);
  await w.becomes(file.fileId, 'completed');
  wakeUp();
  await waitFor(() => sleepy.done.some((d) => d.stage === 'transcribe'));
  await expectOnce(w, file.fileId);
});

test('the queue is rebuilt when the broker has lost it', async () => {
  const files = [uploadedFile(), uploadedFile(), uploadedFile()];
  for (const file of files) await w.emit(mediaEvents.uploaded, file);
  for (const file of files) await waitFor(() => statusOf(w, file.fileId));
  const jsm = await w.test.jetstreamManager();
  await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 3);
  await jsm.streams.delete('JOBS');
  await w.worker();
  for (const file of files) await expectOnce(w, file.fileId);
});

test('events are told again when the broker has lost them, and nothing is done twice', async () => {
  const file = uploadedFile();
  const worker = await w.worker();
  await w.emit(mediaEvents.uploaded, file);
  await expectOnce(w, file.fileId);
  const jsm = await w.test.jetstreamManager();
  await jsm.streams.delete('EVENTS');
  await waitFor(() => jsm.streams.info('EVENTS'), patience);
  await expectOnce(w, file.fileId);
  expect(worker.stagesDone()).toEqual([...stages]);
});

test('a message that was lost alone is put there again', async () => {
  const file = await w.upload();
  const jsm = await w.test.jetstreamManager();
  await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 1);
  await jsm.streams.purge('JOBS');
  // Too new for the dispatcher's own look: only who asks gets it back now.
  await w.sql(`update task set published_at = now() where file_id = $1`, [file.fileId]);
  const answer = await w.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(file.ownerId, 'admin'));
  expect(await answer.json()).toMatchObject({ success: true, count: 1, total: 1 });
  const told = await waitFor(async () =>
    (await w.events()).find((e) => e.subject === operationsEvents.performed.subject),
  );
  expect(told.data).toMatchObject({ action: 'stuck_recovered', actorId: file.ownerId, details: { count: 1 } });
  await w.worker();
  await w.becomes(file.fileId, 'completed');
});

test('a long queue is put there again as a whole', async () => {
  await w.sql(
    `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, publications, published_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'index', 'job.embedding.search.index', 'embedding',
              '{}', 5, 2000, 1, now() - interval '1 hour' from generate_series(1, 250)`,
  );
  // Asked for, unless the dispatcher has seen it itself meanwhile.
  await w.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(uploadedFile().ownerId, 'admin'));
  const again = () => w.sql(`select 1 from task where input = '{}' and publications = 2`);
  await waitFor(async () => (await again()).length === 250, { timeoutMs: 120_000, intervalMs: 200 });
  const jsm = await w.test.jetstreamManager();
  const waiting = async () => (await jsm.consumers.info('JOBS', 'embedding-search')).num_pending;
  await waitFor(async () => (await waiting()) === 250, { timeoutMs: 120_000, intervalMs: 200 });
  await w.sql(`update task set status = 'cancelled' where input = '{}'`);
  await jsm.streams.purge('JOBS');
});

test('a transcript that was stored without our hearing of it is asked for again', async () => {
  w.media.stop();
  const file = uploadedFile();
  await w.worker();
  await w.emit(mediaEvents.uploaded, file);
  const assembled = () =>
    w.sql(
      `select 1 from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'assemble' and s.status = 'completed'`,
      [file.fileId],
    );
  await waitFor(async () => (await assembled()).length, patience);
  await w.sql(
    `update stage set completed_at = now() - interval '1 hour' where run_id = (select uuid from run where file_id = $1)`,
    [file.fileId],
  );
  w.media.comeBack();
  await w.becomes(file.fileId, 'completed');
});

test('a task that kills every worker fails its run in the end', async () => {
  const file = await w.upload();
  await waitFor(() => statusOf(w, file.fileId));
  await w.sql(
    `update task set status = 'in_progress', worker = 'x', claimed_at = now() - interval '1 hour', infra_requeues = 10 where file_id = $1`,
    [file.fileId],
  );
  await w.becomes(file.fileId, 'failed');
});

test('an order is counted as waiting, as held, and as held by nobody any more', async () => {
  const file = uploadedFile();
  let goOn: () => void = () => {};
  await w.worker({
    transcribe: () =>
      new Promise<void>((resolve) => {
        goOn = resolve;
      }),
  });
  await w.emit(mediaEvents.uploaded, file);
  await waitFor(async () => (await w.gauge('gpu', 'reserved')) === 1 && (await w.gauge('gpu', 'orphaned')) === 0);
  await waitFor(async () => (await w.gauge('gpu', 'oldest_unacked_age_seconds')) > 0);
  goOn();
  await w.becomes(file.fileId, 'completed');
  await waitFor(async () => (await w.gauge('gpu', 'reserved')) === 0);
});

test('a file that lost its worker too often shows in its gauge', async () => {
  const file = await w.upload();
  await waitFor(() => statusOf(w, file.fileId));
  await waitFor(async () =>
    /celery_queue_depth\{queue="cpu"\} [1-9]/.test(await w.dispatcher.internal('/metrics/queues')),
  );
  await w.sql(`update task set infra_requeues = 1 where file_id = $1`, [file.fileId]);
  await waitFor(async () => /transcription_files_infra_requeued 1/.test(await w.dispatcher.internal('/metrics')), {
    timeoutMs: 120_000,
  });
  await w.worker();
  await w.becomes(file.fileId, 'completed');
});
