import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { dispatcherRoutes, mediaEvents, operationsEvents, transcriptionEvents, type Stage } from '@overtone/contracts';
import { AppError } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { assertionOf, statusOf, uploadedFile } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';
import type { Script } from '../../test/workers.ts';

const world = startTestWorld();
const adminId = randomUUID();

function admin() {
  return assertionOf(adminId, 'admin');
}
let file: ReturnType<typeof uploadedFile>;
beforeEach(() => {
  file = newFile();
});

function newFile() {
  const made = uploadedFile();
  world.upstream.files.set(made.fileId, { title: 'Board meeting', readers: [] });
  return made;
}

/** A script whose stage fails permanently until `state.repaired` is set. */
function failingScript(stage: Stage, code: 'engine_crashed' | 'media_unreadable' = 'engine_crashed') {
  const state = { repaired: false };
  const script: Script = {
    [stage]: () => {
      if (!state.repaired) throw new AppError('invalid', code, 'It went wrong', { permanent: true });
    },
  };
  return { state, script };
}

async function listDead(query = '') {
  const response = await world.dispatcher.get(`/api/tasks/dead${query}`, admin());
  return dispatcherRoutes.deadTasks.answer.parse(await response.json());
}

async function codeOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { code: string }).code];
}

async function eventsOf(subject: string, fileId = file.fileId) {
  return (await world.events())
    .filter((event) => event.subject === subject && event.data['fileId'] === fileId)
    .map((event) => event.data);
}

describe('a dead job', () => {
  it('is listed with its reason, and a retry completes its run', async () => {
    const { state, script } = failingScript('transcribe');
    const worker = await world.worker(script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'failed');
    const dead = await listDead('?error_code=engine_crashed');
    expect(dead.items).toMatchObject([
      { media_file_id: file.fileId, file_title: 'Board meeting', error_message: 'It went wrong', dead: true },
    ]);
    expect(dead.kinds).toMatchObject([
      { queue: 'gpu', task_type: 'transcribe', error_code: 'engine_crashed', count: 1 },
    ]);

    const task = await world.taskOf(file.fileId, 'transcribe');
    expect(
      (await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, assertionOf(file.ownerId, 'user'))).status,
    ).toBe(403);
    state.repaired = true;
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    await world.becomes(file.fileId, 'completed');
    expect(worker.done.filter((dead) => dead.stage === 'prepare')).toHaveLength(1);
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toMatchObject([
      { stage: 'transcribe', dropped: [] },
    ]);
    expect((await listDead()).total).toBe(0);
    const done = await world.dispatcher.get(`/api/tasks/${task?.uuid}`, admin());
    const { tries, attempt } = dispatcherRoutes.task.answer.parse(await done.json());
    expect(tries.map((task) => task.outcome)).toEqual(['failed', 'completed']);
    expect(attempt).toBe(1);
    const audited = (await world.events()).filter((event) => event.subject === operationsEvents.performed.subject);
    expect(audited.map((event) => event.data)).toMatchObject([{ action: 'jobs_retried', actorId: adminId }]);
  });

  it('is dead again after another failure, with its failures counted from zero', async () => {
    await world.worker(failingScript('prepare', 'media_unreadable').script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'failed');
    const task = await world.taskOf(file.fileId, 'prepare');
    await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin());
    await waitFor(async () => (await eventsOf(transcriptionEvents.runFailed.subject)).length === 2);
    expect(await world.taskOf(file.fileId, 'prepare')).toMatchObject({
      uuid: task?.uuid,
      status: 'failed',
      failures: 1,
    });
    expect(await statusOf(world, file.fileId)).toBe('failed');
    expect((await world.dispatcher.remove(`/api/tasks/${task?.uuid}`, admin())).status).toBe(204);
  });

  it('is not retried when its file was deleted', async () => {
    const worker = await world.worker(failingScript('prepare', 'media_unreadable').script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'failed');
    await worker.stop();
    world.upstream.files.delete(file.fileId);
    const task = await world.taskOf(file.fileId, 'prepare');
    expect(await codeOf(await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin()))).toEqual([
      409,
      'file_deleted',
    ]);
    const all = await world.dispatcher.post('/api/tasks/dead/retry', admin(), { error_code: 'media_unreadable' });
    expect(await all.json()).toMatchObject({ retried: 0, refused: [{ uuid: task?.uuid, code: 'file_deleted' }] });
    await world.emit(mediaEvents.deleted, file);
    await waitFor(async () => (await listDead()).items.every((item) => item.uuid !== task?.uuid));
  });

  it('is discarded when its file is processed again', async () => {
    const { state, script } = failingScript('prepare', 'media_unreadable');
    await world.worker(script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'failed');
    const task = await world.taskOf(file.fileId, 'prepare');
    state.repaired = true;
    await world.emit(mediaEvents.reprocessOrdered, file);
    await world.becomes(file.fileId, 'completed');
    expect((await listDead()).total).toBe(0);
    const response = await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin());
    expect(await codeOf(response)).toEqual([409, 'task_not_dead']);
  });

  it('is repeated with the later stages when its run continued without it, and drops the warning', async () => {
    const { state, script } = failingScript('diarize');
    const worker = await world.worker(script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'completed');
    const warnings = async () =>
      (await world.sql<{ warnings: string[] }>('select warnings from run where file_id = $1', [file.fileId]))[0]
        ?.warnings;
    expect(await warnings()).toEqual(['Speakers could not be distinguished: It went wrong']);
    state.repaired = true;
    const task = await world.taskOf(file.fileId, 'diarize');
    expect((await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())).status).toBe(200);
    await waitFor(async () => worker.stagesDone().filter((stage) => stage === 'index').length === 2);
    await world.becomes(file.fileId, 'completed');
    expect(await warnings()).toEqual([]);
    expect(worker.stagesDone()).toEqual(['prepare', 'transcribe', 'assemble', 'index', 'diarize', 'assemble', 'index']);
    expect(worker.done.at(-2)?.input).toMatchObject({ earlier: { diarize: expect.any(String) } });
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toMatchObject([
      { stage: 'diarize', dropped: ['Speakers could not be distinguished: It went wrong'] },
    ]);
    const timeline = await world.dispatcher.get(`/api/tasks/files/${file.fileId}`, admin());
    const { stages } = dispatcherRoutes.fileTimeline.answer.parse(await timeline.json());
    expect(stages.map((stage) => [stage.stage, stage.tries.map((task) => task.outcome)])).toEqual([
      ['prepare', ['completed']],
      ['transcribe', ['completed']],
      ['diarize', ['failed', 'completed']],
      ['assemble', ['completed', 'completed']],
      ['index', ['completed', 'completed']],
    ]);
  });

  it('leaves the run completed while its index is retried, and drops the warning afterwards', async () => {
    const { state, script } = failingScript('index');
    await world.worker(script);
    await world.emit(mediaEvents.uploaded, file);
    await world.becomes(file.fileId, 'completed');
    state.repaired = true;
    const task = await world.taskOf(file.fileId, 'index');
    expect((await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())).status).toBe(200);
    expect(await statusOf(world, file.fileId)).toBe('completed');
    const completions = await waitFor(async () => {
      const all = await eventsOf(transcriptionEvents.runCompleted.subject);
      return all.length === 2 ? all : undefined;
    });
    expect(completions[1]).toMatchObject({ warnings: [], dropped: completions[0]?.['warnings'] });
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toEqual([]);
  });
});

describe('all dead jobs of a kind', () => {
  it('are retried or discarded together', async () => {
    const { state, script } = failingScript('transcribe');
    const worker = await world.worker(script);
    const files = [file, newFile(), newFile()];
    for (const file of files) await world.emit(mediaEvents.uploaded, file);
    for (const file of files) await world.becomes(file.fileId, 'failed');
    const kind = { queue: 'gpu', task_type: 'transcribe', error_code: 'engine_crashed' };
    expect((await listDead('?queue=gpu')).kinds).toMatchObject([{ ...kind, count: 3 }]);
    const other = await world.dispatcher.post('/api/tasks/dead/retry', admin(), {
      ...kind,
      error_code: 'engine_timeout',
    });
    expect(await other.json()).toEqual({ retried: 0, refused: [], remaining: 0 });
    expect((await world.dispatcher.post('/api/tasks/dead/retry', admin(), { unknown: 1 })).status).toBe(422);
    // Without a worker no task can fail again before the others are counted.
    await worker.stop();
    const again = await world.dispatcher.post('/api/tasks/dead/retry', admin(), kind);
    expect(await again.json()).toEqual({ retried: 3, refused: [], remaining: 0 });
    await world.worker(script);
    for (const file of files)
      await waitFor(async () => (await world.taskOf(file.fileId, 'transcribe'))?.status === 'failed');
    state.repaired = true;
    const discarded = await world.dispatcher.post('/api/tasks/dead/discard', admin(), kind);
    expect(await discarded.json()).toEqual({ discarded: 3 });
    expect((await listDead()).total).toBe(0);
    expect(await statusOf(world, file.fileId)).toBe('failed');
    const task = await world.taskOf(file.fileId, 'transcribe');
    expect((await world.dispatcher.remove(`/api/tasks/${task?.uuid}`, admin())).status).toBe(204);
    expect(await codeOf(await world.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin()))).toEqual([
      409,
      'task_not_dead',
    ]);
  });

  it('are rejected one by one when they are unknown or did not fail', async () => {
    await world.emit(mediaEvents.uploaded, file);
    const task = await waitFor(() => world.taskOf(file.fileId, 'prepare'));
    expect((await world.dispatcher.remove(`/api/tasks/${randomUUID()}`, admin())).status).toBe(404);
    expect((await world.dispatcher.post(`/api/tasks/${randomUUID()}/retry`, admin())).status).toBe(404);
    expect(await codeOf(await world.dispatcher.remove(`/api/tasks/${task.uuid}`, admin()))).toEqual([
      409,
      'task_not_dead',
    ]);
    expect((await world.dispatcher.post(`/api/tasks/${task.uuid}/retry`, admin())).status).toBe(200);
    await world.emit(mediaEvents.cancelOrdered, file);
  });
});
