import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { SegmentObject } from '@overtone/contracts';
import { startRun, transcribed, twoVoices, wordsOf, isMissing } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav } from '../../test/start-media.ts';

const media = await startMedia();

/** In minutes, because a busy machine may take seconds between two events. */
function later(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000);
}

function texts(file: Record<string, unknown>): string[] {
  return (file['transcript_segments'] as SegmentObject[]).map(({ text }) => text);
}

describe('a file whose run succeeds', () => {
  it('shows each stage, is readable before diarization, and is completed at the end', async () => {
    const run = await startRun(media);
    await run.open();
    await run.until((file) => file['status'] === 'queued');
    await run.start('prepare');
    await run.until((file) => file['display_status'] === 'Preparing the recording');
    await run.prepare();
    expect(await run.until((file) => file['duration'] === 7.5)).toMatchObject({
      has_waveform: true,
      has_thumbnail: true,
    });
    await run.start('transcribe');
    await run.until((file) => file['status'] === 'transcribing');
    await run.transcribe();
    const early = await run.until((file) => file['total_segments'] === 1);
    expect(early).toMatchObject({
      status: 'queued',
      stage: null,
      next_stage: 'diarize',
      display_status: 'Waiting for speaker detection',
      speakers: [],
      engine: { provider: 'scripted' },
      language: 'en',
    });
    await run.assemble();
    const full = await run.until((file) => file['total_segments'] === 3);
    expect(texts(full)).toEqual(['good morning everybody', 'hello and welcome', 'let us begin']);
    expect(full).toMatchObject({ speaker_count: 2, diarization_provider: 'acoustic', transcript_version: 2 });
    expect(full['speakers']).toMatchObject([
      { name: 'SPEAKER_01', display_name: null, talk_time: 2.4 },
      { name: 'SPEAKER_02', display_name: null, talk_time: 1.2 },
    ]);
    const first = (full['transcript_segments'] as SegmentObject[])[0];
    expect(first).toMatchObject({
      start_time: 0,
      end_time: 1.2,
      speaker: { name: 'SPEAKER_01' },
      edited: false,
      version: 1,
    });
    expect(first?.words).toEqual(wordsOf('good morning everybody', 0));
    await run.complete();
    expect(await run.until((file) => file['status'] === 'completed')).toMatchObject({ stage: null, error: null });
    const stored = await waitFor(() => {
      const events = media.eventsOf('evt.media.transcript.stored.v1', run.fileId).map(({ data }) => data);
      return events.length === 2 ? events : undefined;
    });
    expect(stored).toMatchObject([
      { runId: run.ids.runId, transcriptVersion: 1, provisional: true },
      { runId: run.ids.runId, transcriptVersion: 2, provisional: false },
    ]);
  });

  it('shows no progress between two stages, whatever the order of events', async () => {
    const run = await startRun(media);
    const at = (ms: number) => new Date(Date.now() + ms);
    await run.open();
    await run.start('prepare');
    expect(await run.until((file) => file['stage'] === 'prepare')).toMatchObject({ status: 'processing' });
    await run.prepare();
    const waiting = { status: 'queued', stage: null, next_stage: 'transcribe' };
    const text = 'Waiting to be transcribed';
    expect(await run.until((file) => file['duration'] === 7.5)).toMatchObject({ ...waiting, display_status: text });
    // A late event of the stage's start.
    await run.start('prepare');
    await run.wait('worker');
    expect(await run.until((file) => file['waiting_for'] === 'worker')).toMatchObject(waiting);
    await run.start('diarize', at(10));
    await run.until((file) => file['stage'] === 'diarize');
    await run.transcribe();
    expect(await run.until((file) => file['total_segments'] === 1)).toMatchObject({ stage: 'diarize' });
  });

  it('completes without speech, and notifies the owner once', async () => {
    const run = await startRun(media);
    await run.open();
    await run.prepare();
    await run.transcribe([]);
    await run.assemble({ ...twoVoices([]), segments: [] });
    await run.until((file) => file['transcript_version'] === 2);
    await run.complete();
    const done = await run.until((file) => file['status'] === 'completed');
    expect(done).toMatchObject({ no_speech: true, display_status: 'No speech found', next_stage: null });
    await run.complete();
    const ended = await waitFor(() => media.eventsOf('evt.media.file.transcription-ended.v1', run.fileId)[0]);
    expect(ended.data).toMatchObject({ outcome: 'completed', noSpeech: true, ownerId: run.owner.userId });
    await run.wait('worker');
    expect(media.eventsOf('evt.media.file.transcription-ended.v1', run.fileId)).toHaveLength(1);
  });

  it('warns about a chosen language that was not used', async () => {
    const file = await media.upload(newUser(), wav(88_001), { fields: { language: 'de' } });
    const owner = { userId: file.body.user_id, role: 'user' as const };
    const run = await startRun(media, owner, file.body.uuid);
    await run.open();
    await run.transcribe();
    const { warnings } = await run.until((now) => now['total_segments'] === 1);
    expect(warnings).toEqual([expect.stringMatching(/German.*could not be used.*English/)]);
  });

  it('shows warnings for missing results', async () => {
    const run = await startRun(media);
    await run.open();
    await run.prepare({ truncated: true });
    await run.assemble({ ...twoVoices(), diarization: { provider: 'none', degraded: 'One voice only.' } });
    await run.until((file) => file['total_segments'] === 3);
    await run.complete(['It is not searchable yet.']);
    const file = await run.until(({ status }) => status === 'completed');
    expect(file['warnings']).toEqual([
      expect.stringContaining('cut off'),
      'One voice only.',
      'It is not searchable yet.',
    ]);
  });

  it('shows that it waits for an engine, and does not fail', async () => {
    const run = await startRun(media);
    await run.open();
    await run.wait('engine');
    const waiting = await run.until((file) => file['waiting_for'] === 'engine');
    expect(waiting).toMatchObject({ display_status: 'Waiting for a speech engine', error: null });
    await run.wait(null);
    await run.until((file) => file['waiting_for'] === null);
  });

  it('is a video only when it has a video stream', async () => {
    const run = await startRun(media);
    await run.prepare({
      media: {
        format: 'mp4',
        audio_codec: 'aac',
        video_codec: 'h264',
        width: 1,
        height: 1,
        channels: 1,
        sample_rate: 1,
      },
    });
    await run.until((file) => file['content_type'] === 'video/wav' && file['has_video'] === true);
  });

  it('has the level of its sound once it was measured', async () => {
    const run = await startRun(media);
    await run.prepare();
    await run.until((file) => file['duration'] === 7.5 && file['sound_level'] === null);
    const sound = { level_db: -20.5, noise_db: -60, clipped: 0.01 };
    const again = await startRun(media, run.owner, run.fileId);
    await again.open();
    await again.prepare({ sound });
    const file = await again.until((current) => current['sound_level'] !== null);
    expect(file['sound_level']).toEqual(sound);
  });
});

describe('repeated results', () => {
  it('are stored once, and reported again', async () => {
    const run = await transcribed(media);
    const before = await run.readFile();
    await run.assemble();
    await waitFor(() => media.eventsOf('evt.media.transcript.stored.v1', run.fileId).length === 2);
    const after = await run.readFile();
    expect(after['transcript_segments']).toEqual(before['transcript_segments']);
    expect(after['transcript_version']).toBe(before['transcript_version']);
  });
});

describe('a partially stored transcript', () => {
  /** A constraint that rejects the last of many segments; a sequence counts the attempts despite rollbacks. */
  const refuseTheLast = async (position: number) => {
    await media.query('create sequence refusals');
    await media.query('grant usage on sequence refusals to media');
    await media.query(`create function refuse() returns trigger language plpgsql as $$
      begin perform nextval('refusals'); raise exception 'no'; end $$`);
    await media.query(
      `create trigger refuse before insert on transcript_segment for each row when (new.position = ${position}) execute function refuse()`,
    );
    return {
      met: async () => (await media.query('select is_called from refusals'))[0]?.['is_called'] === true,
      end: () => media.query('drop function refuse() cascade'),
    };
  };

  it('is replaced completely when it is stored again', async () => {
    const run = await startRun(media);
    await run.transcribe();
    const early = await run.until((file) => file['total_segments'] === 1);
    const last = 2_499;
    const refusal = await refuseTheLast(last);
    const segments = Array.from({ length: last + 1 }, (_, i) => ({
      start: i,
      end: i + 0.5,
      speaker: i % 2,
      text: 'good morning',
      confidence: 0.8,
      words: wordsOf('good morning', i, 0.2),
    }));
    await run.assemble({ ...twoVoices(), segments });
    await waitFor(refusal.met);
    expect(texts(await run.readFile())).toEqual(texts(early));
    await refusal.end();
    const whole = await waitFor(async () => {
      const file = await run.readFile();
      return file['total_segments'] === last + 1 ? file : undefined;
    });
    expect(whole['speaker_count']).toBe(2);
    const rows = await media.query(
      'select count(*)::int as n, count(distinct position)::int as places from transcript_segment where media_file_id = $1',
      run.fileId,
    );
    expect(rows).toEqual([{ n: last + 1, places: last + 1 }]);
  });
});

describe('events out of order', () => {
  it('leave the file in the latest state', async () => {
    const run = await startRun(media);
    await run.assemble();
    await run.until((file) => file['total_segments'] === 3);
    await run.transcribe();
    await run.start('index');
    await run.until((file) => file['stage'] === 'index');
    await run.start('transcribe');
    await run.open();
    await run.prepare();
    const file = await run.until(({ duration }) => duration === 7.5);
    expect(file).toMatchObject({ stage: 'index', status: 'processing', total_segments: 3, speaker_count: 2 });
  });

  it('never change a settled file', async () => {
    const run = await transcribed(media);
    await run.start('diarize', later(-60));
    await run.wait('worker');
    await run.prepare({ duration: 8 });
    expect(await run.until(({ duration }) => duration === 8)).toMatchObject({ status: 'completed', stage: null });
  });
});

describe('a run that fails', () => {
  it('stores the error and an advice', async () => {
    const run = await startRun(media);
    await run.open();
    await run.fail('media_unreadable', false);
    const file = await run.until(({ status }) => status === 'error');
    expect(file['error']).toEqual({
      code: 'media_unreadable',
      message: 'It went wrong.',
      what_to_do: expect.stringContaining('Convert it'),
      retryable: false,
    });
    expect(file['display_status']).toBe('Failed');
  });

  it('can be repeated, and ignores later events of the failed run', async () => {
    const old = await startRun(media);
    await old.open();
    await old.fail('engine_crashed');
    await old.until(({ status }) => status === 'error');
    const order = await media.json(old.owner, 'POST', `/api/files/${old.fileId}/reprocess`, { min_speakers: 2 });
    expect(order).toMatchObject({ status: 202, body: { status: 'queued', error: null } });
    const events = await waitFor(() => media.eventsOf('evt.media.file.reprocess-ordered.v1', old.fileId)[0]);
    expect(events.data['options']).toEqual({ language: null, minSpeakers: 2, maxSpeakers: null, diarize: true });
    await old.fail('engine_crashed', true, later(-60));
    await old.assemble(twoVoices(), later(-60));
    const next = await startRun(media, old.owner, old.fileId);
    await next.open(later(1));
    await next.start('prepare', later(2));
    const file = await next.until(({ stage }) => stage === 'prepare');
    expect(file).toMatchObject({ status: 'processing', error: null, total_segments: 0 });
  });

  it('keeps the earlier transcript, which a new one without speakers does not replace', async () => {
    const run = await transcribed(media);
    const before = await run.readFile();
    expect((await media.json(run.owner, 'POST', `/api/files/${run.fileId}/reprocess`)).status).toBe(202);
    const next = await startRun(media, run.owner, run.fileId);
    await next.open(later(1));
    await next.transcribe(wordsOf('something else entirely', 0), later(2));
    await next.fail('engine_timeout', true, later(3));
    const file = await next.until(({ status }) => status === 'error');
    expect(file['transcript_segments']).toEqual(before['transcript_segments']);
  });
});

describe('a resumed run', () => {
  it('continues where it failed, whatever the order of its events', async () => {
    const run = await startRun(media);
    await run.open();
    await run.fail('engine_crashed', true, later(1));
    await run.until(({ status }) => status === 'error');
    await run.start('transcribe', later(3));
    await run.until(({ status, error }) => status === 'transcribing' && error === null);
    await run.resume('transcribe', later(2));
    await run.fail('engine_crashed', true, later(1));
    await run.assemble();
    await run.complete([], later(4));
    const file = await run.until((file) => file['status'] === 'completed' && file['total_segments'] === 3);
    expect(file['error']).toBeNull();
  });

  it('is queued until a worker claims it', async () => {
    const run = await startRun(media);
    await run.open();
    await run.fail('engine_crashed', true, later(1));
    await run.until(({ status }) => status === 'error');
    await run.resume('transcribe', later(2));
    expect(await run.until(({ status }) => status === 'queued')).toMatchObject({ error: null, stage: null });
    await run.fail('engine_crashed', true, later(3));
    await run.until(({ status }) => status === 'error');
    await run.resume('transcribe', later(2));
    await run.prepare({ duration: 8 });
    await run.until(({ duration }) => duration === 8);
    expect(await run.readFile()).toMatchObject({ status: 'error', error: { code: 'engine_crashed' } });
  });

  it('stores the transcript again with its speakers, keeps user edits, and drops the warning', async () => {
    const run = await startRun(media);
    await run.open();
    const note = 'Speakers could not be distinguished: too noisy';
    const alone = { ...twoVoices(['SPEAKER_01']), diarization: { provider: 'none', degraded: note } };
    await run.assemble({ ...alone, segments: alone.segments.map((segment) => ({ ...segment, speaker: 0 })) });
    const before = await run.until((file) => file['total_segments'] === 3);
    await run.complete([note], later(1));
    await run.until(({ status }) => status === 'completed');
    const [segment] = before['transcript_segments'] as SegmentObject[];
    const path = `/api/files/${run.fileId}/transcript/segments/${segment?.uuid}`;
    expect((await media.json(run.owner, 'PUT', path, { text: 'Good morning, all', version: 1 })).status).toBe(200);
    await run.resume('diarize', later(2), [note]);
    expect(await run.until(({ status }) => status === 'queued')).toMatchObject({ warnings: [], total_segments: 3 });
    await run.assemble(twoVoices(), later(3), 6);
    const after = await run.until((file) => file['speaker_count'] === 2);
    expect(texts(after)).toEqual(['Good morning, all', 'hello and welcome', 'let us begin']);
    expect(after['warnings']).toEqual([]);
  });

  it('drops the warning of a late index', async () => {
    const run = await transcribed(media);
    await run.complete(['It is not searchable yet.'], later(1));
    await run.until(({ warnings }) => (warnings as string[]).length === 1);
    await run.complete([], later(2), ['It is not searchable yet.']);
    const file = await run.until(({ warnings }) => (warnings as string[]).length === 0);
    expect(file).toMatchObject({ status: 'completed' });
  });
});

describe('a stage that stuck recovery resets', () => {
  it('returns the file to a retryable state without partial segments, whatever the order of events', async () => {
    const run = await startRun(media);
    await run.open();
    await run.start('transcribe');
    await run.transcribe(wordsOf('good morning everybody', 0));
    await run.until((file) => file['total_segments'] === 1);
    await run.start('diarize', later(1));
    await run.until(({ stage }) => stage === 'diarize');
    await run.reset('diarize', later(2));
    await run.reset('diarize', later(2));
    const waiting = { status: 'uploaded', stage: null, next_stage: 'diarize', transcript_version: 2 };
    expect(await run.until(({ status }) => status === 'uploaded')).toMatchObject({ ...waiting, total_segments: 0 });
    // Arrives late: the stage was started before the reset.
    await run.start('diarize', later(1));
    await run.wait('worker');
    expect(await run.until((file) => file['waiting_for'] === 'worker')).toMatchObject(waiting);
    await run.start('diarize', later(3));
    await run.until(({ status }) => status === 'processing');
    // Arrives late: the stage has been started again.
    await run.reset('diarize', later(2));
    await run.wait('engine');
    expect(await run.until((file) => file['waiting_for'] === 'engine')).toMatchObject({ stage: 'diarize' });
    await run.assemble();
    expect(texts(await run.until((file) => file['total_segments'] === 3))).toHaveLength(3);
  });

  it('keeps segments that a user has edited, and a complete transcript', async () => {
    const run = await startRun(media);
    await run.open();
    await run.transcribe(wordsOf('good morning everybody', 0));
    const [segment] = (await run.until((file) => file['total_segments'] === 1))[
      'transcript_segments'
    ] as SegmentObject[];
    const path = `/api/files/${run.fileId}/transcript/segments/${segment?.uuid}`;
    expect((await media.json(run.owner, 'PUT', path, { text: 'Good morning, all', version: 1 })).status).toBe(200);
    await run.start('diarize', later(1));
    await run.reset('diarize', later(2));
    expect(texts(await run.until(({ status }) => status === 'uploaded'))).toEqual(['Good morning, all']);
    await run.assemble(twoVoices(), later(3));
    await run.until((file) => file['total_segments'] === 3);
    await run.start('index', later(4));
    await run.until(({ stage }) => stage === 'index');
    await run.reset('index', later(5));
    expect(await run.until(({ status }) => status === 'uploaded')).toMatchObject({ total_segments: 3 });
  });

  it('does not change a file that is settled or in a later stage', async () => {
    const run = await transcribed(media);
    await run.reset('index', later(5));
    await run.prepare({ duration: 8 });
    expect(await run.until(({ duration }) => duration === 8)).toMatchObject({ status: 'completed', total_segments: 3 });
  });
});

describe("a user's edit during a run", () => {
  it("is kept in the run's new transcript", async () => {
    const run = await startRun(media);
    await run.open();
    await run.transcribe(wordsOf('good morning everybody', 0));
    const early = await run.until((file) => file['total_segments'] === 1);
    const segment = (early['transcript_segments'] as SegmentObject[])[0];
    const path = `/api/files/${run.fileId}/transcript/segments/${segment?.uuid}`;
    expect((await media.json(run.owner, 'PUT', path, { text: 'Good morning, all', version: 1 })).status).toBe(200);
    await run.assemble();
    const file = await run.until((file) => file['speaker_count'] === 2);
    expect(texts(file)).toEqual(['Good morning, all', 'hello and welcome', 'let us begin']);
    expect((file['transcript_segments'] as SegmentObject[])[0]).toMatchObject({
      uuid: segment?.uuid,
      edited: true,
      version: 2,
      speaker: { name: 'SPEAKER_01' },
    });
  });
});

describe('a cancelled file', () => {
  it('is cancelling until the run is cancelled', async () => {
    const run = await startRun(media);
    await run.open();
    await run.until(({ status }) => status === 'queued');
    const stop = await media.json(run.owner, 'POST', `/api/files/${run.fileId}/cancel`);
    expect(stop).toMatchObject({ status: 202, body: { status: 'cancelling', display_status: 'Stopping' } });
    await waitFor(() => media.eventsOf('evt.media.file.cancel-ordered.v1', run.fileId).length === 1);
    await run.start('transcribe');
    await run.cancelled();
    await run.until(({ status }) => status === 'cancelled');
    expect(await media.json(run.owner, 'POST', `/api/files/${run.fileId}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'file_busy' },
    });
  });
});

describe('a file that is deleted', () => {
  it('is deleted with all its objects, also those that a run writes later', async () => {
    const run = await transcribed(media);
    expect((await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}`)).status).toBe(204);
    expect((await media.json(run.owner, 'DELETE', `/api/files/bin/${run.fileId}`)).status).toBe(204);
    expect((await media.json(run.owner, 'GET', `/api/files/${run.fileId}`)).status).toBe(404);
    await waitFor(() => media.eventsOf('evt.media.file.deleted.v1', run.fileId).length === 1);
    await waitFor(() => isMissing(run.objects, `files/${run.fileId}/original`));
    const [left] = await media.query(
      'select count(*)::int as n from transcript_segment where media_file_id = $1',
      run.fileId,
    );
    expect(left?.['n']).toBe(0);
    await run.prepare();
    await run.transcribe();
    await waitFor(() => isMissing(run.objects, `derived/${run.fileId}/${run.ids.runId}/transcribe-1.json`));
  });

  it('is deleted by its owner or an administrator only', async () => {
    const run = await startRun(media);
    expect((await media.json(newUser(), 'DELETE', `/api/files/${run.fileId}`)).status).toBe(404);
    expect((await media.json(newUser(), 'DELETE', `/api/files/${randomUUID()}`)).status).toBe(404);
    expect((await media.json(newUser('admin'), 'DELETE', `/api/files/${run.fileId}`)).status).toBe(204);
  });
});
