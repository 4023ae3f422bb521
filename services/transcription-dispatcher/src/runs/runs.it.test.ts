import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { mediaEvents, transcriptionEvents } from '@overtone/contracts';
import { AppError } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { statusOf, uploadedFile } from '../../test/harness.ts';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();

async function eventsOf(fileId: string) {
  return (await world.events()).filter(
    (event) => event.data['fileId'] === fileId && event.subject.startsWith('evt.transcription.'),
  );
}

describe('a run', () => {
  it('processes all stages in order and completes', async () => {
    const worker = await world.worker();
    const file = await world.upload();
    await world.becomes(file.fileId, 'completed');
    expect(worker.stagesDone()).toEqual(['prepare', 'transcribe', 'diarize', 'assemble', 'index']);
    const published = await waitFor(async () => {
      const all = await eventsOf(file.fileId);
      return all.at(-1)?.subject === transcriptionEvents.runCompleted.subject ? all : undefined;
    });
    expect(
      published
        .filter((event) => event.subject === transcriptionEvents.stageCompleted.subject)
        .map((event) => event.data['stage']),
    ).toEqual(worker.stagesDone());
    expect(published.filter((event) => event.data['sequence']).map((event) => event.data['sequence'])).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect(published[0]?.subject).toBe(transcriptionEvents.runOpened.subject);
    expect(published.at(-1)?.data['warnings']).toEqual([]);
  });

  it('records its timing with the duration of the audio', async () => {
    await world.worker();
    const file = await world.upload();
    await world.becomes(file.fileId, 'completed');
    const [row] = await world.sql('select * from file_pipeline_timing where file_id = $1', [file.fileId]);
    expect(row).toMatchObject({
      user_id: file.ownerId,
      audio_duration_s: 60,
      engine: 'scripted test',
      engine_s: 3.6,
      transcribe_engine_s: 2,
      retry_count: 0,
    });
    expect(Number(row?.['total_s'])).toBeGreaterThan(0);
    expect(Number(row?.['transcribe_s'])).toBeGreaterThan(0);
  });

  it('is opened once for repeated upload events', async () => {
    const file = uploadedFile();
    const id = await world.emit(mediaEvents.uploaded, file);
    await world.emit(mediaEvents.uploaded, file);
    await waitFor(() => statusOf(world, file.fileId));
    const other = await world.upload();
    await waitFor(() => statusOf(world, other.fileId));
    expect(await world.sql('select opened_by from run where file_id = $1', [file.fileId])).toEqual([{ opened_by: id }]);
    await world.worker();
    await world.becomes(file.fileId, 'completed');
    await world.becomes(other.fileId, 'completed');
  });

  it('has the priority of its source, and a lower one once the transcript is readable', async () => {
    const [handedIn, found] = [uploadedFile(), { ...uploadedFile(), source: 'watch' as const }];
    await world.worker({}, { queues: ['cpu', 'gpu'] });
    for (const file of [handedIn, found]) await world.emit(mediaEvents.uploaded, file);
    const urgency = async (fileId: string) => {
      const tasks = await world.sql<{ stage: string; priority: number }>(
        'select stage, priority from task where file_id = $1 order by created_at',
        [fileId],
      );
      return tasks.at(-1)?.stage === 'index' ? tasks.map((task) => task.priority) : undefined;
    };
    expect(await waitFor(() => urgency(handedIn.fileId))).toEqual([0, 0, 0, 0, 1]);
    expect(await waitFor(() => urgency(found.fileId))).toEqual([1, 1, 1, 1, 2]);
    await world.worker();
    for (const { fileId } of [handedIn, found]) await world.becomes(fileId, 'completed');
  });

  it('skips diarization that was not requested, and tells assemble', async () => {
    const worker = await world.worker();
    const file = await world.upload({ diarize: false });
    await world.becomes(file.fileId, 'completed');
    expect(worker.stagesDone()).toEqual(['prepare', 'transcribe', 'assemble', 'index']);
    expect(worker.done[2]?.input['degraded']).toMatch(/not requested/);
  });

  it('continues with one speaker and a warning when diarization fails permanently', async () => {
    const worker = await world.worker({
      diarize: () => {
        throw new AppError('invalid', 'diarization_failed', 'The voices are too alike');
      },
    });
    const file = await world.upload();
    await world.becomes(file.fileId, 'completed');
    const note = 'Speakers could not be distinguished: The voices are too alike';
    const assemble = worker.done.find((dead) => dead.stage === 'assemble');
    expect(assemble?.input['degraded']).toBe(note);
    expect(Object.keys(assemble?.input['earlier'] ?? {})).toEqual(['prepare', 'transcribe']);
    const last = await waitFor(async () => {
      const event = (await eventsOf(file.fileId)).at(-1);
      return event?.subject === transcriptionEvents.runCompleted.subject ? event : undefined;
    });
    expect(last.data['warnings']).toEqual([note]);
  });

  it('completes with a warning when its index fails, and retries the index later', async () => {
    await world.worker({
      index: (_d, times) => {
        if (times <= 5) throw new AppError('unavailable', 'search_unavailable', 'The index is away');
      },
    });
    const file = await world.upload();
    const hurry = setInterval(
      () =>
        void world
          .sql(
            `update task set next_attempt_at = now() where status = 'pending' and next_attempt_at < now() + interval '5 min'`,
          )
          .catch(() => {}),
      100,
    );
    await world.becomes(file.fileId, 'completed');
    clearInterval(hurry);
    const [run] = await world.sql<{ warnings: string[] }>('select warnings from run where file_id = $1', [file.fileId]);
    expect(run?.warnings).toHaveLength(1);
    const [task] = await world.sql<{ status: string }>(
      `select status from task where file_id = $1 and stage = 'index' and next_attempt_at > now() + interval '5 min'`,
      [file.fileId],
    );
    expect(task?.status).toBe('pending');
    await world.sql(`update task set next_attempt_at = now() where file_id = $1 and stage = 'index'`, [file.fileId]);
    await waitFor(async () => {
      const [row] = await world.sql<{ warnings: string[] }>('select warnings from run where file_id = $1', [
        file.fileId,
      ]);
      return row?.warnings.length === 0;
    });
  });

  it('fails immediately on a permanent error', async () => {
    await world.worker({
      prepare: () => {
        throw new AppError('invalid', 'media_no_audio', 'There is no sound in this file');
      },
    });
    const file = await world.upload();
    await world.becomes(file.fileId, 'failed');
    const failed = await waitFor(async () =>
      (await eventsOf(file.fileId)).find((event) => event.subject === transcriptionEvents.runFailed.subject),
    );
    expect(failed.data).toMatchObject({ stage: 'prepare', code: 'media_no_audio', retryable: false });
    const [task] = await world.sql('select failures from task where file_id = $1', [file.fileId]);
    expect(task).toEqual({ failures: 1 });
  });

  it('retries after a transient error and completes', async () => {
    const worker = await world.worker({
      transcribe: (_d, times) => {
        if (times === 1) throw new AppError('unavailable', 'engine_crashed', 'The engine fell over');
      },
    });
    const file = await world.upload();
    await world.becomes(file.fileId, 'completed');
    expect(worker.done.find((dead) => dead.stage === 'transcribe')?.attempt).toBe(2);
  });
});

describe('an obsolete run', () => {
  it('is cancelled, and its worker is notified', async () => {
    let aborted = false;
    await world.worker({
      prepare: (dead) =>
        new Promise((_, reject) => {
          dead.signal.addEventListener('abort', () => {
            aborted = true;
            reject(dead.signal.reason as Error);
          });
        }),
    });
    const file = await world.upload();
    await waitFor(
      async () =>
        (await world.sql(`select 1 from task where file_id = $1 and status = 'in_progress'`, [file.fileId])).length,
    );
    await world.emit(mediaEvents.cancelOrdered, file);
    await waitFor(() => aborted);
    expect(await statusOf(world, file.fileId)).toBe('cancelled');
    await waitFor(async () =>
      (await eventsOf(file.fileId)).some((event) => event.subject === transcriptionEvents.runCancelled.subject),
    );
  });

  it('is superseded by a new one without an event', async () => {
    const file = await world.upload();
    await waitFor(() => statusOf(world, file.fileId));
    const { bytes: _b, source: _s, ...again } = file;
    await world.emit(mediaEvents.reprocessOrdered, again);
    await waitFor(async () => (await world.sql('select 1 from run where file_id = $1', [file.fileId])).length === 2);
    await world.worker();
    await world.becomes(file.fileId, 'completed');
    const rows = await world.sql('select status from run where file_id = $1 order by created_at', [file.fileId]);
    expect(rows).toEqual([{ status: 'cancelled' }, { status: 'completed' }]);
    expect(
      (await eventsOf(file.fileId)).filter((event) => event.subject === transcriptionEvents.runCancelled.subject),
    ).toEqual([]);
  });

  it('is not opened when its cancellation arrived before the upload', async () => {
    const file = uploadedFile();
    await world.emit(mediaEvents.deleted, file);
    await waitFor(() => statusOf(world, file.fileId));
    await world.emit(mediaEvents.uploaded, file);
    const marker = await world.upload();
    await waitFor(() => statusOf(world, marker.fileId));
    expect(await statusOf(world, file.fileId)).toBe('cancelled');
    await world.worker();
    await world.becomes(marker.fileId, 'completed');
  });

  it('is not affected by a cancellation that is older than the run', async () => {
    const file = await world.upload();
    await waitFor(() => statusOf(world, file.fileId));
    await world.emit(mediaEvents.cancelOrdered, file, randomUUID(), new Date(Date.now() - 60_000));
    await world.worker();
    await world.becomes(file.fileId, 'completed');
  });
});
