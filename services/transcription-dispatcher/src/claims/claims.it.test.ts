import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { dispatcherRpc, mediaEvents } from '@overtone/contracts';
import { createBus, type Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import {
  createWorld,
  log,
  outputs,
  password,
  startDispatcher,
  statusOf,
  uploadedFile,
  type World,
} from '../../test/harness.ts';

let w: World;
let dispatcher: Awaited<ReturnType<typeof startDispatcher>>;
let bus: Bus;
let taskId: string;
let file: ReturnType<typeof uploadedFile>;

beforeAll(async () => {
  w = await createWorld();
  dispatcher = await startDispatcher(w);
  bus = createBus({ service: 'transcription-worker', url: w.nats.url, user: 'transcription-worker', password, log });
  await bus.connect();
});
afterAll(async () => {
  await bus.close();
  await dispatcher.stop();
  await w.test.close();
  await w.nats.stop();
});
beforeEach(async () => {
  file = uploadedFile();
  await w.emit(mediaEvents.uploaded, file);
  taskId = await waitFor(() => openTask('prepare'));
});

const openTask = async (stage: string): Promise<string | undefined> =>
  (await w.sql<{ uuid: string }>('select uuid from task where file_id = $1 and stage = $2', [file.fileId, stage]))[0]
    ?.uuid;
const claim = (workerId: string, id = taskId) => bus.ask(dispatcherRpc.claim, { taskId: id, workerId });
const take = async (workerId: string, id = taskId): Promise<number> => {
  const answer = await claim(workerId, id);
  if (answer.outcome !== 'claimed') throw new Error(answer.outcome);
  return answer.token;
};
const complete = (token: number, output: unknown = outputs.prepare(token)) =>
  bus.ask(dispatcherRpc.complete, { taskId, token, output });
const fail = (token: number, retryable = true) =>
  bus.ask(dispatcherRpc.fail, { taskId, token, code: 'engine_crashed', message: 'no', retryable });
const lease = async (token: number, leftMs: number) =>
  (await bus.kv('LEASES')).put(
    `task.${taskId}`,
    JSON.stringify({
      worker: 'a',
      service: 'transcription-worker',
      queue: 'cpu',
      token,
      deliveredAt: Date.now(),
      expiresAt: Date.now() + leftMs,
    }),
  );
const forgetClaim = () => w.sql(`update task set claimed_at = now() - interval '1 hour' where uuid = $1`, [taskId]);
const row = async () => (await w.sql('select * from task where uuid = $1', [taskId]))[0];

describe('a claim', () => {
  test('is granted once; another worker is told to wait', async () => {
    expect(await claim('a')).toEqual({ outcome: 'claimed', token: 1, attempt: 1 });
    expect(await claim('b')).toMatchObject({ outcome: 'busy' });
  });
  test('of many at the same moment is granted to one', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(`w${i}`)));
    expect(answers.map((a) => a.outcome).sort()).toEqual([
      'busy',
      'busy',
      'busy',
      'busy',
      'busy',
      'busy',
      'busy',
      'claimed',
    ]);
  });
  test('of a task that is unknown, done or cancelled is answered with gone', async () => {
    expect(await claim('a', randomUUID())).toEqual({ outcome: 'gone' });
    await complete(await take('a'));
    expect(await claim('a')).toEqual({ outcome: 'gone' });
  });
  test('is refused while the task pauses: the scheduler will bring it', async () => {
    await fail(await take('a'));
    expect(await claim('b')).toEqual({ outcome: 'gone' });
  });
  test('takes over from a worker whose lease ran out, and counts that apart from failures', async () => {
    await take('a');
    await lease(1, -1);
    await forgetClaim();
    expect(await claim('b')).toEqual({ outcome: 'claimed', token: 2, attempt: 1 });
    expect(await row()).toMatchObject({ failures: 0, infra_requeues: 1, worker: 'b' });
  });
  test('waits as long as the lease is renewed', async () => {
    const token = await take('a');
    await forgetClaim();
    await lease(token, 60_000);
    await waitFor(async () => (await claim('b')).outcome === 'busy');
  });
  test('asked for again by its holder, who never got the answer, is granted again', async () => {
    await take('a');
    await forgetClaim();
    expect(await claim('a')).toEqual({ outcome: 'claimed', token: 2, attempt: 1 });
    expect(await row()).toMatchObject({ infra_requeues: 0 });
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
    await forgetClaim();
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
    await forgetClaim();
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
    await w.emit(mediaEvents.cancelOrdered, { fileId: file.fileId, ownerId: file.ownerId });
    await waitFor(async () => (await statusOf(w, file.fileId)) === 'cancelled');
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
    expect(await claim('a')).toEqual({ outcome: 'claimed', token: 2, attempt: 2 });
  });
  test('of the last attempt fails the run', async () => {
    await w.sql('update task set failures = max_failures - 1 where uuid = $1', [taskId]);
    const token = await take('a');
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await fail(token)).toEqual({ outcome: 'failed' });
    expect(await statusOf(w, file.fileId)).toBe('failed');
  });
  test('of a released task is none: it goes back to its queue', async () => {
    const token = await take('a');
    expect(await bus.ask(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
    expect(await bus.ask(dispatcherRpc.release, { taskId, token })).toEqual({ outcome: 'released' });
    expect(await row()).toMatchObject({ failures: 0, infra_requeues: 0, publications: 2, status: 'pending' });
  });
});
