import { randomUUID } from 'node:crypto';
import { downloadJobs, importLive, importRpc, type FileObject, type Problem } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { describe, expect, it } from '@jest/globals';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';

const turbo = { id: randomUUID(), name: 'Whisper large v3 turbo', translates: false };
const settings = { OT_OUTBOUND_ALLOWED_RANGES: '10.9.8.7', IMPORTS_PER_HOUR: '3' };
const media = await startMedia(settings, [], ['en', 'de'], { translates: true, providers: [turbo] });
const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });
/** The test stands for the worker. */
const worker = await media.connectAs('transcription-worker');
const jobs: string[] = [];
const live: Record<string, unknown>[] = [];
const watcher = await media.connectAs('realtime-gateway');
watcher.subscribeLive(importLive.progress, (progress) => void live.push(progress));
worker.nc().subscribe(downloadJobs.download.subject, {
  callback: (_, msg) => void jobs.push(msg.json<{ input: { fileId: string } }>().input.fileId),
});
await Promise.all([watcher, worker].map((bus) => bus.nc().flush()));

type Answer = FileObject & Omit<Problem, 'status'>;
const address = 'http://10.9.8.7/recordings/Budget%20talk.wav';

function request(person: TestUser, body: object = { url: address }) {
  return media.json<Answer>(person, 'POST', '/api/files/import-url', body);
}

function read(person: TestUser, id: string): Promise<FileObject> {
  return media.json<FileObject>(person, 'GET', `/api/files/${id}`).then(({ body }) => body);
}

async function claim(fileId: string) {
  const claimed = await worker.request(importRpc.claimImport, { fileId });
  if (claimed.outcome !== 'claimed') throw new Error('not claimed');
  return claimed;
}

/** Stores the bytes as the worker does, and reports them. */
async function complete(fileId: string, bytes: Buffer, sha256: string) {
  const { token, objectKey } = await claim(fileId);
  await objects.put(objectKey, bytes);
  const reply = await worker.request(importRpc.completeImport, {
    fileId,
    token,
    filename: 'Budget talk.wav',
    contentType: 'audio/wav',
    bytes: bytes.length,
    sha256,
  });
  return { ...reply, objectKey };
}

function hash(seed: string): string {
  return seed.repeat(64).slice(0, 64);
}

function exists(key: string): Promise<boolean> {
  return objects.head(key).then(
    () => true,
    () => false,
  );
}

describe('a request to import a recording', () => {
  it('creates a file that is being downloaded, and a job', async () => {
    const ada = newUser();
    const { status, body } = await request(ada, { url: `${address}#t=1`, language: 'de', min_speakers: 2 });
    expect(status).toBe(202);
    expect(body).toMatchObject({
      status: 'downloading',
      display_status: 'Downloading',
      source_url: address,
      filename: 'Budget talk.wav',
      title: 'Budget talk',
      file_size: 0,
      file_hash: null,
    });
    await waitFor(() => jobs.includes(body.uuid));
  });

  it.each([
    ['http://192.168.1.1/a.wav', 400, 'url_refused'],
    ['http://[::1]/a.wav', 400, 'url_refused'],
    ['http://169.254.169.254/latest/meta-data', 400, 'url_refused'],
    ['http://localhost:8080/a.wav', 400, 'url_refused'],
    ['file:///etc/passwd', 400, 'url_refused'],
    ['http://user:secret@10.9.8.7/a.wav', 400, 'url_refused'],
    ['talk.wav', 400, 'url_invalid'],
    ['', 422, 'invalid_body'],
  ])('for %j is answered with %d %s and stores nothing', async (url, status, code) => {
    const person = newUser();
    expect(await request(person, { url })).toMatchObject({ status, body: { code } });
    expect(await media.query('select 1 from media_file where user_id = $1', person.userId)).toEqual([]);
  });

  it('for a name that media cannot resolve is left to the worker', async () => {
    expect((await request(newUser(), { url: 'https://media.invalid/a.wav' })).status).toBe(202);
  });

  it.each([
    ['a language that no engine supports', { language: 'fr' }, 'language_unsupported'],
    ['a translation by a model that cannot', { task: 'translate', asr_provider: turbo.id }, 'translation_unsupported'],
    ['a provider that cannot be chosen', { asr_provider: randomUUID() }, 'provider_unknown'],
  ])('is refused before the download for %s', async (_, options, code) => {
    const person = newUser();
    expect(await request(person, { url: address, ...options })).toMatchObject({ status: 400, body: { code } });
    expect(await media.query('select 1 from media_file where user_id = $1', person.userId)).toEqual([]);
  });

  it('is accepted for a translation that another model can do', async () => {
    expect((await request(newUser(), { url: address, task: 'translate' })).status).toBe(202);
  });

  it('is limited per user and hour, also after files were deleted and with requests at once', async () => {
    const ada = newUser();
    const first = await request(ada);
    await media.json(ada, 'DELETE', `/api/files/${first.body.uuid}`);
    await media.json(ada, 'DELETE', `/api/files/bin/${first.body.uuid}`);
    const answers = await Promise.all([request(ada), request(ada), request(ada)]);
    expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([202, 202, 429]);
    const refused = await media.call(ada, 'POST', '/api/files/import-url', {
      body: JSON.stringify({ url: address }),
      headers: { 'content-type': 'application/json' },
    });
    expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([429, 'too_many_imports']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await request(newUser())).status).toBe(202);
  });
});

describe('a downloaded recording', () => {
  it('takes the way of an upload', async () => {
    const ada = newUser();
    const { body } = await request(ada, { url: address, language: 'en' });
    expect(await complete(body.uuid, wav(1), hash('a'))).toMatchObject({ outcome: 'accepted' });
    expect(await read(ada, body.uuid)).toMatchObject({
      status: 'uploaded',
      source_url: address,
      file_hash: hash('a'),
      content_type: 'audio/wav',
      file_size: wav(1).length,
    });
    const event = await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', body.uuid)[0]);
    expect(event.data).toMatchObject({ source: 'url', options: { language: 'en' } });
    const audit = await waitFor(() => media.eventsOf('evt.media.action.performed.v1', body.uuid)[0]);
    expect(audit.data).toMatchObject({
      action: 'file_uploaded',
      actorId: ada.userId,
      details: { source_url: address },
    });
    const content = await media.call(ada, 'GET', `/api/files/${body.uuid}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(wav(1))).toBe(true);
    expect(await (await fetch(`${media.internal}/metrics`)).text()).toMatch(
      /files_uploaded_total\{source="url"\} [1-9]/,
    );
  });

  it('is counted once, when its first report is not committed and its second is', async () => {
    const counted = async (): Promise<number> => {
      const text = await (await fetch(`${media.internal}/metrics`)).text();
      return Number(/^files_uploaded_total\{source="url"\} (\d+)$/m.exec(text)?.[1]);
    };
    const { body } = await request(newUser());
    const { token, objectKey } = await claim(body.uuid);
    await objects.put(objectKey, wav(30));
    const facts = { filename: 'a.wav', contentType: 'audio/wav', bytes: wav(30).length, sha256: hash('9') };
    const report = () => worker.request(importRpc.completeImport, { fileId: body.uuid, token, ...facts });
    const before = await counted();
    cleanUpAfterTest(() => media.query('drop function if exists refuse_commit cascade'));
    await media.query(`
      create function refuse_commit() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`);
    await media.query(`
      create constraint trigger refuse_commit after update on media_import deferrable initially deferred
      for each row when (new.status = 'done') execute function refuse_commit()`);
    await expect(report()).rejects.toThrow();
    await media.query('drop function refuse_commit cascade');
    expect(await counted()).toBe(before);
    expect(await report()).toEqual({ outcome: 'accepted' });
    expect(await report()).toEqual({ outcome: 'accepted' });
    expect(await counted()).toBe(before + 1);
  });

  it('shows its address to its owner only, and the audit trail without its query', async () => {
    const [ada, eve] = [newUser(), newUser()];
    const { body } = await request(ada, { url: `${address}?signature=secret` });
    expect(body.source_url).toBe(`${address}?signature=secret`);
    await complete(body.uuid, wav(20), hash('0'));
    await media.json(ada, 'PUT', `/api/files/${body.uuid}/shares`, { user_uuid: eve.userId, permission: 'viewer' });
    expect(await read(eve, body.uuid)).toMatchObject({ my_permission: 'viewer', source_url: null });
    const audit = await waitFor(() => media.eventsOf('evt.media.action.performed.v1', body.uuid)[0]);
    expect(audit.data['details']).toMatchObject({ source_url: address });
  });

  it('that its owner has already is reported like a duplicate upload, and its object deleted', async () => {
    const ada = newUser();
    const first = await media.upload(ada, wav(2));
    const { body } = await request(ada);
    const { outcome, objectKey } = await complete(body.uuid, wav(2), String(first.body.file_hash));
    expect(outcome).toBe('refused');
    expect(await exists(objectKey)).toBe(false);
    expect(await read(ada, body.uuid)).toMatchObject({
      status: 'error',
      error: { code: 'duplicate_file', retryable: false, duplicate_file_uuid: first.body.uuid },
    });
  });

  it('that its owner has already is accepted when duplicates are allowed', async () => {
    const ada = newUser();
    const first = await media.upload(ada, wav(3));
    const { body } = await request(ada, { url: address, allow_duplicate: 'true' });
    expect(await complete(body.uuid, wav(3), String(first.body.file_hash))).toMatchObject({ outcome: 'accepted' });
  });

  it('keeps the title that the user gave during the import', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    await media.json(ada, 'PUT', `/api/files/${body.uuid}`, { title: 'My title' });
    await complete(body.uuid, wav(4), hash('b'));
    expect(await read(ada, body.uuid)).toMatchObject({ title: 'My title', status: 'uploaded' });
  });

  it('reported twice is one file', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const { objectKey } = await complete(body.uuid, wav(5), hash('c'));
    const again = { fileId: body.uuid, token: 1, filename: 'x', contentType: 'audio/wav', bytes: 1, sha256: hash('c') };
    expect(await worker.request(importRpc.completeImport, again)).toEqual({ outcome: 'accepted' });
    expect(await exists(objectKey)).toBe(true);
    expect(media.eventsOf('evt.media.file.uploaded.v1', body.uuid)).toHaveLength(1);
  });
});

describe('an import', () => {
  it('has one worker, whose progress is pushed', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const { token } = await claim(body.uuid);
    expect(await worker.request(importRpc.claimImport, { fileId: body.uuid })).toEqual({ outcome: 'none' });
    const progress = { fileId: body.uuid, token, receivedBytes: 10, totalBytes: 20 };
    expect(await worker.request(importRpc.importProgress, progress)).toEqual({ outcome: 'continue' });
    await waitFor(() => live.some(({ fileId, ownerId }) => fileId === body.uuid && ownerId === ada.userId));
    expect(await worker.request(importRpc.importProgress, { ...progress, token: token + 1 })).toEqual({
      outcome: 'stop',
    });
  });

  it('is taken over when its worker is lost, and the lost one can no longer complete it', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const lost = await claim(body.uuid);
    await objects.put(lost.objectKey, wav(6));
    await media.query(
      "update media_import set lease_until = now() - interval '1 s' where media_file_id = $1",
      body.uuid,
    );
    const before = jobs.length;
    await waitFor(() => jobs.slice(before).includes(body.uuid));
    const { objectKey } = await complete(body.uuid, wav(7), hash('d'));
    const late = {
      fileId: body.uuid,
      token: lost.token,
      filename: 'x',
      contentType: 'audio/wav',
      bytes: 1,
      sha256: hash('e'),
    };
    expect(await worker.request(importRpc.completeImport, late)).toEqual({ outcome: 'refused' });
    expect([await exists(lost.objectKey), await exists(objectKey)]).toEqual([false, true]);
  });

  it('is neither completed nor failed by a lost worker while another one works on it', async () => {
    const { body } = await request(newUser());
    const { token } = await claim(body.uuid);
    await media.query(
      "update media_import set lease_until = now() - interval '1 s' where media_file_id = $1",
      body.uuid,
    );
    const second = await claim(body.uuid);
    const lost = { fileId: body.uuid, token };
    const late = { ...lost, filename: 'x', contentType: 'audio/wav', bytes: 1, sha256: hash('e') };
    expect(await worker.request(importRpc.completeImport, late)).toEqual({ outcome: 'refused' });
    const failure = { ...lost, code: 'source_incomplete', message: 'x', retryable: false, released: false };
    expect(await worker.request(importRpc.failImport, failure)).toEqual({ outcome: 'stale' });
    const progress = { fileId: body.uuid, token: second.token, receivedBytes: 1, totalBytes: 2 };
    expect(await worker.request(importRpc.importProgress, progress)).toEqual({ outcome: 'continue' });
  });

  it('is attempted again after a temporary failure, and ends after six', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const failure = {
      fileId: body.uuid,
      code: 'source_unreachable',
      message: 'No answer.',
      retryable: true,
      released: false,
    };
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await media.query('update media_import set next_attempt_at = now() where media_file_id = $1', body.uuid);
      const { token } = await claim(body.uuid);
      const reply = await worker.request(importRpc.failImport, { ...failure, token });
      expect(reply.outcome).toBe(attempt < 6 ? 'retry' : 'failed');
    }
    expect(await read(ada, body.uuid)).toMatchObject({
      status: 'error',
      error: { code: 'source_unreachable', retryable: true },
    });
  });

  it('is not counted as an attempt when its worker stops', async () => {
    const { body } = await request(newUser());
    const { token } = await claim(body.uuid);
    const release = {
      fileId: body.uuid,
      token,
      code: 'job_lost',
      message: 'Stopping.',
      retryable: true,
      released: true,
    };
    expect(await worker.request(importRpc.failImport, release)).toEqual({ outcome: 'retry' });
    const [row] = await media.query('select attempts, status from media_import where media_file_id = $1', body.uuid);
    expect(row).toEqual({ attempts: 0, status: 'queued' });
  });

  it('can be stopped and started again by its owner', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const { token } = await claim(body.uuid);
    const stopped = await media.json<FileObject>(ada, 'POST', `/api/files/${body.uuid}/cancel`);
    expect(stopped).toMatchObject({ status: 202, body: { status: 'cancelled' } });
    const progress = { fileId: body.uuid, token, receivedBytes: 1, totalBytes: null };
    expect(await worker.request(importRpc.importProgress, progress)).toEqual({ outcome: 'stop' });
    const again = await media.json<FileObject>(ada, 'POST', `/api/files/${body.uuid}/reprocess`, {});
    expect(again).toMatchObject({ status: 202, body: { status: 'downloading', error: null } });
    expect(await complete(body.uuid, wav(8), hash('f'))).toMatchObject({ outcome: 'accepted' });
    // The dispatcher would open a cancelled run for a stop that it learns of before the recording is there.
    expect(media.eventsOf('evt.media.file.cancel-ordered.v1', body.uuid)).toEqual([]);
  });

  it('ends when its file is moved to the bin, and nothing is downloaded for a file in the bin', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    const { token } = await claim(body.uuid);
    expect((await media.call(ada, 'DELETE', `/api/files/${body.uuid}`)).status).toBe(204);
    const progress = { fileId: body.uuid, token, receivedBytes: 1, totalBytes: null };
    expect(await worker.request(importRpc.importProgress, progress)).toEqual({ outcome: 'stop' });
    await media.json(ada, 'POST', `/api/files/${body.uuid}/restore`);
    expect(await read(ada, body.uuid)).toMatchObject({ status: 'cancelled' });
  });

  it('of an unknown file is not handed out', async () => {
    expect(await worker.request(importRpc.claimImport, { fileId: randomUUID() })).toEqual({ outcome: 'none' });
  });

  it('has no content, waveform or transcript before it was downloaded', async () => {
    const ada = newUser();
    const { body } = await request(ada);
    for (const part of ['content', 'waveform', 'thumbnail'])
      expect((await media.call(ada, 'GET', `/api/files/${body.uuid}/${part}`)).status).toBe(404);
  });
});
