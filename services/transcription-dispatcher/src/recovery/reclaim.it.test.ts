import { expect, test } from '@jest/globals';
import { dispatcherRpc, jobDurable, mediaEvents, stageJobs, systemJobs, type Stage } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { randomUUID } from 'node:crypto';
import { patience, uploadedFile } from '../../test/harness.ts';
import { standing } from '../../test/standing.ts';

const w = standing();

const taskThat = async (fileId: string, stage: Stage, status: string) => {
  const task = await w.taskOf(fileId, stage);
  return task?.status === status ? task : undefined;
};
/** Something that lasts until it is let go. */
const held = () => {
  let letGo: () => void = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { until, letGo };
};

test('an order whose worker shows no sign of life is orphaned although its lease has not ended', async () => {
  const file = uploadedFile();
  const never = held();
  const mortal = await w.worker({ transcribe: () => never.until });
  await w.emit(mediaEvents.uploaded, file);
  const task = await waitFor(() => taskThat(file.fileId, 'transcribe', 'in_progress'), patience);
  await waitFor(async () => (await w.gauge('gpu', 'reserved')) === 1, patience);
  await mortal.vanish();
  // As if the lease had only just been renewed, so that nothing but the heartbeat can tell.
  const kv = await w.test.jetstream().views.kv('LEASES');
  const entry = await kv.get(`task.${task.uuid}`);
  const expiresAt = Date.now() + 600_000;
  await kv.put(`task.${task.uuid}`, JSON.stringify({ ...entry?.json<object>(), expiresAt }));
  await waitFor(
    async () => (await w.gauge('gpu', 'orphaned')) === 1 && (await w.gauge('gpu', 'reserved')) === 0,
    patience,
  );

  await kv.put(`task.${task.uuid}`, JSON.stringify({ ...entry?.json<object>(), expiresAt: 1 }));
  await w.sql(`update task set claimed_at = now() - interval '1 hour' where uuid = $1`, [task.uuid]);
  await waitFor(() => taskThat(file.fileId, 'transcribe', 'pending'), patience);
  const [row] = await w.sql('select priority, rank, infra_requeues, failures from task where uuid = $1', [task.uuid]);
  expect(row).toEqual({ priority: 0, rank: 0, infra_requeues: 1, failures: 0 });
  await waitFor(async () => (await w.gauge('gpu', 'orphaned')) === 0, patience);
  never.letGo();
  await w.worker();
  await w.becomes(file.fileId, 'completed');
  expect(await w.sql('select outcome from task_attempt where task_id = $1 order by token', [task.uuid])).toEqual([
    { outcome: 'lost' },
    { outcome: 'completed' },
  ]);
  expect(await stageEvents(file.fileId, 'transcribe')).toEqual(['started', 'reset', 'started', 'completed']);
});

/** Kinds of the stage's events, in their order. */
const stageEvents = async (fileId: string, stage: string): Promise<string[]> =>
  (await w.events())
    .filter(({ data, subject }) => data['fileId'] === fileId && data['stage'] === stage && subject.includes('.stage.'))
    .map(({ subject }) => subject.split('.')[3] ?? '');

test('a file that waits for a worker is not stuck, however long', async () => {
  const file = await w.upload();
  const task = await waitFor(() => taskThat(file.fileId, 'prepare', 'pending'), patience);
  await w.sql(
    `update task set published_at = now() - interval '30 days', created_at = now() - interval '30 days',
            waiting_since = now() - interval '30 days' where uuid = $1`,
    [task.uuid],
  );
  // Whatever is periodic comes by: the run shows what it waits for, and nothing has failed.
  await waitFor(
    async () => (await w.sql('select 1 from run where file_id = $1 and waiting_for is not null', [file.fileId])).length,
    patience,
  );
  expect(await w.sql('select status, failures, infra_requeues from task where uuid = $1', [task.uuid])).toEqual([
    { status: 'pending', failures: 0, infra_requeues: 0 },
  ]);
  await w.worker();
  await w.becomes(file.fileId, 'completed');
  expect(await stageEvents(file.fileId, 'prepare')).toEqual(['started', 'completed']);
});

test('a run that is worked on does not go on showing that it waits', async () => {
  const file = uploadedFile();
  const work = held();
  await w.worker({ prepare: () => work.until });
  await w.emit(mediaEvents.uploaded, file);
  await waitFor(() => taskThat(file.fileId, 'prepare', 'in_progress'), patience);
  await w.sql(`update run set waiting_for = 'worker' where file_id = $1`, [file.fileId]);
  await waitFor(
    async () => (await w.sql('select 1 from run where file_id = $1 and waiting_for is null', [file.fileId])).length,
    patience,
  );
  work.letGo();
  await w.becomes(file.fileId, 'completed');
});

test('what takes longer than its recording can explain fails that try and is tried again', async () => {
  await w.worker({
    transcribe: (d, times) =>
      times > 1
        ? undefined
        : new Promise<void>((_, reject) => d.signal.addEventListener('abort', () => reject(d.signal.reason as Error))),
  });
  const file = await w.upload();
  const task = await waitFor(() => taskThat(file.fileId, 'transcribe', 'in_progress'), patience);
  await w.sql(`update task set claimed_at = now() - interval '1 day' where uuid = $1`, [task.uuid]);
  await w.becomes(file.fileId, 'completed');
  expect(
    await w.sql('select outcome, error_code from task_attempt where task_id = $1 order by token', [task.uuid]),
  ).toEqual([
    { outcome: 'failed', error_code: 'job_timeout' },
    { outcome: 'completed', error_code: null },
  ]);
  expect(await stageEvents(file.fileId, 'transcribe')).toEqual(['started', 'reset', 'started', 'completed']);
});

test('what has waited long becomes as urgent as the next priority', async () => {
  const file = await w.upload();
  const task = await waitFor(() => taskThat(file.fileId, 'prepare', 'pending'), patience);
  const age = () => w.sql(`update task set waiting_since = now() - interval '1 day' where uuid = $1`, [task.uuid]);
  const priority = async () => (await w.sql('select priority from task where uuid = $1', [task.uuid]))[0]?.['priority'];
  await w.sql('update task set priority = 2 where uuid = $1', [task.uuid]);
  await age();
  await waitFor(async () => (await priority()) === 1, patience);
  await age();
  await waitFor(async () => (await priority()) === 0, patience);
  await w.emit(mediaEvents.cancelOrdered, file);
  await w.becomes(file.fileId, 'cancelled');
});

test('system.reclaim_orphaned_deliveries comes once per slot and is worked off', async () => {
  const jsm = await w.test.jetstreamManager();
  await waitFor(async () => {
    const info = await jsm.consumers.info('JOBS', jobDurable(systemJobs.reclaimOrphaned));
    return info.delivered.consumer_seq > 0 && info.num_ack_pending === 0 && info.num_pending === 0;
  }, patience);
});

test('a short recording does not wait for a long one of somebody else', async () => {
  await w.worker({}, { queues: ['cpu'] });
  const [long, also, short] = [uploadedFile(), uploadedFile(), uploadedFile()];
  also.ownerId = long.ownerId;
  for (const file of [long, also, short]) {
    await w.emit(mediaEvents.uploaded, file);
    await waitFor(() => taskThat(file.fileId, 'transcribe', 'pending'), patience);
  }
  await w.sql(`update task set cost_s = 3600, express = false where file_id = $1 and stage = 'transcribe'`, [
    long.fileId,
  ]);
  await w.sql(`update task set rank = 0 where file_id = $1 and stage = 'transcribe'`, [long.fileId]);

  const hour = held();
  const begun: string[] = [];
  const worker = await w.worker(
    {
      transcribe: (_, __, input) => {
        begun.push(input.fileId);
        return input.fileId === long.fileId ? hour.until : undefined;
      },
      diarize: () => hour.until,
    },
    { queues: ['gpu'], express: { gpu: 1 } },
  );
  await waitFor(() => begun.includes(short.fileId), patience);
  expect(begun).toEqual([long.fileId, short.fileId]);
  // Nor does anything else of the owner whose hour is being worked on.
  const subjects = [stageJobs.transcribe.subject];
  const question = {
    claimId: randomUUID(),
    durable: 'gpu-transcription',
    workerId: 'x',
    lane: 'express' as const,
    subjects,
  };
  await waitFor(() => taskThat(short.fileId, 'diarize', 'in_progress'), patience);
  expect(await worker.bus.ask(dispatcherRpc.claim, question)).toMatchObject({ outcome: 'wait' });
  hour.letGo();
  await w.worker();
  for (const file of [long, also, short]) await w.becomes(file.fileId, 'completed');
});
