import { expect, it } from '@jest/globals';
import { mediaEvents, operationsEvents, stages, stageJobs } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { headers } from 'nats';
import { assertionOf, statusOf, uploadedFile } from '../../test/harness.ts';
import { expectProcessedOnce } from '../../test/once.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();

/** Expires the leases of a file's running tasks. */
async function expireLeases(fileId: string): Promise<void> {
  const kv = await world.test.jetstream({ timeout: 30_000 }).views.kv('LEASES');
  const tasks = await world.sql<{ uuid: string; token: number }>(
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
  const mortal = await world.worker({
    [stage]: async () => {
      await mortal.vanish();
      died();
      await new Promise(() => {});
    },
  });
  const file = await world.upload();
  await death;
  await world.worker();
  await expireLeases(file.fileId);
  await expectProcessedOnce(world, file.fileId);
  const [lost] = await world.sql<{ n: number; failures: number }>(
    'select sum(infra_requeues)::int as n, sum(failures)::int as failures from task where file_id = $1',
    [file.fileId],
  );
  expect(lost).toEqual({ n: 1, failures: 0 });
});

it('tasks whose signals are delivered repeatedly are completed once', async () => {
  const file = await world.upload();
  const task = await waitFor(async () =>
    (
      await world.sql<{ uuid: string; input: unknown }>('select uuid, input from task where file_id = $1', [
        file.fileId,
      ])
    ).at(0),
  );
  const body = JSON.stringify({ taskId: task.uuid, input: task.input });
  for (let i = 0; i < 5; i += 1)
    await world.test.jetstream({ timeout: 30_000 }).publish(stageJobs.prepare.subject, body, { headers: headers() });
  await world.worker();
  await world.worker();
  await expectProcessedOnce(world, file.fileId);
});

it("a slow worker's late result is rejected", async () => {
  const { promise: sleep, resolve: wakeUp } = Promise.withResolvers<void>();
  const sleepy = await world.worker({ transcribe: (_delivery, times) => (times === 1 ? sleep : undefined) });
  const file = await world.upload();
  await waitFor(
    async () =>
      (
        await world.sql(`select 1 from task where file_id = $1 and stage = 'transcribe' and status = 'in_progress'`, [
          file.fileId,
        ])
      ).length,
  );
  await world.worker();
  await expireLeases(file.fileId);
  await world.becomes(file.fileId, 'completed');
  wakeUp();
  await waitFor(() => sleepy.done.some((dead) => dead.stage === 'transcribe'));
  await expectProcessedOnce(world, file.fileId);
});

it('rebuilds the queue when the broker has lost it', async () => {
  const files = [uploadedFile(), uploadedFile(), uploadedFile()];
  for (const file of files) await world.emit(mediaEvents.uploaded, file);
  for (const file of files) await waitFor(() => statusOf(world, file.fileId));
  const jsm = await world.test.jetstreamManager();
  await waitFor(async () => (await jsm.streams.info('JOBS')).state.messages >= 3);
  await jsm.streams.delete('JOBS');
  await world.worker();
  for (const file of files) await expectProcessedOnce(world, file.fileId);
});

it('publishes events again when the broker has lost them, without repeating work', async () => {
  const worker = await world.worker();
  const file = await world.upload();
  await expectProcessedOnce(world, file.fileId);
  const jsm = await world.test.jetstreamManager();
  await jsm.streams.delete('EVENTS');
  await waitFor(() => jsm.streams.info('EVENTS'));
  await expectProcessedOnce(world, file.fileId);
  expect(worker.stagesDone()).toEqual([...stages]);
});

/** Waits until the broker has stored the signal of a file's first task. Signals of other tests may still be there. */
async function signalStored(fileId: string): Promise<void> {
  const jsm = await world.test.jetstreamManager();
  await waitFor(async () => {
    const [task] = await world.sql<{ uuid: string }>('select uuid from task where file_id = $1', [fileId]);
    const { state } = await jsm.streams.info('JOBS');
    for (let seq = state.last_seq; task && seq >= state.first_seq; seq -= 1) {
      const signal = await jsm.streams.getMessage('JOBS', { seq }).catch(() => undefined);
      if (signal?.json<{ taskId: string }>().taskId === task.uuid) return true;
    }
    return undefined;
  });
}

it('publishes a single lost signal again', async () => {
  const file = await world.upload();
  await signalStored(file.fileId);
  const jsm = await world.test.jetstreamManager();
  await waitFor(async () => {
    // Too recent for the periodic check: only the request republishes it, unless the machine rests for 15 s here.
    await world.sql(`update task set published_at = now() where file_id = $1`, [file.fileId]);
    await jsm.streams.purge('JOBS');
    const response = await world.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(file.ownerId, 'admin'));
    const { success, count, total } = (await response.json()) as Record<string, unknown>;
    return success === true && count === 1 && total === 1;
  });
  const audited = await waitFor(async () =>
    (await world.events()).find((event) => event.subject === operationsEvents.performed.subject),
  );
  expect(audited.data).toMatchObject({ action: 'stuck_recovered', actorId: file.ownerId, details: { count: 1 } });
  await world.worker();
  await world.becomes(file.fileId, 'completed');
});

it('publishes all signals of a long queue again', async () => {
  const jsm = await world.test.jetstreamManager();
  // A signal too many of another test would stand for one of these tasks.
  await jsm.streams.purge('JOBS');
  await world.sql(
    `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms, publications, published_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'index', 'job.embedding.search.index', 'embedding',
              '{}', 5, 2000, 1, now() - interval '1 hour' from generate_series(1, 250)`,
  );
  // Requested explicitly, unless the periodic check was faster.
  await world.dispatcher.post('/api/tasks/recover-stuck-tasks', assertionOf(uploadedFile().ownerId, 'admin'));
  const republished = () => world.sql(`select 1 from task where input = '{}' and publications = 2`);
  await waitFor(async () => (await republished()).length === 250, { intervalMs: 200 });
  const waiting = async () => (await jsm.consumers.info('JOBS', 'embedding-search')).num_pending;
  await waitFor(async () => (await waiting()) === 250, { intervalMs: 200 });
  await world.sql(`update task set status = 'cancelled' where input = '{}'`);
  await jsm.streams.purge('JOBS');
});

it("publishes stage completed republished when media's report of the transcript was lost", async () => {
  world.media.lost.reports = true;
  // Also when this test fails: the next ones need the reports.
  cleanUpAfterTest(async () => void (world.media.lost.reports = false));
  await world.worker();
  const file = await world.upload();
  const assembled = () =>
    world.sql(
      `select 1 from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'assemble' and s.status = 'completed'`,
      [file.fileId],
    );
  await waitFor(async () => (await assembled()).length);
  await world.sql(
    `update stage set completed_at = now() - interval '1 hour' where run_id = (select uuid from run where file_id = $1)`,
    [file.fileId],
  );
  world.media.lost.reports = false;
  await world.becomes(file.fileId, 'completed');
});

it('a task that crashes every worker eventually fails its run', async () => {
  const file = await world.upload();
  await waitFor(() => statusOf(world, file.fileId));
  await world.sql(
    `update task set status = 'in_progress', worker = 'x', claimed_at = now() - interval '1 hour', infra_requeues = 10 where file_id = $1`,
    [file.fileId],
  );
  await world.becomes(file.fileId, 'failed');
});

it('gauges count a task as waiting, reserved and orphaned', async () => {
  const { promise: work, resolve: goOn } = Promise.withResolvers<void>();
  await world.worker({ transcribe: () => work });
  const file = await world.upload();
  await waitFor(
    async () => (await world.gauge('gpu', 'reserved')) === 1 && (await world.gauge('gpu', 'orphaned')) === 0,
  );
  await waitFor(async () => (await world.gauge('gpu', 'oldest_unacked_age_seconds')) > 0);
  goOn();
  await world.becomes(file.fileId, 'completed');
  await waitFor(async () => (await world.gauge('gpu', 'reserved')) === 0);
});

it('counts a file that lost too many workers in its gauge', async () => {
  const file = await world.upload();
  await waitFor(() => statusOf(world, file.fileId));
  await waitFor(async () =>
    /celery_queue_depth\{queue="cpu"\} [1-9]/.test(await world.dispatcher.internal('/metrics/queues')),
  );
  await world.sql(`update task set infra_requeues = 1 where file_id = $1`, [file.fileId]);
  await waitFor(async () => /transcription_files_infra_requeued 1/.test(await world.dispatcher.internal('/metrics')));
  await world.worker();
  await world.becomes(file.fileId, 'completed');
});
