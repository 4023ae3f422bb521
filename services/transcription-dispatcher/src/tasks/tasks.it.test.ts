import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  dispatcherRoutes,
  mediaEvents,
  transcriptionEvents,
  transcriptionLive,
  type DataOf,
} from '@overtone/contracts';
import { createDatabase } from '@overtone/database';
import { AppError, createMetrics } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { assertionOf, createWorld, log, startDispatcher, statusOf, uploadedFile } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';
import { announceWorker } from '../../test/workers.ts';
import { PrismaClient } from '../generated/client.ts';
import { createTaskCleanup } from './tasks.store.ts';

const world = startTestWorld();
let file: ReturnType<typeof uploadedFile>;

beforeEach(async () => {
  // Open tasks of an earlier test would be processed first.
  await world.sql(
    `update task set status = 'cancelled', completed_at = now() where status in ('pending', 'in_progress')`,
  );
  file = uploadedFile();
  world.upstream.files.set(file.fileId, { title: 'Board meeting', readers: [file.ownerId] });
  await world.emit(mediaEvents.uploaded, file);
  await waitFor(() => statusOf(world, file.fileId));
});

function as(userId: string, role: 'user' | 'admin' = 'user') {
  return assertionOf(userId, role);
}

async function waitingOf() {
  return (
    await world.sql<{ waiting_for: string | null }>('select waiting_for from run where file_id = $1', [file.fileId])
  )[0]?.waiting_for;
}

describe('the list of tasks', () => {
  it("contains only the caller's tasks", async () => {
    const ownProgress = await world.dispatcher.get('/api/tasks', as(file.ownerId));
    const page = dispatcherRoutes.listTasks.answer.parse(await ownProgress.json());
    expect(page.items.map((item) => item.media_file_id)).toEqual([file.fileId]);
    expect(page.items[0]).toMatchObject({ task_type: 'prepare', status: 'pending', queue: 'cpu', attempt: 0 });
    expect(page.items[0]).toMatchObject({ file_title: 'Board meeting', worker: null, dead: false });
    const stranger = randomUUID();
    for (const query of ['', `?owner=${file.ownerId}`])
      expect(await (await world.dispatcher.get(`/api/tasks${query}`, as(stranger))).json()).toMatchObject({
        items: [],
        total: 0,
      });
  });
  it('contains all tasks for an administrator, and can be filtered', async () => {
    const all = await (
      await world.dispatcher.get(`/api/tasks?file=${file.fileId}&task_type=prepare`, as(randomUUID(), 'admin'))
    ).json();
    expect(all).toMatchObject({ total: 1 });
    const none = await (
      await world.dispatcher.get(`/api/tasks?file=${file.fileId}&status=completed`, as(file.ownerId))
    ).json();
    expect(none).toMatchObject({ total: 0 });
  });
  it('is filtered by queue, owner, and text of the error, the worker or an id', async () => {
    const [row] = await world.sql<{ uuid: string }>('select uuid from task where file_id = $1', [file.fileId]);
    await world.sql(`update task set error_message = 'The disk is 100% full', worker = 'host-7' where uuid = $1`, [
      row?.uuid,
    ]);
    const found = async (query: string) => {
      const answer = await world.dispatcher.get(`/api/tasks?file=${file.fileId}&${query}`, as(randomUUID(), 'admin'));
      return dispatcherRoutes.listTasks.answer.parse(await answer.json()).total;
    };
    const fits = ['queue=cpu', `owner=${file.ownerId}`, 'q=100%25+full', 'q=HOST-7', `q=${row?.uuid.slice(0, 13)}`];
    expect(await Promise.all(fits.map(found))).toEqual([1, 1, 1, 1, 1]);
    const misses = ['queue=gpu', `owner=${randomUUID()}`, 'q=100_25', 'q=nothing'];
    expect(await Promise.all(misses.map(found))).toEqual([0, 0, 0, 0]);
  });
  it('is returned without titles while media is unavailable', async () => {
    const alone = await createWorld();
    const lonely = await startDispatcher(alone);
    await alone.emit(mediaEvents.uploaded, file);
    await waitFor(() => statusOf(alone, file.fileId));
    const page = dispatcherRoutes.listTasks.answer.parse(
      await (await lonely.get('/api/tasks', as(file.ownerId))).json(),
    );
    expect(page.items).toMatchObject([{ file_title: null, media_file_id: file.fileId }]);
    const shared = await lonely.get(`/api/tasks/files/${file.fileId}`, as(randomUUID()));
    expect([shared.status, ((await shared.json()) as { code: string }).code]).toEqual([503, 'service_unavailable']);
    await lonely.stop();
    await alone.close();
  });
  it('keeps the newest ended tasks and those of running runs', async () => {
    const many = randomUUID();
    await world.sql(
      `insert into task (uuid, file_id, owner_id, stage, subject, queue, input, status, max_failures, backoff_ms, created_at, completed_at)
       select gen_random_uuid(), $1, $1, 'index', 'job.embedding.search.index', 'embedding', '{}', 'completed', 1, 1,
              now() - make_interval(secs => n), now() - make_interval(secs => n) from generate_series(1, 50) as n`,
      [many],
    );
    await world.sql(
      `update task set status = 'completed', completed_at = now() - interval '1 year' where file_id = $1`,
      [file.fileId],
    );
    const env = { DATABASE_URL: world.dispatcherUrl, DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 0 };
    const { db, part } = createDatabase(
      { env, name: 'test', metrics: createMetrics(), log },
      (options) => new PrismaClient(options),
    );
    const store = createTaskCleanup({ db });
    for (let gone = 1; gone > 0;) gone = await store.prune(20, 10);
    await part.stop();
    const left = await world.sql<{ seconds: number }>(
      'select round(extract(epoch from now() - completed_at))::int as seconds from task where file_id = $1',
      [many],
    );
    expect(left.length).toBeLessThanOrEqual(20);
    expect(left.length).toBeGreaterThan(0);
    expect(await world.sql('select 1 from task where file_id = $1', [file.fileId])).toHaveLength(1);
  });
});

describe('one task', () => {
  it('shows its attempts only to its owner and to administrators', async () => {
    const worker = await world.worker({
      prepare: (_d, times) => {
        if (times === 1) throw new AppError('unavailable', 'storage_unavailable', 'The store was away');
      },
    });
    await waitFor(() => worker.stagesDone().includes('prepare'));
    await worker.stop();
    const [row] = await world.sql<{ uuid: string }>(`select uuid from task where file_id = $1 and stage = 'prepare'`, [
      file.fileId,
    ]);
    const seen = await waitFor(async () => {
      const answer = await world.dispatcher.get(`/api/tasks/${row?.uuid}`, as(file.ownerId));
      const task = dispatcherRoutes.task.answer.parse(await answer.json());
      return task.status === 'completed' ? task : undefined;
    });
    expect(seen.tries).toMatchObject([
      { number: 1, outcome: 'failed', error_code: 'storage_unavailable', error_message: 'The store was away' },
      { number: 2, outcome: 'completed', error_code: null },
    ]);
    expect(seen.tries.every((task) => task.worker === worker.workerId && task.ended_at !== null)).toBe(true);
    expect((await world.dispatcher.get(`/api/tasks/${row?.uuid}`, as(randomUUID(), 'admin'))).status).toBe(200);
    expect((await world.dispatcher.get(`/api/tasks/${row?.uuid}`, as(randomUUID()))).status).toBe(404);
    const timeline = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
    const { stages } = dispatcherRoutes.fileTimeline.answer.parse(await timeline.json());
    expect(stages[0]?.tries.map((task) => task.outcome)).toEqual(['failed', 'completed']);
    expect(stages[0]?.attempts).toBe(2);
  });
});

describe("a file's timeline", () => {
  it('shows every stage, also future ones', async () => {
    const answer = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
    const timeline = dispatcherRoutes.fileTimeline.answer.parse(await answer.json());
    expect(timeline.stages.map((stage) => [stage.stage, stage.status])).toEqual([
      ['prepare', 'pending'],
      ['transcribe', 'pending'],
      ['diarize', 'pending'],
      ['assemble', 'pending'],
      ['index', 'pending'],
    ]);
  });
  it("is not found for another user's file unless the file is shared with the reader", async () => {
    const reader = randomUUID();
    expect((await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(reader))).status).toBe(404);
    world.upstream.files.set(file.fileId, { title: 'Board meeting', readers: [reader] });
    expect((await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(reader))).status).toBe(200);
    expect((await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(randomUUID()))).status).toBe(404);
  });
});

describe('administration', () => {
  it('is forbidden for users', async () => {
    expect((await world.dispatcher.post('/api/tasks/recover-stuck-tasks', as(file.ownerId))).status).toBe(403);
    expect((await world.dispatcher.get('/api/admin/engines', as(file.ownerId))).status).toBe(403);
  });
  it('does not count a waiting file as stuck', async () => {
    await world.sql(`update task set published_at = now() - interval '1 day' where file_id = $1`, [file.fileId]);
    const answer = await world.dispatcher.post('/api/tasks/recover-stuck-tasks', as(file.ownerId, 'admin'));
    expect(await answer.json()).toEqual({ success: true, count: 0, total: 0, message: 'Nothing was stuck' });
  });
  it('shows the engines of the live workers', async () => {
    await announceWorker(world.bus, 'one', { pulls: ['gpu-transcription'], engine: true });
    const engines = await waitFor(async () => {
      const answer = await world.dispatcher.get('/api/admin/engines', as(file.ownerId, 'admin'));
      const { workers } = dispatcherRoutes.engines.answer.parse(await answer.json());
      return workers.find((x) => x.id === 'one');
    });
    expect(engines).toMatchObject({ engine: { provider: 'scripted' }, pulls: ['gpu-transcription'] });
    await (await world.bus.kv('WORKERS')).delete('worker.one');
  });
});

describe('a file without a matching worker', () => {
  it('waits for a worker, then for an engine, then continues; it never fails', async () => {
    await waitFor(async () => (await waitingOf()) === 'worker');
    const worker = await world.worker({ transcribe: () => new Promise((resolve) => setTimeout(resolve, 50)) });
    await world.becomes(file.fileId, 'completed');
    await worker.stop();
    const published = await waitFor(async () => {
      const all = (await world.events()).filter(
        (event) => event.subject === transcriptionEvents.runWaiting.subject && event.data['fileId'] === file.fileId,
      );
      return all.length >= 2 ? all : undefined;
    });
    expect(published.map((event) => event.data['reason']).slice(0, 2)).toEqual(['worker', null]);
  });

  it('shows that it waits for an engine when live workers have none', async () => {
    await announceWorker(world.bus, 'deaf', { pulls: ['cpu-media', 'cpu-transcription'], engine: false });
    await world.sql(
      `update task set stage = 'transcribe', subject = 'job.gpu.transcription.transcribe', queue = 'gpu',
         published_at = now() - interval '1 minute' where file_id = $1`,
      [file.fileId],
    );
    await waitFor(async () => (await waitingOf()) === 'engine');
    const answer = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
    expect(await answer.json()).toMatchObject({
      status: 'waiting',
      waiting_for: 'engine',
      speech_model_percent: null,
    });
    await announceWorker(world.bus, 'deaf', {
      pulls: ['cpu-media', 'cpu-transcription'],
      engine: false,
      speechModelPercent: 43,
    });
    await waitFor(async () => {
      const later = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
      return ((await later.json()) as { speech_model_percent: number | null }).speech_model_percent === 43;
    });
    expect(await statusOf(world, file.fileId)).toBe('running');
  });
});

it("a worker's progress is published as progress of the file and never decreases", async () => {
  const progress: DataOf<typeof transcriptionLive.fileProgress>[] = [];
  const sub = world.test.subscribe(transcriptionLive.fileProgress.subject, {
    callback: (_err, msg) => void progress.push(transcriptionLive.fileProgress.data.parse(msg.json())),
  });
  await world.test.flush();
  const worker = await world.worker({
    transcribe: async (dead) => {
      for (const fraction of [0.2, 0.8]) {
        const before = progress.length;
        dead.progress(fraction, 'Transcribing');
        await waitFor(() => progress.length > before);
      }
      dead.progress(0.5, 'Transcribing');
    },
  });
  await world.becomes(file.fileId, 'completed');
  const ownProgress = progress.filter((plan) => plan.fileId === file.fileId);
  expect(ownProgress.length).toBeGreaterThanOrEqual(3);
  const line = ownProgress.map((plan) => plan.progress);
  expect([...line].sort((left, right) => left - right)).toEqual(line);
  expect(ownProgress[0]).toMatchObject({ stage: 'transcribe', message: 'Transcribing', ownerId: file.ownerId });
  expect(ownProgress.at(-1)?.etaSeconds).toBeGreaterThan(0);
  await worker.stop();
  sub.unsubscribe();
});
