import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  dispatcherRoutes,
  mediaEvents,
  transcriptionEvents,
  transcriptionLive,
  type DataOf,
} from '@overtone/contracts';
import { createBus, type Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import {
  announceWorker,
  assertionOf,
  createWorld,
  log,
  password,
  startDispatcher,
  startMedia,
  startWorker,
  statusOf,
  uploadedFile,
  type World,
} from '../../test/harness.ts';

let w: World;
let dispatcher: Awaited<ReturnType<typeof startDispatcher>>;
let bus: Bus;
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
  await waitFor(() => statusOf(w, file.fileId));
});

const as = (userId: string, role: 'user' | 'admin' = 'user') => assertionOf(userId, role);
const waitingOf = async () =>
  (await w.sql<{ waiting_for: string | null }>('select waiting_for from run where file_id = $1', [file.fileId]))[0]
    ?.waiting_for;

describe('the list of tasks', () => {
  test("holds the caller's tasks and nobody else's", async () => {
    const mine = await dispatcher.get('/api/tasks', as(file.ownerId));
    const page = dispatcherRoutes.listTasks.answer.parse(await mine.json());
    expect(page.items.map((t) => t.media_file_id)).toEqual([file.fileId]);
    expect(page.items[0]).toMatchObject({ task_type: 'prepare', status: 'pending', queue: 'cpu', attempt: 0 });
    const others = await dispatcher.get('/api/tasks', as(randomUUID()));
    expect(await others.json()).toMatchObject({ items: [], total: 0 });
  });
  test('holds everything for an administrator, and can be narrowed', async () => {
    const all = await (
      await dispatcher.get(`/api/tasks?file=${file.fileId}&task_type=prepare`, as(randomUUID(), 'admin'))
    ).json();
    expect(all).toMatchObject({ total: 1 });
    const none = await (
      await dispatcher.get(`/api/tasks?file=${file.fileId}&status=completed`, as(file.ownerId))
    ).json();
    expect(none).toMatchObject({ total: 0 });
  });
});

describe("a file's timeline", () => {
  test('shows every stage, also those to come', async () => {
    const answer = await dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
    const timeline = dispatcherRoutes.fileTimeline.answer.parse(await answer.json());
    expect(timeline.stages.map((s) => [s.stage, s.status])).toEqual([
      ['prepare', 'pending'],
      ['transcribe', 'pending'],
      ['diarize', 'pending'],
      ['assemble', 'pending'],
      ['index', 'pending'],
    ]);
  });
  test("of somebody else's file is not found", async () => {
    expect((await dispatcher.get(`/api/tasks/files/${file.fileId}`, as(randomUUID()))).status).toBe(404);
  });
});

describe('administration', () => {
  test('is refused to users', async () => {
    expect((await dispatcher.post('/api/tasks/recover-stuck-tasks', as(file.ownerId))).status).toBe(403);
    expect((await dispatcher.get('/api/admin/engines', as(file.ownerId))).status).toBe(403);
  });
  test('a file that only waits is not stuck', async () => {
    await w.sql(`update task set published_at = now() - interval '1 day' where file_id = $1`, [file.fileId]);
    const answer = await dispatcher.post('/api/tasks/recover-stuck-tasks', as(file.ownerId, 'admin'));
    expect(await answer.json()).toEqual({ success: true, count: 0, total: 0, message: 'Nothing was stuck' });
  });
  test('shows the engines of the live workers', async () => {
    await announceWorker(bus, 'one', { pulls: ['gpu-transcription'], engine: true });
    const engines = await waitFor(async () => {
      const answer = await dispatcher.get('/api/admin/engines', as(file.ownerId, 'admin'));
      const { workers } = dispatcherRoutes.engines.answer.parse(await answer.json());
      return workers.find((x) => x.id === 'one');
    });
    expect(engines).toMatchObject({ engine: { provider: 'scripted' }, pulls: ['gpu-transcription'] });
    await (await bus.kv('WORKERS')).delete('worker.one');
  });
});

describe('a file nobody can work on', () => {
  test('waits for a worker, then for an engine, then goes on; it never fails', async () => {
    await waitFor(async () => (await waitingOf()) === 'worker', { timeoutMs: 20_000 });
    const worker = await startWorker(w, { transcribe: () => new Promise((resolve) => setTimeout(resolve, 50)) });
    const media = startMedia(w);
    await waitFor(async () => (await statusOf(w, file.fileId)) === 'completed', { timeoutMs: 20_000 });
    await worker.stop();
    media.stop();
    const said = await waitFor(async () => {
      const all = (await w.events()).filter(
        (e) => e.subject === transcriptionEvents.runWaiting.subject && e.data['fileId'] === file.fileId,
      );
      return all.length >= 2 ? all : undefined;
    });
    expect(said.map((e) => e.data['reason']).slice(0, 2)).toEqual(['worker', null]);
  }, 60_000);

  test('says that it waits for an engine when workers are there without one', async () => {
    await announceWorker(bus, 'deaf', { pulls: ['cpu-media', 'cpu-transcription'], engine: false });
    await w.sql(
      `update task set stage = 'transcribe', subject = 'job.gpu.transcription.transcribe', queue = 'gpu',
         published_at = now() - interval '1 minute' where file_id = $1`,
      [file.fileId],
    );
    await waitFor(async () => (await waitingOf()) === 'engine', { timeoutMs: 20_000 });
    const answer = await dispatcher.get(`/api/tasks/files/${file.fileId}`, as(file.ownerId));
    expect(await answer.json()).toMatchObject({ status: 'waiting', waiting_for: 'engine' });
    expect(await statusOf(w, file.fileId)).toBe('running');
  }, 60_000);
});

test("a worker's progress is told as progress of the file, and never goes back", async () => {
  const told: DataOf<typeof transcriptionLive.fileProgress>[] = [];
  const sub = w.test.subscribe(transcriptionLive.fileProgress.subject, {
    callback: (_err, msg) => void told.push(transcriptionLive.fileProgress.data.parse(msg.json())),
  });
  const media = startMedia(w);
  const worker = await startWorker(w, {
    transcribe: async (d) => {
      for (const fraction of [0.2, 0.8, 0.5]) {
        d.progress(fraction, 'Transcribing');
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    },
  });
  await waitFor(async () => (await statusOf(w, file.fileId)) === 'completed', { timeoutMs: 20_000 });
  const mine = told.filter((p) => p.fileId === file.fileId);
  expect(mine.length).toBeGreaterThanOrEqual(3);
  const line = mine.map((p) => p.progress);
  expect([...line].sort((a, b) => a - b)).toEqual(line);
  expect(mine[0]).toMatchObject({ stage: 'transcribe', message: 'Transcribing', ownerId: file.ownerId });
  expect(mine.at(-1)?.etaSeconds).toBeGreaterThan(0);
  await worker.stop();
  media.stop();
  sub.unsubscribe();
}, 30_000);
