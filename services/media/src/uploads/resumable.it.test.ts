import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { FileObject } from '@overtone/contracts';
import { newUser, problemOf, startMedia, waitFor, wav } from '../../test/start-media.ts';
import { idOf, tusVersion } from '../../test/tus.ts';

const media = await startMedia({ MAX_UPLOAD_BYTES: '50000000' });

async function leftOf(path: string): Promise<string[]> {
  return readdir(join(media.folder, 'objects', 'uploads', idOf(path))).catch(() => []);
}

describe('a resumable upload', () => {
  it('reports its protocol extensions', async () => {
    const answer = await media.call(null, 'OPTIONS', '/api/files/tus');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('tus-version')).toBe('1.0.0');
    expect(answer.headers.get('tus-max-size')).toBe('50000000');
    expect(answer.headers.get('tus-extension')?.split(',').sort()).toEqual([
      'creation',
      'creation-defer-length',
      'creation-with-upload',
      'expiration',
      'termination',
    ]);
  });

  it('becomes a file of the same id after its last byte', async () => {
    const ada = newUser();
    const bytes = wav(1);
    const started = await media.tus.begin(ada, bytes.length, {
      filename: 'Größe.wav',
      title: 'A talk',
      max_speakers: '3',
      filetype: 'audio/wav',
    });
    expect(started.status).toBe(201);
    expect(Date.parse(started.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now());
    const path = started.headers.get('location') ?? '';
    expect(path).toMatch(/^\/api\/files\/tus\/[0-9a-f-]{36}$/);
    const first = await media.tus.send(ada, path, 0, bytes.subarray(0, 10_000));
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '10000']);
    expect(await media.tus.offset(ada, path)).toBe(10_000);
    const last = await media.tus.send(ada, path, 10_000, bytes.subarray(10_000));
    expect([last.status, last.headers.get('x-file-id')]).toEqual([204, idOf(path)]);
    const { body } = await media.json<FileObject>(ada, 'GET', `/api/files/${idOf(path)}`);
    expect(body).toMatchObject({
      filename: 'Größe.wav',
      title: 'A talk',
      file_size: bytes.length,
      content_type: 'audio/wav',
    });
    const event = await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', idOf(path))[0]);
    expect(event.data).toMatchObject({ options: { maxSpeakers: 3 }, bytes: bytes.length });
    const audited = await waitFor(() => media.eventsOf('evt.media.action.performed.v1', idOf(path))[0]);
    expect(audited.data).toMatchObject({
      action: 'file_uploaded',
      client: { ip: expect.any(String), userAgent: expect.any(String), requestId: expect.any(String) },
    });
    expect(await leftOf(path)).toEqual([]);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
    // The last response may have been lost: the upload still reports its full size.
    expect(await media.tus.offset(ada, path)).toBe(bytes.length);
  });

  it('keeps received bytes after a lost connection, and continues there', async () => {
    const ada = newUser();
    const bytes = wav(2, 600_000);
    const path = await media.tus.create(ada, bytes.length);
    const { hostname, port } = new URL(media.base);
    const socket = connect(Number(port), hostname);
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nx-overtone-assertion: ${media.assertion(ada)}\r\nTus-Resumable: 1.0.0\r\n` +
        `Upload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    await new Promise((sent) => socket.write(bytes.subarray(0, 500_000), sent));
    socket.end();
    const offset = await waitFor(async () => {
      const came = await media.tus.offset(ada, path);
      return came > 100_000 && came;
    });
    expect(offset).toBeLessThanOrEqual(500_000);
    // The service may not have detected the lost connection yet.
    await waitFor(async () => {
      const now = await media.tus.offset(ada, path);
      return (await media.tus.send(ada, path, now, bytes.subarray(now))).status === 204;
    });
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('is assembled in order from several parts', async () => {
    const ada = newUser();
    const bytes = wav(3, 10_000_000);
    const path = await media.tus.create(ada, bytes.length);
    expect((await media.tus.send(ada, path, 0, bytes.subarray(0, 19_000_000))).status).toBe(204);
    expect(await leftOf(path)).toEqual([
      'description.json',
      'part-000000000000000',
      expect.stringMatching(/^part-00000001[67]/),
    ]);
    expect((await media.tus.send(ada, path, 19_000_000, bytes.subarray(19_000_000))).status).toBe(204);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('is finished by a query of its offset when the last step was interrupted', async () => {
    const ada = newUser();
    const bytes = wav(4);
    const path = await media.tus.create(ada, bytes.length);
    await media.tus.send(ada, path, 0, bytes.subarray(0, bytes.length - 1));
    // The last part arrives, but the process dies before it creates the file.
    const { createObjectStore } = await import('@overtone/object-store');
    const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });
    const at = String(bytes.length - 1).padStart(15, '0');
    await objects.put(`uploads/${idOf(path)}/part-${at}`, bytes.subarray(bytes.length - 1));
    expect(await Promise.all([media.tus.offset(ada, path), media.tus.offset(ada, path)])).toEqual([
      bytes.length,
      bytes.length,
    ]);
    expect((await media.json(ada, 'GET', `/api/files/${idOf(path)}`)).status).toBe(200);
    await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', idOf(path)).length === 1);
  });

  it('continues before a lost part', async () => {
    const ada = newUser();
    const bytes = wav(5);
    const path = await media.tus.create(ada, bytes.length);
    await media.tus.send(ada, path, 0, bytes.subarray(0, 1000));
    await media.tus.send(ada, path, 1000, bytes.subarray(1000, 2000));
    await rm(join(media.folder, 'objects', 'uploads', idOf(path), 'part-000000000000000'));
    expect(await media.tus.offset(ada, path)).toBe(0);
    expect((await media.tus.send(ada, path, 0, bytes)).status).toBe(204);
  });

  it('can be cancelled', async () => {
    const ada = newUser();
    const path = await media.tus.create(ada, 1000);
    await media.tus.send(ada, path, 0, Buffer.alloc(10));
    expect((await media.tus.cancel(newUser(), path)).status).toBe(404);
    expect((await media.tus.cancel(ada, path)).status).toBe(204);
    expect(await leftOf(path)).toEqual([]);
    expect((await media.call(ada, 'HEAD', path, { headers: tusVersion })).status).toBe(404);
  });
});

describe('a rejected resumable upload', () => {
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
  it.each(refusals)('%s is rejected at its creation', async (_, size, fields, status, code) => {
    const answer = await media.tus.begin(newUser(), size, fields);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({ status, code, request_id: expect.stringMatching(/.+/) });
  });

  it('leaves nothing when it is not a recording', async () => {
    const ada = newUser();
    const path = await media.tus.create(ada, 5000);
    const answer = await media.tus.send(ada, path, 0, Buffer.alloc(5000, 'x'));
    expect(await problemOf(answer)).toEqual([400, 'upload_not_media']);
    expect(await leftOf(path)).toEqual([]);
    expect((await media.json(ada, 'GET', `/api/files/${idOf(path)}`)).status).toBe(404);
  });

  it('names the file that it duplicates', async () => {
    const ada = newUser();
    const first = await media.upload(ada, wav(6));
    const path = await media.tus.create(ada, wav(6).length);
    const answer = await media.tus.send(ada, path, 0, wav(6));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ code: 'duplicate_file', duplicate_file_uuid: first.body.uuid });
    expect(await leftOf(path)).toEqual([]);
  });

  it('responds with the error for a wrong offset, another user or invalid metadata', async () => {
    const ada = newUser();
    const path = await media.tus.create(ada, 5000);
    expect(await problemOf(await media.tus.send(ada, path, 7, Buffer.alloc(5)))).toEqual([
      409,
      'upload_offset_conflict',
    ]);
    expect(await problemOf(await media.tus.send(newUser(), path, 0, Buffer.alloc(5)))).toEqual([404, 'not_found']);
    expect(await problemOf(await media.tus.send(ada, `/api/files/tus/${randomUUID()}`, 0, Buffer.alloc(5)))).toEqual([
      404,
      'not_found',
    ]);
    expect(await problemOf(await media.tus.send(ada, path, 0, Buffer.alloc(6000)))).toEqual([413, 'upload_too_large']);
    const withoutVersion = await media.call(ada, 'POST', '/api/files/tus', { headers: { 'upload-length': '10' } });
    expect(await problemOf(withoutVersion)).toEqual([412, 'upload_invalid']);
    const endless = await media.call(ada, 'POST', '/api/files/tus', { headers: tusVersion });
    expect(await problemOf(endless)).toEqual([400, 'upload_invalid']);
    const parallel = { ...tusVersion, 'upload-length': '1', 'upload-concat': 'partial' };
    expect(await problemOf(await media.call(ada, 'POST', '/api/files/tus', { headers: parallel }))).toEqual([
      400,
      'upload_invalid',
    ]);
    expect((await media.call(null, 'POST', '/api/files/tus', { headers: tusVersion })).status).toBe(401);
    expect(await media.tus.offset(ada, path)).toBe(0);
  });
});
