import { describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertionHeader } from '@overtone/service-kit';
import { newUser, problemOf, startMedia, waitFor, wav, type Media, type TestUser } from '../../test/start-media.ts';
import { idOf, tusChunkType, tusVersion } from '../../test/tus.ts';

const maxBytes = 3_000_000;
const media = await startMedia({ MAX_UPLOAD_BYTES: String(maxBytes) });

async function objects(): Promise<string[]> {
  return (await readdir(media.folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
}

async function stored() {
  return {
    rows: (await media.query('select count(*)::int as n from media_file'))[0]?.['n'],
    objects: (await objects()).length,
  };
}

describe('an upload', () => {
  it('becomes a file with its hash and publishes an event', async () => {
    const ada = newUser();
    const bytes = wav(1);
    const fields = { title: 'Budget talk', min_speakers: '2', max_speakers: '4', language: 'en' };
    const { status, body } = await media.upload(ada, bytes, { name: 'Budget.wav', fields });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      filename: 'Budget.wav',
      title: 'Budget talk',
      user_id: ada.userId,
      status: 'uploaded',
      display_status: 'Waiting to be processed',
      content_type: 'audio/wav',
      file_size: bytes.length,
      file_hash: createHash('sha256').update(bytes).digest('hex'),
      error: null,
      speaker_count: 0,
    });
    const event = await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', body.uuid)[0]);
    expect(event.data).toEqual({
      fileId: body.uuid,
      ownerId: ada.userId,
      objectKey: `files/${body.uuid}/original`,
      contentType: 'audio/wav',
      bytes: bytes.length,
      source: 'upload',
      options: { language: 'en', minSpeakers: 2, maxSpeakers: 4, diarize: true },
    });
    expect(await (await fetch(`${media.internal}/metrics`)).text()).toMatch(
      /files_uploaded_total\{source="upload"\} [1-9]/,
    );
  });

  it('has the type of its bytes, not the declared one', async () => {
    const flac = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(200, 7)]);
    const { body } = await media.upload(newUser(), flac, { type: 'audio/mpeg', name: 'talk.mp3' });
    expect(body.content_type).toBe('audio/flac');
  });

  it('may have a name in any script, without its folder', async () => {
    const { body } = await media.upload(newUser(), wav(2), { name: 'holiday/Größe «1».wav' });
    expect(body).toMatchObject({ filename: 'Größe «1».wav', title: 'Größe «1»' });
  });

  it("is rejected as a duplicate of its owner's file unless duplicates are allowed", async () => {
    const ada = newUser();
    const first = await media.upload(ada, wav(3));
    const before = await stored();
    const again = await media.upload(ada, wav(3), { name: 'other name.wav' });
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'duplicate_file', duplicate_file_uuid: first.body.uuid },
    });
    expect(await stored()).toEqual(before);
    expect((await media.upload(ada, wav(3), { fields: { allow_duplicate: 'true' } })).status).toBe(201);
    expect((await media.upload(newUser(), wav(3))).status).toBe(201);
  });

  it('is rejected as a duplicate also when both arrive concurrently', async () => {
    const ada = newUser();
    const answers = await Promise.all([
      media.upload(ada, wav(4)),
      media.upload(ada, wav(4)),
      media.upload(ada, wav(4)),
    ]);
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([201, 409, 409]);
  });
});

describe('a rejected upload leaves nothing', () => {
  const text = Buffer.from('just some text, no recording at all. '.repeat(300));
  const cases: [string, Parameters<Media['upload']>[1], Parameters<Media['upload']>[2], number, string][] = [
    ['that is no recording', text, {}, 400, 'upload_not_media'],
    ['that is no recording and short', Buffer.from('x'), {}, 400, 'upload_not_media'],
    [
      'that is text in UTF-16',
      Buffer.from('\ufeffsome text in UTF-16 '.repeat(99), 'utf16le'),
      {},
      400,
      'upload_not_media',
    ],
    ['that is empty', Buffer.alloc(0), {}, 400, 'upload_empty'],
    ['that is called a picture', wav(9), { type: 'image/png' }, 400, 'upload_not_media'],
    ['that is too large', wav(9, maxBytes), {}, 413, 'upload_too_large'],
    ['that is a little too large', wav(9, maxBytes / 2), {}, 413, 'upload_too_large'],
    ['whose name leads elsewhere', wav(9), { name: '../../etc/passwd.wav' }, 400, 'filename_invalid'],
    ['whose name leads elsewhere on Windows', wav(9), { name: '..\\..\\x.wav' }, 400, 'filename_invalid'],
    ['whose name has 10,000 characters', wav(9), { name: `${'x'.repeat(10_000)}.wav` }, 400, 'filename_invalid'],
    ['whose name has 10,000 umlauts', wav(9), { name: `${'ü'.repeat(10_000)}.wav` }, 400, 'filename_invalid'],
    ['whose name holds control characters', wav(9), { name: 'a\u0007b.wav' }, 400, 'filename_invalid'],
    ['whose name was no UTF-8', wav(9), { name: 'a\uFFFDb.wav' }, 400, 'filename_invalid'],
    ['whose title was no UTF-8', wav(9), { fields: { title: 'a\ud800' } }, 422, 'invalid_body'],
    ['with a bad option', wav(9), { fields: { min_speakers: 'many' } }, 422, 'invalid_body'],
    [
      'with options that cannot be met',
      wav(9),
      { fields: { min_speakers: '3', max_speakers: '2' } },
      422,
      'invalid_body',
    ],
    ['with a title of NUL', wav(9), { fields: { title: 'a\0b' } }, 422, 'invalid_body'],
    ['with a field too long', wav(9), { fields: { title: 'x'.repeat(5000) } }, 400, 'upload_invalid'],
  ];
  it.each(cases)('%s', async (_, bytes, sent, status, code) => {
    const before = await stored();
    const answer = await media.upload(newUser(), bytes, sent);
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.body.detail).toEqual(expect.any(String));
    expect(await stored()).toEqual(before);
  });

  it('with a malformed body', async () => {
    const before = await stored();
    const bodies: [RequestInit, string][] = [
      [{ body: '{}', headers: { 'content-type': 'application/json' } }, 'upload_invalid'],
      [{ body: 'x', headers: { 'content-type': 'multipart/form-data' } }, 'upload_invalid'],
      [{ body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=b' } }, 'upload_incomplete'],
      [{ body: '--b--\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b' } }, 'upload_invalid'],
      [{}, 'upload_invalid'],
    ];
    for (const [init, code] of bodies) {
      const answer = await media.call(newUser(), 'POST', '/api/files', init);
      expect(await problemOf(answer)).toEqual([400, code]);
    }
    const form = new FormData();
    form.set('recording', new Blob([new Uint8Array(wav(9))]), 'a.wav');
    expect((await media.call(newUser(), 'POST', '/api/files', { body: form })).status).toBe(400);
    const two = new FormData();
    two.append('file', new Blob([new Uint8Array(wav(10))]), 'a.wav');
    two.append('file', new Blob([new Uint8Array(wav(11))]), 'b.wav');
    expect((await media.call(newUser(), 'POST', '/api/files', { body: two })).status).toBe(400);
    expect(await stored()).toEqual(before);
  });

  it('whose client disconnects', async () => {
    const before = await stored();
    const { hostname, port } = new URL(media.base);
    const socket = connect(Number(port), hostname);
    const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
    socket.write(
      `POST /api/files HTTP/1.1\r\nHost: x\r\nx-overtone-assertion: ${media.assertion(newUser())}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900000\r\n\r\n${head}`,
    );
    socket.write(wav(12));
    await waitFor(async () => (await objects()).length > before.objects);
    socket.destroy();
    await waitFor(async () => (await objects()).length === before.objects);
    // Allowed: nothing announces that no row follows.
    await sleep(100);
    expect(await stored()).toEqual(before);
  });

  it('without a caller', async () => {
    const answer = await media.call(null, 'POST', '/api/files', { body: new FormData() });
    expect(answer.status).toBe(401);
  });
});

describe('the upload limits', () => {
  it('are returned', async () => {
    const { body } = await media.json(newUser(), 'GET', '/api/files/upload-limits');
    expect(body).toEqual({
      max_bytes: maxBytes,
      accept: ['audio/*', 'video/*'],
      languages: null,
      max_open_uploads: 50,
      max_reserved_bytes: 64 * 1024 ** 3,
      bin_days: 30,
      providers: [],
      translates: null,
    });
  });
});

type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer };

/** Simulates a slow client: the body starts long after the headers. */
async function sendSlowly({ method, path, headers, body }: Sent): Promise<string> {
  const { hostname, port } = new URL(media.base);
  const socket = connect(Number(port), hostname);
  const all = { host: 'x', connection: 'close', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const middle = Math.floor(body.length / 2);
  for (const part of [body.subarray(0, middle), body.subarray(middle)]) {
    await sleep(50);
    socket.write(part);
  }
  const answer: Buffer[] = [];
  for await (const chunk of socket) answer.push(chunk as Buffer);
  return Buffer.concat(answer).toString();
}

function request(person: TestUser) {
  const trace = randomBytes(16).toString('hex');
  const id = `slow-${trace.slice(0, 8)}`;
  const headers = {
    [assertionHeader]: media.assertion(person),
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    'x-request-id': id,
  };
  return { trace, id, headers };
}

/** The uploaded event and the audit record; both carry the request's context. */
async function expectChangesOf(fileId: string, { trace, id }: { trace: string; id: string }): Promise<void> {
  const rows = await media.query(`select headers from media_outbox where data->>'fileId' = $1`, fileId);
  const context = { traceparent: expect.stringContaining(trace), 'ot-request-id': id, 'ot-source': 'media' };
  expect(rows).toEqual([{ headers: context }, { headers: context }]);
}

describe('a recording whose body arrives after its headers', () => {
  it('is published in the trace and request context of its upload', async () => {
    const { trace, id, headers } = request(newUser());
    const part = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav';
    const body = Buffer.concat([Buffer.from(`--b\r\n${part}\r\n\r\n`), wav(1), Buffer.from('\r\n--b--\r\n')]);
    const form = { ...headers, 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await sendSlowly({ method: 'POST', path: '/api/files', headers: form, body });
    const file = /^x-file-id: (\S+)/im.exec(answer)?.[1] ?? answer;
    await expectChangesOf(file, { trace, id });
  });

  it('is published in the trace and request context of its last part', async () => {
    const ada = newUser();
    const body = wav(2);
    const path = await media.tus.create(ada, body.length);
    const { trace, id, headers } = request(ada);
    const piece = { ...headers, ...tusVersion, ...tusChunkType, 'upload-offset': '0' };
    expect(await sendSlowly({ method: 'PATCH', path, headers: piece, body })).toMatch(/^HTTP\/1.1 204/);
    await expectChangesOf(idOf(path), { trace, id });
  });
});
