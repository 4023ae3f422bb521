import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { directoryJobs, dispatcherRoutes, dispatcherRpc, mediaEvents, operationsEvents } from '@overtone/contracts';
import { worker, type JobDelivery } from '@overtone/jobs';
import { createBus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { assertionOf, log, password, startDispatcher, uploadedFile, type Dispatcher } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';
import { announceWorker } from '../../test/workers.ts';
import { startGate } from '../../test/gate.ts';

const world = startTestWorld();
const adminId = randomUUID();

function admin() {
  return assertionOf(adminId, 'admin');
}
beforeAll(() => {
  world.upstream.names.set(adminId, 'Ada Admin');
});
afterEach(() => world.sql('delete from queue_pause'));

/** The overview; repeated while it is unavailable, as right after the start. */
function overview() {
  return waitFor(async () => {
    const answer = await world.dispatcher.get('/api/admin/queues', admin());
    return answer.status === 200 ? dispatcherRoutes.queues.answer.parse(await answer.json()) : undefined;
  });
}

async function queue(name: string) {
  return (await overview()).queues.find((queue) => queue.queue === name);
}

async function audited() {
  return (await world.events())
    .filter((event) => event.subject === operationsEvents.performed.subject)
    .map((event) => event.data);
}

describe('the queues', () => {
  it('show waiting and running tasks with their files, to administrators only', async () => {
    const file = await world.upload();
    expect(await waitFor(async () => ((await queue('cpu'))?.depth === 1 ? queue('cpu') : undefined))).toMatchObject({
      depth: 1,
      reserved: 0,
      orphaned: 0,
      retrying: 0,
      dead: 0,
      paused: null,
    });
    for (const path of ['/api/admin/queues', '/api/tasks/dead'])
      expect((await world.dispatcher.get(path, assertionOf(randomUUID(), 'user'))).status).toBe(403);
    expect(
      (await world.dispatcher.post('/api/admin/queues/gpu/pause', assertionOf(adminId, 'user'), { reason: 'x' }))
        .status,
    ).toBe(403);
    await world.emit(mediaEvents.cancelOrdered, file);
    await world.becomes(file.fileId, 'cancelled');
  });

  it('count dead jobs and tasks in backoff', async () => {
    const before = await queue('embedding');
    const insert = (status: string, next: string) =>
      world.sql(
        `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, status, max_failures, backoff_ms, next_attempt_at)
         values ($1, $1, $1, 'index', 'job.embedding.search.index', 'embedding', '{}', $2, 1, 1, ${next})`,
        [randomUUID(), status],
      );
    await insert('failed', 'null');
    await insert('failed', 'null');
    await insert('pending', `now() + interval '1 hour'`);
    expect(before).toMatchObject({ dead: 0, retrying: 0 });
    expect(await queue('embedding')).toMatchObject({ dead: 2, retrying: 1 });
    await world.sql(`delete from task where queue = 'embedding'`);
  });
});

describe('a paused queue', () => {
  it('starts no task and shows the reason in the queue and the file until it is resumed', async () => {
    const refused = await world.dispatcher.post('/api/admin/queues/cpu/pause', admin(), { reason: '  ' });
    expect(refused.status).toBe(422);
    expect((await world.dispatcher.post('/api/admin/queues/nonsense/pause', admin(), { reason: 'x' })).status).toBe(
      400,
    );
    const reason = 'The disk is being exchanged';
    const paused = await world.dispatcher.post('/api/admin/queues/cpu/pause', admin(), { reason });
    expect(dispatcherRoutes.pauseQueue.answer.parse(await paused.json())).toMatchObject({
      reason,
      by_name: 'Ada Admin',
    });
    expect((await queue('cpu'))?.paused).toMatchObject({ reason, by: adminId, by_name: 'Ada Admin' });

    const worker = await world.worker();
    await announceWorker(world.bus, worker.workerId, { pulls: ['cpu-media', 'gpu-transcription'], engine: true });
    const file = await world.upload();
    const timeline = await waitFor(async () => {
      const answer = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, assertionOf(file.ownerId, 'user'));
      if (answer.status !== 200) return undefined;
      const seen = dispatcherRoutes.fileTimeline.answer.parse(await answer.json());
      return seen.waiting_for === null ? undefined : seen;
    });
    expect(timeline).toMatchObject({ status: 'waiting', waiting_for: 'paused', paused_reason: reason });
    expect(worker.done).toEqual([]);

    const resumed = await world.dispatcher.post('/api/admin/queues/cpu/resume', admin());
    expect(await resumed.json()).toEqual({ resumed: true });
    await world.becomes(file.fileId, 'completed');
    expect(await (await world.dispatcher.post('/api/admin/queues/cpu/resume', admin())).json()).toEqual({
      resumed: false,
    });
    expect((await queue('cpu'))?.paused).toBeNull();
    await worker.stop();
    const records = await waitFor(async () => {
      const all = await audited();
      return all.length >= 2 ? all : undefined;
    });
    expect(records).toMatchObject([
      { action: 'queue_paused', actorId: adminId, details: { queue: 'cpu', reason } },
      { action: 'queue_resumed', actorId: adminId, details: { queue: 'cpu' } },
    ]);
  });
});

describe('a job that its handler fences', () => {
  it('is not started while its queue is paused, and uses up no attempt by waiting', async () => {
    await world.dispatcher.post('/api/admin/queues/cpu/pause', admin(), { reason: 'Maintenance' });
    let pausedRequests = 0;
    const subscription = world.test.subscribe(dispatcherRpc.paused.subject, {
      callback: () => void (pausedRequests += 1),
    });
    await world.test.flush();
    const attempts: number[] = [];
    const syncBus = createBus({ service: 'directory-sync', url: world.nats.url, user: 'test', password, log });
    await syncBus.connect();
    const handle = async (_input: unknown, delivery: JobDelivery) => {
      attempts.push(delivery.attempt);
      return {};
    };
    const running = worker(
      { checkSchedule: directoryJobs.checkSchedule },
      { checkSchedule: handle },
      { workerId: 'sweeps', concurrency: {} },
    ).start(syncBus);
    await world.test
      .jetstream({ timeout: 30_000 })
      .publish(
        directoryJobs.checkSchedule.subject,
        JSON.stringify({ taskId: randomUUID(), input: { slot: new Date().toISOString() } }),
      );
    await waitFor(() => pausedRequests >= 3);
    expect(attempts).toEqual([]);
    await world.dispatcher.post('/api/admin/queues/cpu/resume', admin());
    await waitFor(() => attempts.length > 0);
    expect(attempts).toEqual([1]);
    subscription.unsubscribe();
    await running.stop();
    await syncBus.close();
  });
});

describe('the workers', () => {
  it('are shown with their running tasks, and as offline when their heartbeats stop', async () => {
    await announceWorker(world.bus, 'busy', { pulls: ['gpu-transcription'], engine: true });
    const file = uploadedFile();
    world.upstream.files.set(file.fileId, { title: 'Board meeting', readers: [] });
    const task = randomUUID();
    await world.sql(
      `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, status, worker, token, max_failures, backoff_ms, claimed_at)
       values ($1, $2, $2, 'transcribe', 'job.gpu.transcription.transcribe', 'gpu', '{}', 'in_progress', 'busy', 1, 3, 1, now())`,
      [task, file.fileId],
    );
    const shown = await waitFor(async () => (await overview()).workers.find((x) => x.id === 'busy'));
    expect(shown).toMatchObject({ state: 'online', engine: { provider: 'scripted' }, pulls: ['gpu-transcription'] });
    expect(shown.doing).toMatchObject([
      { task_uuid: task, stage: 'transcribe', media_file_id: file.fileId, file_title: 'Board meeting' },
    ]);
    await world.sql('delete from task where uuid = $1', [task]);
    await waitFor(async () => (await world.sql(`select 1 from worker_seen where id = 'busy'`)).length === 1);
    await (await world.bus.kv('WORKERS')).delete('worker.busy');
    const gone = await waitFor(async () =>
      (await overview()).workers.find((x) => x.id === 'busy' && x.state === 'offline'),
    );
    expect(gone).toMatchObject({ engine: { provider: 'scripted' }, doing: [] });
    await world.sql(`update worker_seen set last_seen_at = now() - interval '601 seconds' where id = 'busy'`);
    expect((await overview()).workers.some((x) => x.id === 'busy')).toBe(false);
    await waitFor(async () => (await world.sql(`select 1 from worker_seen where id = 'busy'`)).length === 0);
  });
});

it('responds with 503 instead of empty queues while the broker is unavailable', async () => {
  await overview();
  cleanUpAfterTest(() => process.kill(world.nats.pid(), 'SIGCONT'));
  process.kill(world.nats.pid(), 'SIGSTOP');
  const answer = await waitFor(async () => {
    const seen = await world.dispatcher.get('/api/admin/queues', admin());
    return seen.status === 200 ? undefined : seen;
  });
  process.kill(world.nats.pid(), 'SIGCONT');
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'broker_unavailable']);
  await overview();
});

describe('while the database is unavailable', () => {
  let between: Awaited<ReturnType<typeof startGate>>;
  let cutOff: Dispatcher;
  beforeAll(async () => {
    between = await startGate(world.dispatcherUrl);
    cutOff = await startDispatcher({ ...world, dispatcherUrl: between.url });
  });
  afterAll(async () => {
    await between.open();
    await cutOff.stop();
    await between.shut();
  });
  const paths = ['/api/admin/queues', '/api/tasks/dead', '/api/tasks'];
  const outcomes = () =>
    Promise.all(
      paths.map(async (path) => {
        const answer = await cutOff.get(path, admin());
        return [path, answer.status, ((await answer.json()) as { code?: string }).code];
      }),
    );

  it('responds with 503 instead of empty lists, and recovers with the database', async () => {
    await waitFor(async () => (await outcomes()).every(([, status]) => status === 200));
    await between.shut();
    expect(await outcomes()).toEqual(paths.map((path) => [path, 503, 'database_unavailable']));
    await between.open();
    await waitFor(async () => (await outcomes()).every(([, status]) => status === 200));
  });

  it('responds with 503 while the database is unresponsive', async () => {
    await waitFor(async () => (await cutOff.get(paths[0] ?? '', admin())).status === 200);
    cleanUpAfterTest(between.thaw);
    between.freeze();
    const answer = await cutOff.get('/api/admin/queues', admin());
    between.thaw();
    expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([503, 'database_unavailable']);
  });
});
