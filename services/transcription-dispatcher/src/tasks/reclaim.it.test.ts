import { expect, it } from '@jest/globals';
import { dispatcherRpc, jobDurable, mediaEvents, stageJobs, systemJobs, type Stage } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { randomUUID } from 'node:crypto';
import { uploadedFile } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();

async function taskInStatus(fileId: string, stage: Stage, status: string) {
  const task = await world.taskOf(fileId, stage);
  return task?.status === status ? task : undefined;
}

it("a task is orphaned when its worker's heartbeats stop, although its lease is valid", async () => {
  const gate = Promise.withResolvers<void>();
  const dyingWorker = await world.worker({ transcribe: () => gate.promise });
  const file = await world.upload();
  const task = await waitFor(() => taskInStatus(file.fileId, 'transcribe', 'in_progress'));
  await waitFor(async () => (await world.gauge('gpu', 'reserved')) === 1);
  await dyingWorker.vanish();
  // Renews the lease, so that only the missing heartbeat shows the death.
  const kv = await world.test.jetstream({ timeout: 30_000 }).views.kv('LEASES');
  const entry = await kv.get(`task.${task.uuid}`);
  const expiresAt = Date.now() + 600_000;
  await kv.put(`task.${task.uuid}`, JSON.stringify({ ...entry?.json<object>(), expiresAt }));
  await waitFor(
    async () => (await world.gauge('gpu', 'orphaned')) === 1 && (await world.gauge('gpu', 'reserved')) === 0,
  );

  await kv.put(`task.${task.uuid}`, JSON.stringify({ ...entry?.json<object>(), expiresAt: 1 }));
  await world.sql(`update task set claimed_at = now() - interval '1 hour' where uuid = $1`, [task.uuid]);
  await waitFor(() => taskInStatus(file.fileId, 'transcribe', 'pending'));
  const [row] = await world.sql('select priority, rank, infra_requeues, failures from task where uuid = $1', [
    task.uuid,
  ]);
  expect(row).toEqual({ priority: 0, rank: 0, infra_requeues: 1, failures: 0 });
  await waitFor(async () => (await world.gauge('gpu', 'orphaned')) === 0);
  gate.resolve();
  await world.worker();
  await world.becomes(file.fileId, 'completed');
  expect(await world.sql('select outcome from task_attempt where task_id = $1 order by token', [task.uuid])).toEqual([
    { outcome: 'lost' },
    { outcome: 'completed' },
  ]);
  expect(await stageEvents(file.fileId, 'transcribe')).toEqual(['started', 'reset', 'started', 'completed']);
});

/** The stage's event types in order. */
async function stageEvents(fileId: string, stage: string): Promise<string[]> {
  return (await world.events())
    .filter(({ data, subject }) => data['fileId'] === fileId && data['stage'] === stage && subject.includes('.stage.'))
    .map(({ subject }) => subject.split('.')[3] ?? '');
}

it('a file that waits for a worker is never stuck', async () => {
  const file = await world.upload();
  const task = await waitFor(() => taskInStatus(file.fileId, 'prepare', 'pending'));
  await world.sql(
    `update task set published_at = now() - interval '30 days', created_at = now() - interval '30 days',
            waiting_since = now() - interval '30 days' where uuid = $1`,
    [task.uuid],
  );
  // After the periodic checks the run shows its waiting reason, and nothing has failed.
  await waitFor(
    async () =>
      (await world.sql('select 1 from run where file_id = $1 and waiting_for is not null', [file.fileId])).length,
  );
  expect(await world.sql('select status, failures, infra_requeues from task where uuid = $1', [task.uuid])).toEqual([
    { status: 'pending', failures: 0, infra_requeues: 0 },
  ]);
  await world.worker();
  await world.becomes(file.fileId, 'completed');
  expect(await stageEvents(file.fileId, 'prepare')).toEqual(['started', 'completed']);
});

it('a run does not show a waiting reason while a worker processes it', async () => {
  const work = Promise.withResolvers<void>();
  await world.worker({ prepare: () => work.promise });
  const file = await world.upload();
  await waitFor(() => taskInStatus(file.fileId, 'prepare', 'in_progress'));
  await world.sql(`update run set waiting_for = 'worker' where file_id = $1`, [file.fileId]);
  await waitFor(
    async () => (await world.sql('select 1 from run where file_id = $1 and waiting_for is null', [file.fileId])).length,
  );
  work.resolve();
  await world.becomes(file.fileId, 'completed');
});

it('a task beyond its time limit fails the attempt and is retried', async () => {
  await world.worker({
    transcribe: (dead, times) =>
      times > 1
        ? undefined
        : new Promise<void>((_, reject) =>
            dead.signal.addEventListener('abort', () => reject(dead.signal.reason as Error)),
          ),
  });
  const file = await world.upload();
  const task = await waitFor(() => taskInStatus(file.fileId, 'transcribe', 'in_progress'));
  await world.sql(`update task set claimed_at = now() - interval '1 day' where uuid = $1`, [task.uuid]);
  await world.becomes(file.fileId, 'completed');
  expect(
    await world.sql('select outcome, error_code from task_attempt where task_id = $1 order by token', [task.uuid]),
  ).toEqual([
    { outcome: 'failed', error_code: 'job_timeout' },
    { outcome: 'completed', error_code: null },
  ]);
  expect(await stageEvents(file.fileId, 'transcribe')).toEqual(['started', 'reset', 'started', 'completed']);
});

it('a task that has waited long moves to the next priority', async () => {
  const file = await world.upload();
  const task = await waitFor(() => taskInStatus(file.fileId, 'prepare', 'pending'));
  const age = () => world.sql(`update task set waiting_since = now() - interval '1 day' where uuid = $1`, [task.uuid]);
  const priority = async () =>
    (await world.sql('select priority from task where uuid = $1', [task.uuid]))[0]?.['priority'];
  await world.sql('update task set priority = 2 where uuid = $1', [task.uuid]);
  await age();
  await waitFor(async () => (await priority()) === 1);
  await age();
  await waitFor(async () => (await priority()) === 0);
  await world.emit(mediaEvents.cancelOrdered, file);
  await world.becomes(file.fileId, 'cancelled');
});

it('system.reclaim_orphaned_deliveries is enqueued once per slot and completed', async () => {
  const jsm = await world.test.jetstreamManager();
  await waitFor(async () => {
    const info = await jsm.consumers.info('JOBS', jobDurable(systemJobs.reclaimOrphaned));
    return info.delivered.consumer_seq > 0 && info.num_ack_pending === 0 && info.num_pending === 0;
  });
});

it('a short recording does not wait for a long one of another owner', async () => {
  await world.worker({}, { queues: ['cpu'] });
  const [long, also, short] = [uploadedFile(), uploadedFile(), uploadedFile()];
  also.ownerId = long.ownerId;
  const upload = async (file: typeof long) => {
    await world.emit(mediaEvents.uploaded, file);
    await waitFor(() => taskInStatus(file.fileId, 'transcribe', 'pending'));
  };
  for (const file of [long, short]) await upload(file);
  await world.sql(`update task set cost_s = 3600, express = false where file_id = $1 and stage = 'transcribe'`, [
    long.fileId,
  ]);
  await world.sql(`update task set rank = 0 where file_id = $1 and stage = 'transcribe'`, [long.fileId]);

  const hour = Promise.withResolvers<void>();
  const begun: string[] = [];
  const worker = await world.worker(
    {
      transcribe: (_, __, input) => {
        begun.push(input.fileId);
        return input.fileId === long.fileId ? hour.promise : undefined;
      },
      diarize: () => hour.promise,
    },
    { queues: ['gpu'], express: { gpu: 1 } },
  );
  // Both slots ask at the same time.
  await waitFor(() => begun.includes(short.fileId) && begun.includes(long.fileId));
  await upload(also);
  // No other task of the long recording's owner takes the express slot.
  const subjects = [stageJobs.transcribe.subject];
  const question = {
    claimId: randomUUID(),
    durable: 'gpu-transcription',
    workerId: 'x',
    lane: 'express' as const,
    subjects,
  };
  await waitFor(() => taskInStatus(short.fileId, 'diarize', 'in_progress'));
  expect(await worker.bus.request(dispatcherRpc.claim, question)).toMatchObject({ outcome: 'wait' });
  hour.resolve();
  await world.worker();
  for (const file of [long, also, short]) await world.becomes(file.fileId, 'completed');
});
