import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dispatcherRoutes, mediaEvents, operationsEvents, transcriptionEvents, type Stage } from '@overtone/contracts';
import { AppError } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { assertionOf, patience, statusOf, uploadedFile } from '../../test/harness.ts';
import { standing } from '../../test/standing.ts';
import type { Script } from '../../test/workers.ts';

const w = standing();
const adminId = randomUUID();
const admin = () => assertionOf(adminId, 'admin');
let file: ReturnType<typeof uploadedFile>;
beforeEach(() => {
  file = newFile();
});

const newFile = () => {
  const made = uploadedFile();
  w.neighbours.files.set(made.fileId, { title: 'Board meeting', readers: [] });
  return made;
};
/** A script whose stage fails for good until it is mended. */
const broken = (stage: Stage, code: 'engine_crashed' | 'media_unreadable' = 'engine_crashed') => {
  const state = { mended: false };
  const script: Script = {
    [stage]: () => {
      if (!state.mended) throw new AppError('invalid', code, 'It went wrong', { permanent: true });
    },
  };
  return { state, script };
};
const listed = async (query = '') => {
  const answer = await w.dispatcher.get(`/api/tasks/dead${query}`, admin());
  return dispatcherRoutes.deadTasks.answer.parse(await answer.json());
};
const codeOf = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  ((await answer.json()) as { code: string }).code,
];
const eventsOf = async (subject: string, fileId = file.fileId) =>
  (await w.events()).filter((e) => e.subject === subject && e.data['fileId'] === fileId).map((e) => e.data);

describe('a job that failed for good', () => {
  test('is listed with its reason, retried, and its run goes on to its end', async () => {
    const { state, script } = broken('transcribe');
    const worker = await w.worker(script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'failed');
    const dead = await listed('?error_code=engine_crashed');
    expect(dead.items).toMatchObject([
      { media_file_id: file.fileId, file_title: 'Board meeting', error_message: 'It went wrong', dead: true },
    ]);
    expect(dead.kinds).toMatchObject([
      { queue: 'gpu', task_type: 'transcribe', error_code: 'engine_crashed', count: 1 },
    ]);

    const task = await w.taskOf(file.fileId, 'transcribe');
    expect((await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, assertionOf(file.ownerId, 'user'))).status).toBe(
      403,
    );
    state.mended = true;
    const answers = await Promise.all(
      [1, 2, 3].map(() => w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())),
    );
    expect(answers.map((a) => a.status)).toEqual([200, 200, 200]);
    await w.becomes(file.fileId, 'completed');
    expect(worker.done.filter((d) => d.stage === 'prepare')).toHaveLength(1);
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toMatchObject([
      { stage: 'transcribe', dropped: [] },
    ]);
    expect((await listed()).total).toBe(0);
    const done = await w.dispatcher.get(`/api/tasks/${task?.uuid}`, admin());
    const { tries, attempt } = dispatcherRoutes.task.answer.parse(await done.json());
    expect(tries.map((t) => t.outcome)).toEqual(['failed', 'completed']);
    expect(attempt).toBe(1);
    const audited = (await w.events()).filter((e) => e.subject === operationsEvents.performed.subject);
    expect(audited.map((e) => e.data)).toMatchObject([{ action: 'jobs_retried', actorId: adminId }]);
  });

  test('that fails again is dead again, with its failures counted anew', async () => {
    await w.worker(broken('prepare', 'media_unreadable').script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'failed');
    const task = await w.taskOf(file.fileId, 'prepare');
    await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin());
    await waitFor(async () => (await eventsOf(transcriptionEvents.runFailed.subject)).length === 2, patience);
    expect(await w.taskOf(file.fileId, 'prepare')).toMatchObject({ uuid: task?.uuid, status: 'failed', failures: 1 });
    expect(await statusOf(w, file.fileId)).toBe('failed');
    expect((await w.dispatcher.remove(`/api/tasks/${task?.uuid}`, admin())).status).toBe(204);
  });

  test('whose file was deleted is refused with a reason', async () => {
    const worker = await w.worker(broken('prepare', 'media_unreadable').script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'failed');
    await worker.stop();
    w.neighbours.files.delete(file.fileId);
    const task = await w.taskOf(file.fileId, 'prepare');
    expect(await codeOf(await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin()))).toEqual([
      409,
      'file_deleted',
    ]);
    const all = await w.dispatcher.post('/api/tasks/dead/retry', admin(), { error_code: 'media_unreadable' });
    expect(await all.json()).toMatchObject({ retried: 0, refused: [{ uuid: task?.uuid, code: 'file_deleted' }] });
    await w.emit(mediaEvents.deleted, file);
    await waitFor(async () => (await listed()).items.every((t) => t.uuid !== task?.uuid));
  });

  test('is no longer dead once its file is processed anew', async () => {
    const { state, script } = broken('prepare', 'media_unreadable');
    await w.worker(script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'failed');
    const task = await w.taskOf(file.fileId, 'prepare');
    state.mended = true;
    await w.emit(mediaEvents.reprocessOrdered, file);
    await w.becomes(file.fileId, 'completed');
    expect((await listed()).total).toBe(0);
    const answer = await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin());
    expect(await codeOf(answer)).toEqual([409, 'task_not_dead']);
  });

  test('that a run went on without is done anew with what follows it, and loses its warning', async () => {
    const { state, script } = broken('diarize');
    const worker = await w.worker(script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'completed');
    const warnings = async () =>
      (await w.sql<{ warnings: string[] }>('select warnings from run where file_id = $1', [file.fileId]))[0]?.warnings;
    expect(await warnings()).toEqual(['Speakers could not be told apart: It went wrong']);
    state.mended = true;
    const task = await w.taskOf(file.fileId, 'diarize');
    expect((await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())).status).toBe(200);
    await waitFor(async () => worker.stagesDone().filter((s) => s === 'index').length === 2, patience);
    await w.becomes(file.fileId, 'completed');
    expect(await warnings()).toEqual([]);
    expect(worker.stagesDone()).toEqual(['prepare', 'transcribe', 'assemble', 'index', 'diarize', 'assemble', 'index']);
    expect(worker.done.at(-2)?.input).toMatchObject({ earlier: { diarize: expect.any(String) } });
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toMatchObject([
      { stage: 'diarize', dropped: ['Speakers could not be told apart: It went wrong'] },
    ]);
    const timeline = await w.dispatcher.get(`/api/tasks/files/${file.fileId}`, admin());
    const { stages } = dispatcherRoutes.fileTimeline.answer.parse(await timeline.json());
    expect(stages.map((s) => [s.stage, s.tries.map((t) => t.outcome)])).toEqual([
      ['prepare', ['completed']],
      ['transcribe', ['completed']],
      ['diarize', ['failed', 'completed']],
      ['assemble', ['completed', 'completed']],
      ['index', ['completed', 'completed']],
    ]);
  });

  test('of an index leaves the run as it ended until it is there, and takes the warning along', async () => {
    const { state, script } = broken('index');
    await w.worker(script);
    await w.emit(mediaEvents.uploaded, file);
    await w.becomes(file.fileId, 'completed');
    state.mended = true;
    const task = await w.taskOf(file.fileId, 'index');
    expect((await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin())).status).toBe(200);
    expect(await statusOf(w, file.fileId)).toBe('completed');
    const told = await waitFor(async () => {
      const all = await eventsOf(transcriptionEvents.runCompleted.subject);
      return all.length === 2 ? all : undefined;
    }, patience);
    expect(told[1]).toMatchObject({ warnings: [], dropped: told[0]?.['warnings'] });
    expect(await eventsOf(transcriptionEvents.runResumed.subject)).toEqual([]);
  });
});

describe('all jobs of a kind', () => {
  test('are retried together, or discarded together', async () => {
    const { state, script } = broken('transcribe');
    const worker = await w.worker(script);
    const files = [file, newFile(), newFile()];
    for (const f of files) await w.emit(mediaEvents.uploaded, f);
    for (const f of files) await w.becomes(f.fileId, 'failed');
    const kind = { queue: 'gpu', task_type: 'transcribe', error_code: 'engine_crashed' };
    expect((await listed('?queue=gpu')).kinds).toMatchObject([{ ...kind, count: 3 }]);
    const other = await w.dispatcher.post('/api/tasks/dead/retry', admin(), { ...kind, error_code: 'engine_timeout' });
    expect(await other.json()).toEqual({ retried: 0, refused: [], remaining: 0 });
    expect((await w.dispatcher.post('/api/tasks/dead/retry', admin(), { unknown: 1 })).status).toBe(422);
    // Nobody who could let one fail again before the others are counted.
    await worker.stop();
    const again = await w.dispatcher.post('/api/tasks/dead/retry', admin(), kind);
    expect(await again.json()).toEqual({ retried: 3, refused: [], remaining: 0 });
    await w.worker(script);
    for (const f of files)
      await waitFor(async () => (await w.taskOf(f.fileId, 'transcribe'))?.status === 'failed', patience);
    state.mended = true;
    const discarded = await w.dispatcher.post('/api/tasks/dead/discard', admin(), kind);
    expect(await discarded.json()).toEqual({ discarded: 3 });
    expect((await listed()).total).toBe(0);
    expect(await statusOf(w, file.fileId)).toBe('failed');
    const task = await w.taskOf(file.fileId, 'transcribe');
    expect((await w.dispatcher.remove(`/api/tasks/${task?.uuid}`, admin())).status).toBe(204);
    expect(await codeOf(await w.dispatcher.post(`/api/tasks/${task?.uuid}/retry`, admin()))).toEqual([
      409,
      'task_not_dead',
    ]);
  });

  test('that nobody knows, or that did not fail, are refused one by one', async () => {
    await w.emit(mediaEvents.uploaded, file);
    const task = await waitFor(() => w.taskOf(file.fileId, 'prepare'));
    expect((await w.dispatcher.remove(`/api/tasks/${randomUUID()}`, admin())).status).toBe(404);
    expect((await w.dispatcher.post(`/api/tasks/${randomUUID()}/retry`, admin())).status).toBe(404);
    expect(await codeOf(await w.dispatcher.remove(`/api/tasks/${task.uuid}`, admin()))).toEqual([409, 'task_not_dead']);
    expect((await w.dispatcher.post(`/api/tasks/${task.uuid}/retry`, admin())).status).toBe(200);
    await w.emit(mediaEvents.cancelOrdered, file);
  });
});
