import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { FileObject } from '@overtone/contracts';
import { somebody, startMedia, waitFor, wav, type Media, type Person } from '../../test/start-media.ts';

let media: Media;
beforeAll(async () => {
  media = await startMedia({ MAX_UPLOAD_BYTES: '50000000' });
});
afterAll(() => media.stop());

const tus = { 'tus-resumable': '1.0.0' };
const metadataOf = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
const begin = (person: Person, size: number, fields: Record<string, string> = { filename: 'talk.wav' }) =>
  media.call(person, 'POST', '/api/files/tus', {
    headers: { ...tus, 'upload-length': String(size), 'upload-metadata': metadataOf(fields) },
  });
const begun = async (person: Person, size: number, fields?: Record<string, string>): Promise<string> =>
  (await begin(person, size, fields)).headers.get('location') ?? '';
const send = (person: Person, path: string, offset: number, bytes: Buffer) =>
  media.call(person, 'PATCH', path, {
    headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
    body: new Uint8Array(bytes),
  });
const stands = async (person: Person, path: string): Promise<number> =>
  Number((await media.call(person, 'HEAD', path, { headers: tus })).headers.get('upload-offset'));
const idOf = (path: string): string => path.split('/').at(-1) ?? '';
const leftOf = async (path: string): Promise<string[]> =>
  readdir(join(media.folder, 'objects', 'uploads', idOf(path))).catch(() => []);

describe('a resumable upload', () => {
  it('tells what it can do', async () => {
    const answer = await media.call(null, 'OPTIONS', '/api/files/tus');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('tus-version')).toBe('1.0.0');
    expect(answer.headers.get('tus-max-size')).toBe('50000000');
    expect(answer.headers.get('tus-extension')?.split(',').sort()).toEqual([
      'creation',
      'creation-with-upload',
      'expiration',
      'termination',
    ]);
  });

  it('becomes a file of the same id when its last bytes are in', async () => {
    const ada = somebody();
    const bytes = wav(1);
    const started = await begin(ada, bytes.length, {
      filename: 'Größe.wav',
      title: 'A talk',
      max_speakers: '3',
      filetype: 'audio/wav',
    });
    expect(started.status).toBe(201);
    expect(Date.parse(started.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    const path = started.headers.get('location') ?? '';
    expect(path).toMatch(/^\/api\/files\/tus\/[0-9a-f-]{36}$/);
    const first = await send(ada, path, 0, bytes.subarray(0, 10_000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '10000']);
    expect(await stands(ada, path)).toBe(10_000);
    const last = await send(ada, path, 10_000, bytes.subarray(10_000));
    expect([last.status, last.headers.get('x-file-id')]).toEqual([204, idOf(path)]);
    const { body } = await media.json<FileObject>(ada, 'GET', `/api/files/${idOf(path)}`);
    expect(body).toMatchObject({
      filename: 'Größe.wav',
      title: 'A talk',
      file_size: bytes.length,
      content_type: 'audio/wav',
    });
    const event = await waitFor(() => media.heard('evt.media.file.uploaded.v1', idOf(path))[0]);
    expect(event.data).toMatchObject({ options: { maxSpeakers: 3 }, bytes: bytes.length });
    expect(await leftOf(path)).toEqual([]);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    // Its last answer may have been lost: the upload stays at its end.
    expect(await stands(ada, path)).toBe(bytes.length);
  });

  it('keeps what came when the line breaks, and goes on there', async () => {
    const ada = somebody();
    const bytes = wav(2, 600_000);
    const path = await begun(ada, bytes.length);
    const { hostname, port } = new URL(media.base);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nx-overtone-assertion: ${media.assertion(ada)}\r\nTus-Resumable: 1.0.0\r\n` +
        `Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    await new Promise((sent) => socket.write(bytes.subarray(0, 500_000), sent));
    socket.end();
    const offset = await waitFor(async () => {
      const came = await stands(ada, path);
      return came > 100_000 && came;
    });
    expect(offset).toBeLessThanOrEqual(500_000);
    // The service may not have noticed yet that the line is broken.
    await waitFor(async () => {
      const now = await stands(ada, path);
      return (await send(ada, path, now, bytes.subarray(now))).status === 204;
    });
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('of more than one part is put together in order', async () => {
    const ada = somebody();
    const bytes = wav(3, 10_000_000);
    const path = await begun(ada, bytes.length);
    expect((await send(ada, path, 0, bytes.subarray(0, 19_000_000))).status).toBe(204);
    expect(await leftOf(path)).toEqual([
      'description.json',
      'part-000000000000000',
      expect.stringMatching(/^part-00000001[67]/),
    ]);
    expect((await send(ada, path, 19_000_000, bytes.subarray(19_000_000))).status).toBe(204);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('whose last step was interrupted is finished by whoever asks where it stands', async () => {
    const ada = somebody();
    const bytes = wav(4);
    const path = await begun(ada, bytes.length);
    await send(ada, path, 0, bytes.subarray(0, bytes.length - 1));
    // The last part arrives, the process dies before it makes a file of it.
    const { createObjectStore } = await import('@overtone/object-store');
    const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });
    const at = String(bytes.length - 1).padStart(15, '0');
    await objects.put(`uploads/${idOf(path)}/part-${at}`, bytes.subarray(bytes.length - 1));
    expect(await Promise.all([stands(ada, path), stands(ada, path)])).toEqual([bytes.length, bytes.length]);
    expect((await media.json(ada, 'GET', `/api/files/${idOf(path)}`)).status).toBe(200);
    await waitFor(() => media.heard('evt.media.file.uploaded.v1', idOf(path)).length === 1);
  });

  it('goes back to before a part that was lost', async () => {
    const ada = somebody();
    const bytes = wav(5);
    const path = await begun(ada, bytes.length);
    await send(ada, path, 0, bytes.subarray(0, 1000));
    await send(ada, path, 1000, bytes.subarray(1000, 2000));
    await rm(join(media.folder, 'objects', 'uploads', idOf(path), 'part-000000000000000'));
    expect(await stands(ada, path)).toBe(0);
    expect((await send(ada, path, 0, bytes)).status).toBe(204);
  });

  it('can be given up', async () => {
    const ada = somebody();
    const path = await begun(ada, 1000);
    await send(ada, path, 0, Buffer.alloc(10));
    expect((await media.call(somebody(), 'DELETE', path, { headers: tus })).status).toBe(404);
    expect((await media.call(ada, 'DELETE', path, { headers: tus })).status).toBe(204);
    expect(await leftOf(path)).toEqual([]);
    expect((await media.call(ada, 'HEAD', path, { headers: tus })).status).toBe(404);
  });
});

describe('a resumable upload that is refused', () => {
  const refusals: [string, number, Record<string, string>, number, string][] = [
    ['for its name', 10, { filename: '../x.wav' }, 400, 'filename_invalid'],
    ['for a name that was no UTF-8', 10, { filename: 'a\uFFFD.wav' }, 400, 'filename_invalid'],
    ['for a title that was no UTF-8', 10, { filename: 'a.wav', title: '\ud800' }, 422, 'invalid_body'],
    ['for having no name', 10, { title: 'x' }, 400, 'filename_invalid'],
    ['for its length', 50_000_001, { filename: 'a.wav' }, 413, 'upload_too_large'],
    ['for being empty', 0, { filename: 'a.wav' }, 400, 'upload_empty'],
    ['for what it is called', 10, { filename: 'a.wav', filetype: 'image/png' }, 400, 'upload_not_media'],
    ['for its options', 10, { filename: 'a.wav', min_speakers: 'x' }, 422, 'invalid_body'],
  ];
  it.each(refusals)('%s is refused before it begins', async (_, size, fields, status, code) => {
    const answer = await begin(somebody(), size, fields);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status, code, request_id: expect.stringMatching(/.+/) });
  });

  it('for being no recording leaves nothing', async () => {
    const ada = somebody();
    const path = await begun(ada, 5000);
    const answer = await send(ada, path, 0, Buffer.alloc(5000, 'x'));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'upload_not_media']);
    expect(await leftOf(path)).toEqual([]);
    expect((await media.json(ada, 'GET', `/api/files/${idOf(path)}`)).status).toBe(404);
  });

  it('for being a twin says of which file', async () => {
    const ada = somebody();
    const first = await media.upload(ada, wav(6));
    const path = await begun(ada, wav(6).length);
    const answer = await send(ada, path, 0, wav(6));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: 'duplicate_file', duplicate_file_uuid: first.body.uuid });
    expect(await leftOf(path)).toEqual([]);
  });

  it('for a wrong place, another person or a wrong word is told so', async () => {
    const ada = somebody();
    const path = await begun(ada, 5000);
    const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
    expect(await codeOf(await send(ada, path, 7, Buffer.alloc(5)))).toEqual([409, 'upload_offset_conflict']);
    expect(await codeOf(await send(somebody(), path, 0, Buffer.alloc(5)))).toEqual([404, 'not_found']);
    expect(await codeOf(await send(ada, `/api/files/tus/${randomUUID()}`, 0, Buffer.alloc(5)))).toEqual([
      404,
      'not_found',
    ]);
    expect(await codeOf(await send(ada, path, 0, Buffer.alloc(6000)))).toEqual([413, 'upload_too_large']);
    const untold = await media.call(ada, 'POST', '/api/files/tus', { headers: { 'upload-length': '10' } });
    expect(await codeOf(untold)).toEqual([412, 'upload_invalid']);
    const endless = await media.call(ada, 'POST', '/api/files/tus', { headers: tus });
    expect(await codeOf(endless)).toEqual([400, 'upload_invalid']);
    const parallel = { ...tus, 'upload-length': '1', 'upload-concat': 'partial' };
    expect(await codeOf(await media.call(ada, 'POST', '/api/files/tus', { headers: parallel }))).toEqual([
      400,
      'upload_invalid',
    ]);
    expect((await media.call(null, 'POST', '/api/files/tus', { headers: tus })).status).toBe(401);
    expect(await stands(ada, path)).toBe(0);
  });
});
