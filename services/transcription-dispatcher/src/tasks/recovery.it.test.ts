import { expect, it } from '@jest/globals';
import { mediaEvents, operationsEvents, stages, stageJobs } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { assertionOf, generousTimeout, statusOf, uploadedFile } from '../../test/harness.ts';
import { expectProcessedOnce } from '../../test/once.ts';
import { startTestWorld } from '../../test/test-world.ts';

const w = startTestWorld();

/** Expires the leases of a file's running tasks. */
async function expireLeases(fileId: string): Promise<void> {
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
}

it.each(stages)('a job survives a worker that dies during %s', async (stage) => {
  const { promise: death, resolve: died } = Promise.withResolvers<void>();
  const mortal = await w.worker({
    [stage]: async () => {
      await mortal.vanish();
      died();
      await new Promise(() => {});
    },
  });
  const file = await w.upload();
  await death;
  await w.worker();
  await expireLeases(file.fileId);
  await expectProcessedOnce(w, file.fileId);
  const [lost] = await w.sql<{ n: number; failures: number }>(
    'select sum(infra_requeues)::int as n, sum(failures)::int as failures from task where file_id = $1',
    [file.fileId],
  );
  expect(lost).toEqual({ n: 1, failures: 0 });
});

it('tasks whose signals are delivered repeatedly are completed once', async () => {
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
  await expectProcessedOnce(w, file.fileId);
});

it("a slow worker's late result is rejected", async () => {
  const { promise: sleep, resolve: wakeUp } = Promise.withResolvers<void>();
  const sleepy = await w.worker({ transcribe: (_delivery, times) => (times === 1 ? sleep : undefined) });
  const file = await w.upload();
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
  await expectProcessedOnce(w, file.fileId);
});

it('rebuilds the queue when the broker has lost it', async () => {
  const files = [uploadedFile(), uploadedFile(), uploadedFile()];
  for (const file of files) await w.emit(mediaEvents.uploaded, file);
  for (const file of files) await waitFor(() => statusOf(w, file.fileId));
  const jsm = await w.test.jetstreamManager();
  await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 3);
  await jsm.streams.delete('JOBS');
  await w.worker();
  for (const file of files) await expectProcessedOnce(w, file.fileId);
});

it('publishes events again when the broker has lost them, without repeating work', async () => {
  const worker = await w.worker();
  const file = await w.upload();
  await expectProcessedOnce(w, file.fileId);
  const jsm = await w.test.jetstreamManager();
  await jsm.streams.delete('EVENTS');
  await waitFor(() => jsm.streams.info('EVENTS'), generousTimeout);
  await expectProcessedOnce(w, file.fileId);
  expect(worker.stagesDone()).toEqual([...stages]);
});

it('publishes a single lost signal again', async () => {
  const file = await w.upload();
  const jsm = await w.test.jetstreamManager();
  await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 1);
  await jsm.streams.purge('JOBS');
  // Too recent for the periodic check: only the request republishes it now.
  await w.sql(`update task set published_at = now() where file_id = $1`, [file.fileId]);
  const response = await w.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(file.ownerId, 'admin'));
  expect(await response.json()).toMatchObject({ success: true, count: 1, total: 1 });
  const audited = await waitFor(async () =>
    (await w.events()).find((e) => e.subject === operationsEvents.performed.subject),
  );
  expect(audited.data).toMatchObject({ action: 'stuck_recovered', actorId: file.ownerId, details: { count: 1 } });
  await w.worker();
  await w.becomes(file.fileId, 'completed');
});

it('publishes all signals of a long queue again', async () => {
  await w.sql(
    `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, publications, published_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'index', 'job.embedding.search.index', 'embedding',
              '{}', 5, 2000, 1, now() - interval '1 hour' from generate_series(1, 250)`,
  );
  // Requested explicitly, unless the periodic check was faster.
  await w.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(uploadedFile().ownerId, 'admin'));
  const republished = () => w.sql(`select 1 from task where input = '{}' and publications = 2`);
  await waitFor(async () => (await republished()).length === 250, { timeoutMs: 120_000, intervalMs: 200 });
  const jsm = await w.test.jetstreamManager();
  const waiting = async () => (await jsm.consumers.info('JOBS', 'embedding-search')).num_pending;
  await waitFor(async () => (await waiting()) === 250, { timeoutMs: 120_000, intervalMs: 200 });
  await w.sql(`update task set status = 'cancelled' where input = '{}'`);
  await jsm.streams.purge('JOBS');
});

it("publishes stage completed republished when media's report of the transcript was lost", async () => {
  w.media.stop();
  await w.worker();
  const file = await w.upload();
  const assembled = () =>
    w.sql(
      `select 1 from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'assemble' and s.status = 'completed'`,
      [file.fileId],
    );
  await waitFor(async () => (await assembled()).length, generousTimeout);
  await w.sql(
    `update stage set completed_at = now() - interval '1 hour' where run_id = (select uuid from run where file_id = $1)`,
    [file.fileId],
  );
  w.media.restart();
  await w.becomes(file.fileId, 'completed');
});

it('a task that crashes every worker eventually fails its run', async () => {
  const file = await w.upload();
  await waitFor(() => statusOf(w, file.fileId));
  await w.sql(
    `update task set status = 'in_progress', worker = 'x', claimed_at = now() - interval '1 hour', infra_requeues = 10 where file_id = $1`,
    [file.fileId],
  );
  await w.becomes(file.fileId, 'failed');
});

it('gauges count a task as waiting, reserved and orphaned', async () => {
  const { promise: work, resolve: goOn } = Promise.withResolvers<void>();
  await w.worker({ transcribe: () => work });
  const file = await w.upload();
  await waitFor(async () => (await w.gauge('gpu', 'reserved')) === 1 && (await w.gauge('gpu', 'orphaned')) === 0);
  await waitFor(async () => (await w.gauge('gpu', 'oldest_unacked_age_seconds')) > 0);
  goOn();
  await w.becomes(file.fileId, 'completed');
  await waitFor(async () => (await w.gauge('gpu', 'reserved')) === 0);
});

it('counts a file that lost too many workers in its gauge', async () => {
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
