import { describe, expect, it } from '@jest/globals';
import { mediaRpc, type FileDetail, type ImportPreview, type Problem } from '@overtone/contracts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';
import { startRun, transcribed } from '../../test/runs.ts';

const media = await startMedia();
const srt =
  '1\n00:00:01,000 --> 00:00:02,500\nAda: Good morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nBob: Hello there.\n';

type Sent = Partial<Problem> & Record<string, unknown>;
async function send<T = Sent>(person: TestUser, path: string, content: string | Uint8Array, filename = 'talk.srt') {
  const form = new FormData();
  form.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), filename);
  const response = await media.call(person, 'POST', path, { body: form });
  return { status: response.status, body: (await response.json()) as T };
}
function importOnto(person: TestUser, fileId: string, content: string, filename?: string) {
  return send<{ transcript_version: number; segment_count: number; undo: { uuid: string } }>(
    person,
    `/api/files/${fileId}/transcript/import`,
    content,
    filename,
  );
}
async function readFile(person: TestUser, id: string): Promise<FileDetail> {
  return (await media.json<FileDetail>(person, 'GET', `/api/files/${id}`)).body;
}
function turnsOf(file: FileDetail) {
  return file.transcript_segments.map(({ start_time, speaker, text }) => [
    start_time,
    speaker?.display_name ?? speaker?.name,
    text,
  ]);
}

describe('the preview of a transcript file', () => {
  it('names format, encoding, speakers and the first turns, and stores nothing', async () => {
    const ada = newUser();
    const { status, body } = await send<ImportPreview>(ada, '/api/transcripts/import/preview', srt);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      format: 'srt',
      encoding: 'utf-8',
      segment_count: 2,
      word_count: 4,
      speakers: ['Ada', 'Bob'],
      interpolated: true,
      untimed: false,
      turns: [{ start_time: 1, end_time: 2.5, speaker: 'Ada', text: 'Good morning.' }, { speaker: 'Bob' }],
    });
    expect((await media.json<{ total: number }>(ada, 'GET', '/api/files')).body.total).toBe(0);
  });

  it.each([['/api/transcripts/import/preview'], ['/api/transcripts/import']])(
    '%s rejects a broken file with its line',
    async (path) => {
      const ada = newUser();
      const { status, body } = await send(ada, path, srt.replace('00:00:03,000', '00:00:0x'));
      expect([status, body.code, body['line']]).toEqual([400, 'transcript_invalid', 6]);
      expect((await media.json<{ total: number }>(ada, 'GET', '/api/files')).body.total).toBe(0);
    },
  );
});

describe('a transcript without a recording', () => {
  it('becomes a completed file whose words say that their times were interpolated', async () => {
    const ada = newUser();
    const { status, body } = await send<FileDetail>(ada, '/api/transcripts/import?title=Talk', srt);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      title: 'Talk',
      filename: 'talk.srt',
      status: 'completed',
      display_status: 'Ready',
      has_media: false,
      has_video: false,
      duration: 4,
      content_type: 'application/x-subrip',
      engine: { provider: 'import', model: 'srt', timing: 'estimated' },
      speaker_count: 2,
      transcript_version: 1,
    });
    const file = await readFile(ada, body.uuid);
    expect([file.file_size, file.file_hash]).toEqual([srt.length, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(turnsOf(file)).toEqual([
      [1, 'Ada', 'Good morning.'],
      [3, 'Bob', 'Hello there.'],
    ]);
    expect(file.transcript_segments[0]?.words).toEqual([
      { word: 'Good', start: 1, end: 1.5, confidence: null, interpolated: true },
      { word: 'morning.', start: 1.5, end: 2.5, confidence: null, interpolated: true },
    ]);
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', body.uuid)[0]);
    await waitFor(() => media.eventsOf('evt.media.file.updated.v1', body.uuid)[0]);
    expect(media.eventsOf('evt.media.file.uploaded.v1', body.uuid)).toEqual([]);
    const action = await waitFor(() => media.eventsOf('evt.media.action.performed.v1', body.uuid)[0]);
    expect(action.data).toMatchObject({ action: 'transcript_imported', details: { format: 'srt', segments: 2 } });
    const search = await media.connectAs('search-indexer');
    const page = await search.request(mediaRpc.transcriptPage, { fileId: body.uuid, offset: 0, limit: 10 });
    expect(page.segments.map(({ text }) => text)).toEqual(['Good morning.', 'Hello there.']);
  });

  it('keeps its text, which is only ever downloaded, and cannot be transcribed', async () => {
    const ada = newUser();
    const { body } = await send<FileDetail>(ada, '/api/transcripts/import', srt);
    const content = await media.call(ada, 'GET', `/api/files/${body.uuid}/content`);
    expect(content.headers.get('content-disposition')).toContain('attachment');
    expect(await content.text()).toBe(srt);
    const again = await media.json(ada, 'POST', `/api/files/${body.uuid}/reprocess`, {});
    expect([again.status, again.body.code]).toEqual([409, 'no_recording']);
    const json = await media.call(ada, 'GET', `/api/files/${body.uuid}/subtitles?subtitle_format=json`);
    expect(await json.text()).toMatch(/"interpolated": ?true/);
  });
});

describe('a transcript imported onto a file', () => {
  it('replaces its transcript, keeps speakers of the same name, and can be undone once', async () => {
    const run = await transcribed(media);
    const { owner, fileId } = run;
    const before = await readFile(owner, fileId);
    const [first] = before.speakers;
    await media.json(owner, 'PUT', `/api/speakers/${first?.uuid}`, { display_name: 'Ada' });
    const named = await readFile(owner, fileId);
    const { status, body } = await importOnto(owner, fileId, srt);
    expect([status, body.segment_count]).toEqual([200, 2]);
    const after = await readFile(owner, fileId);
    expect(turnsOf(after)).toEqual([
      [1, 'Ada', 'Good morning.'],
      [3, 'Bob', 'Hello there.'],
    ]);
    expect(after.speakers.find(({ display_name }) => display_name === 'Ada')?.uuid).toBe(first?.uuid);
    expect(after).toMatchObject({
      has_media: true,
      duration: 7.5,
      engine: { provider: 'import' },
      transcript_version: body.transcript_version,
    });
    const undone = await media.json<{ kind: string }>(owner, 'POST', `/api/files/${fileId}/undo/${body.undo.uuid}`);
    expect(undone.body.kind).toBe('transcript_imported');
    const restored = await readFile(owner, fileId);
    expect(turnsOf(restored)).toEqual(turnsOf(named));
    expect(restored.transcript_segments.map(({ uuid, words }) => [uuid, words])).toEqual(
      named.transcript_segments.map(({ uuid, words }) => [uuid, words]),
    );
    expect(restored).toMatchObject({ engine: named.engine, speakers: named.speakers, language: named.language });
    await media.json(owner, 'POST', `/api/files/${fileId}/undo/${body.undo.uuid}`);
    expect(turnsOf(await readFile(owner, fileId))).toEqual(turnsOf(named));
  });

  it('cannot be undone after a later edit', async () => {
    const { owner, fileId } = await transcribed(media);
    const { body } = await importOnto(owner, fileId, srt);
    const [segment] = (await readFile(owner, fileId)).transcript_segments;
    const path = `/api/files/${fileId}/transcript/segments/${segment?.uuid}`;
    expect((await media.json(owner, 'PUT', path, { text: 'changed' })).status).toBe(200);
    const undone = await media.json(owner, 'POST', `/api/files/${fileId}/undo/${body.undo.uuid}`);
    expect([undone.status, undone.body.code]).toEqual([409, 'stale_version']);
  });

  it('without names keeps the speakers of the time', async () => {
    const { owner, fileId } = await transcribed(media);
    const cue = (start: number) => `00:00:0${start},000 --> 00:00:0${start + 1},000\ntext\n\n`;
    await importOnto(owner, fileId, cue(0) + cue(2) + cue(4));
    const { transcript_segments: segments } = await readFile(owner, fileId);
    expect(segments.map(({ speaker }) => speaker?.name)).toEqual(['SPEAKER_01', 'SPEAKER_02', 'SPEAKER_01']);
  });

  it('is rejected for a file in progress, for a viewer and for strangers, and then changes nothing', async () => {
    const { owner, fileId } = await startRun(media);
    const busy = (await importOnto(owner, fileId, srt)) as { status: number; body: unknown };
    expect([busy.status, (busy.body as Problem).code]).toEqual([409, 'file_busy']);
    expect((await importOnto(newUser(), fileId, srt)).status).toBe(404);
    const done = await transcribed(media);
    const viewer = newUser();
    await media.json(done.owner, 'PUT', `/api/files/${done.fileId}/shares`, {
      user_uuid: viewer.userId,
      permission: 'viewer',
    });
    expect((await importOnto(viewer, done.fileId, srt)).status).toBe(403);
    const before = await readFile(done.owner, done.fileId);
    expect((await importOnto(done.owner, done.fileId, '1\n00:00:0x --> 1\nx')).status).toBe(400);
    expect(turnsOf(await readFile(done.owner, done.fileId))).toEqual(turnsOf(before));
  });

  it('completes a file whose transcription failed, and its undo restores the failure', async () => {
    const run = await startRun(media);
    await run.open();
    await run.prepare();
    await run.fail('engine_missing');
    await run.until((file) => file['status'] === 'error');
    const { body } = await importOnto(run.owner, run.fileId, srt);
    expect(await readFile(run.owner, run.fileId)).toMatchObject({
      status: 'completed',
      error: null,
      total_segments: 2,
    });
    await media.json(run.owner, 'POST', `/api/files/${run.fileId}/undo/${body.undo.uuid}`);
    const reported = () => media.eventsOf('evt.media.file.updated.v1', run.fileId).map(({ data }) => data['status']);
    await waitFor(() => reported().slice(-2).join() === 'completed,error');
    const restored = await readFile(run.owner, run.fileId);
    expect(restored).toMatchObject({
      status: 'error',
      error: { code: 'engine_missing' },
      total_segments: 0,
      engine: null,
    });
  });
});

describe('an imported transcript with personal data', () => {
  const cue = (text: string) => `1\n00:00:01,000 --> 00:00:05,000\n${text}\n`;
  const spoken = cue('Ada: call me on 415 555 2671 please');
  const mask = (person: TestUser, fileId: string, kinds: string[]) =>
    media.json(person, 'PUT', `/api/files/${fileId}/redaction`, { masked_kinds: kinds });

  it('is scanned before its answer, so that no reader receives it without its masks', async () => {
    const ada = newUser();
    await media.json(ada, 'PUT', '/api/redaction', { masked_kinds: ['phone', 'name'] });
    const preview = await send<ImportPreview>(ada, '/api/transcripts/import/preview', spoken);
    expect(preview.body).toMatchObject({
      speakers: ['Speaker 1'],
      turns: [{ speaker: 'Speaker 1', text: 'call me on [phone] please' }],
    });
    const { body } = await send<FileDetail>(ada, '/api/transcripts/import', spoken);
    const file = await readFile(ada, body.uuid);
    expect(file.transcript_segments).toMatchObject([{ text: 'call me on [phone] please', withheld: false }]);
    expect(file.transcript_segments[0]?.words.map(({ word }) => word)).toEqual(['call', 'me', 'on', '', 'please']);
    expect([file.file_size, file.file_hash]).toEqual([null, null]);
    expect((await media.json(ada, 'GET', `/api/files/${body.uuid}/redaction`)).body).toMatchObject({
      scan_status: 'scanned',
      coverage: 1,
    });
    const content = await media.call(ada, 'GET', `/api/files/${body.uuid}/content`);
    expect([content.status, ((await content.json()) as Problem).code]).toEqual([403, 'permission_required']);
  });

  it('can still be undone after the masking was changed, and the restored text is masked too', async () => {
    const { owner, fileId } = await transcribed(media);
    const first = await importOnto(owner, fileId, spoken);
    const second = await importOnto(owner, fileId, cue('Ada: nothing'));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await mask(owner, fileId, ['phone'])).status).toBe(200);
    const undone = await media.json(owner, 'POST', `/api/files/${fileId}/undo/${second.body.undo.uuid}`);
    expect(undone.status).toBe(200);
    expect(turnsOf(await readFile(owner, fileId))).toEqual([[1, 'Ada', 'call me on [phone] please']]);
  });

  it('keeps a speaker by the label that an editor sees instead of a masked name, and not by the name', async () => {
    const { owner, fileId } = await transcribed(media);
    const [speaker] = (await readFile(owner, fileId)).speakers;
    await media.json(owner, 'PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Ada' });
    await mask(owner, fileId, ['name']);
    await importOnto(owner, fileId, cue('Speaker 1: hello'));
    await mask(owner, fileId, []);
    const file = await readFile(owner, fileId);
    expect(file.speakers).toMatchObject([{ uuid: speaker?.uuid, display_name: 'Ada' }]);
  });
});
