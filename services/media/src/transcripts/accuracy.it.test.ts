import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AnswerOf, FileDetail, mediaRoutes } from '@overtone/contracts';
import { startRun, transcribed, twoVoices, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Accuracy = AnswerOf<(typeof mediaRoutes)['transcriptAccuracy']>;
type Figures = AnswerOf<(typeof mediaRoutes)['accuracyFigures']>;
const media = await startMedia();
const patient = { timeoutMs: 60_000 };

async function correct(run: Run, text: string, index = 0): Promise<void> {
  const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
  const path = `/api/files/${run.fileId}/transcript/segments/${body.transcript_segments[index]?.uuid}`;
  expect((await media.json(run.owner, 'PUT', path, { text })).status).toBe(200);
}

async function accuracyOf(run: Run, person: TestUser = run.owner): Promise<Accuracy> {
  return (await media.json<Accuracy>(person, 'GET', `/api/files/${run.fileId}/transcript/accuracy`)).body;
}

/** The figures once the words were counted, without the pause after the last edit. */
async function counted(run: Run): Promise<Accuracy> {
  await media.query(
    `update transcript_accuracy set due_at = now() where media_file_id = $1 and due_at is not null`,
    run.fileId,
  );
  return waitFor(async () => {
    const accuracy = await accuracyOf(run);
    return accuracy.pending ? undefined : accuracy;
  }, patient);
}

describe('the accuracy of a transcript', () => {
  it('is unknown until it is corrected, pending after an edit, and counted when it was left alone', async () => {
    const run = await transcribed(media);
    expect(await accuracyOf(run)).toEqual({ items: [], pending: false, masked: false });
    await correct(run, 'Good evening, everybody!');
    expect(await accuracyOf(run)).toEqual({ items: [], pending: true, masked: false });
    const { items } = await counted(run);
    expect(items).toEqual([
      {
        engine: { provider: 'scripted', model: 'test' },
        language: 'en',
        transcribed_at: expect.any(String),
        measured_at: expect.any(String),
        words: 9,
        errors: 1,
        current: true,
      },
    ]);
  });

  it('follows further corrections, and is unknown again when all are undone', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    await counted(run);
    await correct(run, 'hello welcome', 1);
    expect((await counted(run)).items).toMatchObject([{ words: 8, errors: 2 }]);
    for (let i = 0; i < 2; i += 1)
      await media.json(run.owner, 'POST', `/api/files/${run.fileId}/transcript/undo`, { uuid: randomUUID() });
    expect((await counted(run)).items).toEqual([]);
  });

  it('of an earlier run is kept beside that of the present one', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    await counted(run);
    const again = await startRun(media, run.owner, run.fileId);
    await again.open();
    await again.prepare();
    const transcript = twoVoices();
    await again.assemble({ ...transcript, engine: { ...transcript.engine, model: 'better' } });
    await again.complete();
    await again.until(
      (file) => (file['engine'] as { model: string }).model === 'better' && file['status'] === 'completed',
    );
    await correct(again, 'good morning to everybody');
    const { items } = await counted(again);
    const figures = items.map(({ engine, errors, current }) => [engine.model, errors, current]);
    expect(new Set(figures)).toEqual(
      new Set([
        ['better', 1, true],
        ['test', 1, false],
      ]),
    );
  });

  it('is not shown to readers who see no other part of the file, nor to those from whom parts are masked', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    await counted(run);
    const path = `/api/files/${run.fileId}/transcript/accuracy`;
    expect((await media.json(newUser(), 'GET', path)).status).toBe(404);
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/redaction`, { masked_kinds: ['phone'] });
    expect(await accuracyOf(run)).toEqual({ items: [], pending: false, masked: true });
  });

  it('is deleted with the file', async () => {
    const run = await transcribed(media);
    await correct(run, 'good evening everybody');
    await counted(run);
    await media.query(`delete from media_file where uuid = $1`, run.fileId);
    expect(await media.query(`select 1 from transcript_accuracy where media_file_id = $1`, run.fileId)).toEqual([]);
  });

  it('is summed up for administrators by engine, model, language and month', async () => {
    await media.query(`delete from transcript_accuracy`);
    for (const text of ['good evening everybody', 'good morning all']) {
      const run = await transcribed(media);
      await correct(run, text);
      await counted(run);
    }
    const admin = newUser('admin');
    const { body } = await media.json<Figures>(admin, 'GET', '/api/admin/accuracy');
    expect(body).toEqual({
      rows: [
        {
          provider: 'scripted',
          model: 'test',
          language: 'en',
          month: expect.stringMatching(/^\d{4}-\d{2}$/),
          recordings: 2,
          words: 18,
          errors: 2,
        },
      ],
      complete: true,
    });
    expect((await media.json(newUser(), 'GET', '/api/admin/accuracy')).status).toBe(403);
  });
});
