import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dispatcherRpc, mediaEvents, stageJobs, transcriptionEvents, type RequestOf } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { statusOf, uploadedFile } from '../../test/harness.ts';
import { standing } from '../../test/standing.ts';
import { outputs } from '../../test/workers.ts';

const w = standing();
let taskId: string;
let file: ReturnType<typeof uploadedFile>;

beforeEach(async () => {
  await w.sql(`update task set status = 'cancelled' where status in ('pending', 'in_progress')`);
  await w.sql('delete from queue_pause');
  file = await w.upload();
  taskId = await waitFor(() => openTask('prepare'));
});

const openTask = async (stage: string): Promise<string | undefined> =>
  (await w.sql<{ uuid: string }>('select uuid from task where file_id = $1 and stage = $2', [file.fileId, stage]))[0]
    ?.uuid;
const ask = (workerId: string, more: Partial<RequestOf<typeof dispatcherRpc.claim>> = {}) =>
  w.bus.ask(dispatcherRpc.claim, {
    claimId: randomUUID(),
    durable: 'cpu-media',
    workerId,
    lane: 'normal',
    subjects: [stageJobs.prepare.subject],
    ...more,
  });
const take = async (workerId: string): Promise<number> => {
  const answer = await ask(workerId);
  if (answer.outcome !== 'claimed') throw new Error(answer.outcome);
  expect(answer.taskId).toBe(taskId);
  return answer.token;
};
const complete = (token: number, output: unknown = outputs.prepare(token)) =>
  w.bus.ask(dispatcherRpc.complete, { taskId, token, output });
const fail = (token: number, retryable = true, code = 'engine_crashed') =>
  w.bus.ask(dispatcherRpc.fail, { taskId, token, code, message: 'no', retryable });
const tries = () =>
  w.sql('select token, attempt, worker, outcome, error_code from task_attempt where task_id = $1 order by token', [
    taskId,
  ]);
/** Time passes: the scheduler or the reconciler brings the task back. */
const bringBack = (data: string) => w.sql(`update task set ${data} where uuid = $1`, [taskId]);
const row = async () => (await w.sql('select * from task where uuid = $1', [taskId]))[0];

describe('a claim', () => {
  test('is answered with the task, its input and a token; the next one finds none', async () => {
    expect(await ask('a')).toMatchObject({
      outcome: 'claimed',
      taskId,
      subject: stageJobs.prepare.subject,
      input: { fileId: file.fileId },
      token: 1,
      attempt: 1,
    });
    expect(await ask('b')).toEqual({ outcome: 'gone' });
    expect(await tries()).toEqual([{ token: 1, attempt: 1, worker: 'a', outcome: 'running', error_code: null }]);
  });
  test('of many at the same moment gets each task once', async () => {
    for (let i = 0; i < 4; i += 1) await w.emit(mediaEvents.uploaded, uploadedFile());
    await waitFor(async () => (await w.sql(`select 1 from task where status = 'pending'`)).length === 5);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(`w${i}`)));
    const taken = answers.flatMap((a) => (a.outcome === 'claimed' ? [a.taskId] : []));
    expect([taken.length, new Set(taken).size]).toEqual([5, 5]);
  });
  test('asked again by who never got the answer, gets the same task under the same token', async () => {
    const claimId = randomUUID();
    const [first, second] = [await ask('a', { claimId }), await ask('a', { claimId })];
    expect(second).toEqual(first);
    expect(await tries()).toHaveLength(1);
  });
  test('where nothing waits is answered with gone', async () => {
    await complete(await take('a'));
    expect(await ask('a')).toEqual({ outcome: 'gone' });
  });
  test('is not answered with a task that pauses: the scheduler will bring it', async () => {
    await fail(await take('a'));
    expect(await ask('b')).toEqual({ outcome: 'gone' });
  });
  test('of a worker that does not know the job leaves its ticket to others', async () => {
    expect(await ask('a', { subjects: ['job.cpu.media.other'] })).toMatchObject({ outcome: 'wait' });
    expect(await ask('b')).toMatchObject({ outcome: 'claimed' });
  });
  test('in a queue on hold waits, and what is under way may end', async () => {
    const token = await take('a');
    await w.emit(mediaEvents.uploaded, uploadedFile());
    await waitFor(async () => (await w.sql(`select 1 from task where status = 'pending'`)).length === 1);
    await w.sql(`insert into queue_pause (queue, reason, paused_by) values ('cpu', 'disk', gen_random_uuid())`);
    expect(await ask('b')).toMatchObject({ outcome: 'wait' });
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    await w.sql('delete from queue_pause');
    expect(await ask('b')).toMatchObject({ outcome: 'claimed' });
  });
  test('tells once that the stage is under way', async () => {
    await take('a');
    const started = async () =>
      (await w.events()).filter(
        (e) => e.subject === transcriptionEvents.stageStarted.subject && e.data['fileId'] === file.fileId,
      );
    await waitFor(async () => (await started()).length > 0);
    expect(transcriptionEvents.stageStarted.data.parse((await started())[0]?.data)).toMatchObject({ stage: 'prepare' });
    await bringBack(`status = 'pending'`);
    await take('b');
    await w.emit(mediaEvents.cancelOrdered, file);
    await waitFor(async () =>
      (await w.events()).some(
        (e) => e.subject === transcriptionEvents.runCancelled.subject && e.data['fileId'] === file.fileId,
      ),
    );
    expect(await started()).toHaveLength(1);
  });
  test('takes the run out of what waits for a worker', async () => {
    await w.sql(`update run set waiting_for = 'worker' where file_id = $1`, [file.fileId]);
    await take('a');
    const waiting = async () => (await w.sql('select waiting_for from run where file_id = $1', [file.fileId]))[0];
    await waitFor(async () => (await waiting())?.['waiting_for'] === null);
  });
});

describe('a result', () => {
  test('told twice is accepted twice and ordered from once', async () => {
    const token = await take('a');
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
    expect(await w.sql('select stage from task where file_id = $1 order by created_at', [file.fileId])).toEqual([
      { stage: 'prepare' },
      { stage: 'transcribe' },
    ]);
    expect(await w.sql('select sequence from run where file_id = $1', [file.fileId])).toEqual([{ sequence: 1 }]);
  });
  test('under an older token is refused, whoever is right', async () => {
    const old = await take('a');
    await bringBack(`status = 'pending'`);
    const fresh = await take('b');
    expect(await complete(old)).toEqual({ outcome: 'stale' });
    expect(await complete(fresh)).toEqual({ outcome: 'accepted' });
    expect(await complete(old)).toEqual({ outcome: 'stale' });
    const [stage] = await w.sql<{ artefact: string }>(
      `select artefact from stage s join run r on r.uuid = s.run_id where r.file_id = $1 and stage = 'prepare'`,
      [file.fileId],
    );
    expect(stage?.artefact).toBe(outputs.prepare(fresh).artefact);
  });
  test('of two workers at the same moment is accepted from the holder only', async () => {
    const old = await take('a');
    await bringBack(`status = 'pending'`);
    const fresh = await take('b');
    const answers = await Promise.all([complete(old), complete(fresh), complete(old), complete(fresh)]);
    expect(answers.map((a) => a.outcome)).toEqual(['stale', 'accepted', 'stale', 'accepted']);
  });
  test('that does not fit its schema is refused with a reason and costs nothing', async () => {
    const token = await take('a');
    await expect(complete(token, { artefact: 1 })).rejects.toThrow('does not fit');
    expect(await complete(token)).toEqual({ outcome: 'accepted' });
  });
  test('after the run was cancelled is refused', async () => {
    const token = await take('a');
    await w.emit(mediaEvents.cancelOrdered, file);
    await w.becomes(file.fileId, 'cancelled');
    expect(await complete(token)).toEqual({ outcome: 'stale' });
  });
});

describe('a failure', () => {
  test('told twice counts once', async () => {
    const token = await take('a');
    expect([await fail(token), await fail(token)]).toEqual([{ outcome: 'retry' }, { outcome: 'retry' }]);
    expect(await row()).toMatchObject({ failures: 1, status: 'pending' });
  });
  test('comes back after its pause, on its own', async () => {
    await fail(await take('a'));
    await w.sql('update task set next_attempt_at = now() where uuid = $1', [taskId]);
    await waitFor(async () => Number((await row())?.['publications']) === 2);
    expect(await ask('a')).toMatchObject({ outcome: 'claimed', token: 2, attempt: 2 });
    expect((await tries()).map((t) => [t['outcome'], t['error_code']])).toEqual([
      ['failed', 'engine_crashed'],
      ['running', null],
    ]);
  });
  test('of the last attempt fails the run', async () => {
    await w.sql('update task set failures = max_failures - 1 where uuid = $1', [taskId]);
    const token = await take('a');
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await statusOf(w, file.fileId)).toBe('failed');
  });
  test('on a full storage uses up no attempt and is tried again within 80 s, however often', async () => {
    await w.sql('update task set failures = max_failures - 1 where uuid = $1', [taskId]);
    const { failures } = (await row()) ?? {};
    for (let turn = 1; turn <= 8; turn += 1) {
      expect(await fail(await take('a'), true, 'storage_full')).toEqual({ outcome: 'retry' });
      expect(await row()).toMatchObject({ status: 'pending', failures, error_code: 'storage_full' });
      const [pause] = await w.sql<{ seconds: number }>(
        'select extract(epoch from next_attempt_at - now())::float8 as seconds from task where uuid = $1',
        [taskId],
      );
      expect(pause?.seconds).toBeLessThanOrEqual(80);
      await bringBack('next_attempt_at = null');
    }
    expect(await statusOf(w, file.fileId)).toBe('running');
  });
  test('of a released task is none: it goes back to its queue', async () => {
    const token = await take('a');
    expect(await w.bus.ask(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
    expect(await w.bus.ask(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
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
