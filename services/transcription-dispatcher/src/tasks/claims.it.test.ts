import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  dispatcherRpc,
  mediaEvents,
  stageJobs,
  transcriptionEvents,
  type ReplyOf,
  type RequestOf,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { createWorld, startDispatcher, statusOf, uploadedFile } from '../../test/harness.ts';
import { expectProcessedOnce } from '../../test/once.ts';
import { startTestWorld } from '../../test/test-world.ts';
import { startMedia } from '../../test/upstream-services.ts';
import { outputs, startWorker } from '../../test/workers.ts';

const world = startTestWorld();
let taskId: string;
let file: ReturnType<typeof uploadedFile>;

beforeEach(async () => {
  await world.sql(`update task set status = 'cancelled' where status in ('pending', 'in_progress')`);
  await world.sql('delete from queue_pause');
  file = await world.upload();
  taskId = await waitFor(() => openTask('prepare'));
});

async function openTask(stage: string): Promise<string | undefined> {
  return (
    await world.sql<{ uuid: string }>('select uuid from task where file_id = $1 and stage = $2', [file.fileId, stage])
  )[0]?.uuid;
}

function requestClaim(workerId: string, more: Partial<RequestOf<typeof dispatcherRpc.claim>> = {}) {
  return world.bus.request(dispatcherRpc.claim, {
    claimId: randomUUID(),
    durable: 'cpu-media',
    workerId,
    lane: 'normal',
    subjects: [stageJobs.prepare.subject],
    ...more,
  });
}

async function claimTask(workerId: string): Promise<number> {
  const reply = await requestClaim(workerId);
  if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
  expect(reply.taskId).toBe(taskId);
  return reply.token;
}

function complete(token: number, output: unknown = outputs.prepare(token)) {
  return world.bus.request(dispatcherRpc.complete, { taskId, token, output });
}

function fail(token: number, retryable = true, code = 'engine_crashed') {
  return world.bus.request(dispatcherRpc.fail, { taskId, token, code, message: 'no', retryable });
}

function readAttempts() {
  return world.sql(
    'select token, attempt, worker, outcome, error_code from task_attempt where task_id = $1 order by token',
    [taskId],
  );
}

/** Changes the task's row, as the retry or recovery loop would. */
function updateTask(data: string) {
  return world.sql(`update task set ${data} where uuid = $1`, [taskId]);
}

async function claimed(reply: ReplyOf<typeof dispatcherRpc.claim>) {
  if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
  return reply;
}

function position(task: Awaited<ReturnType<typeof row>>) {
  return { priority: task?.['priority'], rank: task?.['rank'] };
}

async function row() {
  return (await world.sql('select * from task where uuid = $1', [taskId]))[0];
}

describe('a claim', () => {
  it('returns the task, its input and a token, and the next claim finds none', async () => {
    expect(await requestClaim('a')).toMatchObject({
      outcome: 'claimed',
      taskId,
      subject: stageJobs.prepare.subject,
      input: { fileId: file.fileId },
      token: 1,
      attempt: 1,
    });
    expect(await requestClaim('b')).toEqual({ outcome: 'gone' });
    expect(await readAttempts()).toEqual([{ token: 1, attempt: 1, worker: 'a', outcome: 'running', error_code: null }]);
  });
  it('returns each task once to concurrent claims', async () => {
    for (let i = 0; i < 4; i += 1) await world.emit(mediaEvents.uploaded, uploadedFile());
    await waitFor(async () => (await world.sql(`select 1 from task where status = 'pending'`)).length === 5);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => requestClaim(`w${i}`)));
    const taken = answers.flatMap((answer) => (answer.outcome === 'claimed' ? [answer.taskId] : []));
    expect([taken.length, new Set(taken).size]).toEqual([5, 5]);
  });
  it('returns the same task and token when it is repeated with its claim id', async () => {
    const claimId = randomUUID();
    const [first, second] = [await requestClaim('a', { claimId }), await requestClaim('a', { claimId })];
    expect(second).toEqual(first);
    expect(await readAttempts()).toHaveLength(1);
  });
  it('returns gone when no task waits', async () => {
    await complete(await claimTask('a'));
    expect(await requestClaim('a')).toEqual({ outcome: 'gone' });
  });
  it('does not return a task during its backoff', async () => {
    const token = await claimTask('a');
    // The longest backoff, so that it does not end before the next claim.
    await updateTask('backoff_ms = 3600000');
    await fail(token);
    expect(await requestClaim('b')).toEqual({ outcome: 'gone' });
  });
  it('leaves the job signal to others when the worker does not know the job', async () => {
    expect(await requestClaim('a', { subjects: ['job.cpu.media.other'] })).toMatchObject({ outcome: 'wait' });
    expect(await requestClaim('b')).toMatchObject({ outcome: 'claimed' });
  });
  it('does not return a task that the worker has no room for, and keeps its position when it is released', async () => {
    const { token } = await claimed(await requestClaim('a'));
    const before = await row();
    const release = { taskId, token, keepsPosition: true };
    expect(await world.bus.request(dispatcherRpc.release, release)).toEqual({ outcome: 'released' });
    expect(await row()).toMatchObject({ status: 'pending', failures: 0, infra_requeues: 0, ...position(before) });
    expect(await requestClaim('a', { except: [taskId] })).toMatchObject({ outcome: 'wait' });
    await world.emit(mediaEvents.uploaded, uploadedFile());
    await waitFor(async () => (await world.sql(`select 1 from task where status = 'pending'`)).length === 2);
    expect((await claimed(await requestClaim('a', { except: [taskId] }))).taskId).not.toBe(taskId);
    expect((await claimed(await requestClaim('b'))).taskId).toBe(taskId);
  });
  it('returns wait in a paused queue, where running tasks may still end', async () => {
    const token = await claimTask('a');
    await world.emit(mediaEvents.uploaded, uploadedFile());
    await waitFor(async () => (await world.sql(`select 1 from task where status = 'pending'`)).length === 1);
    await world.sql(`insert into queue_pause (queue, reason, paused_by) values ('cpu', 'disk', gen_random_uuid())`);
    expect(await requestClaim('b')).toMatchObject({ outcome: 'wait' });
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    await world.sql('delete from queue_pause');
    expect(await requestClaim('b')).toMatchObject({ outcome: 'claimed' });
  });
  it('publishes once that the stage has started', async () => {
    await claimTask('a');
    const started = async () =>
      (await world.events()).filter(
        (event) => event.subject === transcriptionEvents.stageStarted.subject && event.data['fileId'] === file.fileId,
      );
    await waitFor(async () => (await started()).length > 0);
    expect(transcriptionEvents.stageStarted.data.parse((await started())[0]?.data)).toMatchObject({ stage: 'prepare' });
    await updateTask(`status = 'pending'`);
    await claimTask('b');
    await world.emit(mediaEvents.cancelOrdered, file);
    await waitFor(async () =>
      (await world.events()).some(
        (event) => event.subject === transcriptionEvents.runCancelled.subject && event.data['fileId'] === file.fileId,
      ),
    );
    expect(await started()).toHaveLength(1);
  });
  it('clears the waiting reason of the run', async () => {
    await world.sql(`update run set waiting_for = 'worker' where file_id = $1`, [file.fileId]);
    await claimTask('a');
    const waiting = async () => (await world.sql('select waiting_for from run where file_id = $1', [file.fileId]))[0];
    await waitFor(async () => (await waiting())?.['waiting_for'] === null);
  });

  it('clears a waiting reason that was written at the same time', async () => {
    await claimTask('a');
    await world.sql(`update run set waiting_for = 'worker' where file_id = $1`, [file.fileId]);
    await waitFor(async () => {
      const [run] = await world.sql('select waiting_for from run where file_id = $1', [file.fileId]);
      return run?.['waiting_for'] === null;
    });
  });
});

describe('a result', () => {
  it('is accepted when it is repeated, and enqueues the next stage once', async () => {
    const token = await claimTask('a');
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    expect(await world.sql('select stage from task where file_id = $1 order by created_at', [file.fileId])).toEqual([
      { stage: 'prepare' },
      { stage: 'transcribe' },
    ]);
    expect(await world.sql('select sequence from run where file_id = $1', [file.fileId])).toEqual([{ sequence: 1 }]);
  });
  it('is rejected under an older token', async () => {
    const old = await claimTask('a');
    await updateTask(`status = 'pending'`);
    const fresh = await claimTask('b');
    expect(await complete(old)).toEqual({ outcome: 'stale' });
    expect(await complete(fresh)).toEqual({ outcome: 'accepted' });
    expect(await complete(old)).toEqual({ outcome: 'stale' });
    const [stage] = await world.sql<{ artefact: string }>(
      `select artefact from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'prepare'`,
      [file.fileId],
    );
    expect(stage?.artefact).toBe(outputs.prepare(fresh).artefact);
  });

  it('of a lost worker is stale while its task waits, as are its failure and its release', async () => {
    const token = await claimTask('a');
    await updateTask(`claimed_at = now() - interval '1 hour'`);
    await waitFor(async () => (await row())?.['status'] === 'pending');
    const held = { taskId, token };
    const replies = [await complete(token), await fail(token), await world.bus.request(dispatcherRpc.release, held)];
    expect(replies.map(({ outcome }) => outcome)).toEqual(['stale', 'stale', 'stale']);
  });

  it('is accepted from the holder only when two workers send one concurrently', async () => {
    const old = await claimTask('a');
    await updateTask(`status = 'pending'`);
    const fresh = await claimTask('b');
    const answers = await Promise.all([complete(old), complete(fresh), complete(old), complete(fresh)]);
    expect(answers.map((answer) => answer.outcome)).toEqual(['stale', 'accepted', 'stale', 'accepted']);
  });
  it('is rejected with a reason when it does not match its schema, without counting a failure', async () => {
    const token = await claimTask('a');
    await expect(complete(token, { artefact: 1 })).rejects.toThrow('does not fit');
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
  });
  it('is rejected after the run was cancelled', async () => {
    const token = await claimTask('a');
    await world.emit(mediaEvents.cancelOrdered, file);
    await world.becomes(file.fileId, 'cancelled');
    expect(await complete(token)).toEqual({ outcome: 'stale' });
  });
});

describe('a failure', () => {
  it('counts once when it is repeated', async () => {
    const token = await claimTask('a');
    expect([await fail(token), await fail(token)]).toEqual([{ outcome: 'retry' }, { outcome: 'retry' }]);
    expect(await row()).toMatchObject({ failures: 1, status: 'pending' });
  });
  it('is published again after its backoff', async () => {
    await fail(await claimTask('a'));
    await world.sql('update task set next_attempt_at = now() where uuid = $1', [taskId]);
    await waitFor(async () => Number((await row())?.['publications']) === 2);
    expect(await requestClaim('a')).toMatchObject({ outcome: 'claimed', token: 2, attempt: 2 });
    expect((await readAttempts()).map((attempt) => [attempt['outcome'], attempt['error_code']])).toEqual([
      ['failed', 'engine_crashed'],
      ['running', null],
    ]);
  });
  it('fails the run at the last attempt', async () => {
    await world.sql('update task set failures = max_failures - 1 where uuid = $1', [taskId]);
    const token = await claimTask('a');
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await statusOf(world, file.fileId)).toBe('failed');
  });
  it('uses up no attempt on a full storage and is retried within 80 s every time', async () => {
    await world.sql('update task set failures = max_failures - 1 where uuid = $1', [taskId]);
    const { failures } = (await row()) ?? {};
    for (let turn = 1; turn <= 8; turn += 1) {
      expect(await fail(await claimTask('a'), true, 'storage_full')).toEqual({ outcome: 'retry' });
      expect(await row()).toMatchObject({ status: 'pending', failures, error_code: 'storage_full' });
      const [pause] = await world.sql<{ seconds: number }>(
        'select extract(epoch from next_attempt_at - now())::float8 as seconds from task where uuid = $1',
        [taskId],
      );
      expect(pause?.seconds).toBeLessThanOrEqual(80);
      await updateTask('next_attempt_at = null');
    }
    expect(await statusOf(world, file.fileId)).toBe('running');
  });
  it('is not counted for a released task, which returns to its queue', async () => {
    const token = await claimTask('a');
    expect(await world.bus.request(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
    expect(await world.bus.request(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
    expect(await row()).toMatchObject({
      failures: 0,
      infra_requeues: 0,
      publications: 2,
      status: 'pending',
      priority: 0,
      rank: 0,
    });
  });
});

it('two dispatchers complete every job once', async () => {
  const world = await createWorld();
  const dispatchers = await Promise.all([startDispatcher(world), startDispatcher(world)]);
  const media = await startMedia(world);
  const workers = await Promise.all([startWorker(world), startWorker(world)]);
  const files = Array.from({ length: 6 }, () => uploadedFile());
  for (const file of files) await world.emit(mediaEvents.uploaded, file);
  for (const file of files) await expectProcessedOnce(world, file.fileId);
  for (const worker of workers) await worker.stop();
  await media.stop();
  for (const dispatcher of dispatchers) await dispatcher.stop();
  await world.close();
});
