import { describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerOf, FileObject, mediaRoutes } from '@overtone/contracts';
import { newUser, problemOf, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';
import { idOf, tusChunkType, tusVersion } from '../../test/tus.ts';

const media = await startMedia({ RECORDING_IDLE_MINUTES: '0.2' });
const metadata = `filename ${Buffer.from('Recording.wav').toString('base64')},title ${Buffer.from('My talk').toString('base64')}`;

async function begin(person: TestUser): Promise<string> {
  const headers = { ...tusVersion, 'upload-defer-length': '1', 'upload-metadata': metadata };
  const response = await media.call(person, 'POST', '/api/files/tus', { headers });
  expect(response.status).toBe(201);
  return response.headers.get('location') ?? '';
}

/** Sends the last bytes of a recording with its length. */
function end(person: TestUser, path: string, offset: number, bytes: Buffer = Buffer.alloc(0)) {
  const length = { 'upload-offset': String(offset), 'upload-length': String(offset + bytes.length) };
  const headers = { ...tusVersion, ...tusChunkType, ...length };
  return media.call(person, 'PATCH', path, { headers, body: new Uint8Array(bytes) });
}

type Open = AnswerOf<(typeof mediaRoutes)['listOpenRecordings']>;
async function open(person: TestUser) {
  return (await media.json<Open>(person, 'GET', '/api/files/recordings')).body.items;
}
function readFile(person: TestUser, path: string) {
  return media.json<FileObject>(person, 'GET', `/api/files/${idOf(path)}`);
}

describe('a recording that is uploaded while it is made', () => {
  it('becomes a file when its sender reports the length', async () => {
    const ada = newUser();
    const bytes = wav(1);
    const path = await begin(ada);
    const head = await media.call(ada, 'HEAD', path, { headers: tusVersion });
    expect([head.headers.get('upload-defer-length'), head.headers.get('upload-length')]).toEqual(['1', null]);
    await media.tus.send(ada, path, 0, bytes.subarray(0, 10_000));
    await media.tus.send(ada, path, 10_000, bytes.subarray(10_000, 20_000));
    expect(await open(ada)).toMatchObject([
      { upload_id: idOf(path), title: 'My talk', received_bytes: 20_000, is_active: true },
    ]);
    expect(await open(newUser())).toEqual([]);
    const last = await end(ada, path, 20_000, bytes.subarray(20_000));
    expect([last.status, last.headers.get('x-file-id')]).toEqual([204, idOf(path)]);
    expect((await readFile(ada, path)).body).toMatchObject({ title: 'My talk', file_size: bytes.length });
    expect(await open(ada)).toEqual([]);
    expect(await media.query('select 1 from open_upload where uuid = $1', idOf(path))).toEqual([]);
  });

  it('can end with a request that has no bytes', async () => {
    const ada = newUser();
    const path = await begin(ada);
    await media.tus.send(ada, path, 0, wav(2));
    expect((await end(ada, path, wav(2).length)).status).toBe(204);
    expect((await readFile(ada, path)).body.file_size).toBe(wav(2).length);
  });

  it('is finished with what arrived after a time without a sign of its sender', async () => {
    const ada = newUser();
    const path = await begin(ada);
    await media.tus.send(ada, path, 0, wav(3));
    const { body } = await waitFor(async () => {
      const found = await readFile(ada, path);
      return found.status === 200 ? found : undefined;
    });
    expect(body.file_size).toBe(wav(3).length);
    await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', idOf(path))[0]);
  });

  it('is not finished while its sender gives signs of life', async () => {
    const ada = newUser();
    const path = await begin(ada);
    await media.tus.send(ada, path, 0, wav(4));
    for (const until = Date.now() + 20_000; Date.now() < until;) {
      await media.tus.offset(ada, path);
      // Allowed: the signs of life have to go on for longer than a recording may be idle.
      await new Promise((resume) => setTimeout(resume, 500));
    }
    expect((await open(ada)).map(({ upload_id }) => upload_id)).toEqual([idOf(path)]);
    await media.tus.cancel(ada, path);
  });

  it('can be kept unchanged by its owner only', async () => {
    const ada = newUser();
    const path = await begin(ada);
    await media.tus.send(ada, path, 0, wav(5));
    const finish = `/api/files/recordings/${idOf(path)}/finish`;
    expect((await media.json(newUser(), 'POST', finish)).status).toBe(404);
    const kept = await media.json<FileObject>(ada, 'POST', finish);
    expect([kept.status, kept.body.file_size]).toEqual([200, wav(5).length]);
    // The response may have been lost: the same request answers with the same file.
    expect((await media.json<FileObject>(ada, 'POST', finish)).body.uuid).toBe(kept.body.uuid);
  });

  it('without a byte is removed, and the error says so', async () => {
    const ada = newUser();
    const path = await begin(ada);
    const finish = await media.call(ada, 'POST', `/api/files/recordings/${idOf(path)}/finish`);
    expect(await problemOf(finish)).toEqual([400, 'upload_empty']);
    expect(await open(ada)).toEqual([]);
  });

  it('stores many small parts as few, in order', async () => {
    const ada = newUser();
    const path = await begin(ada);
    const bytes = wav(6, 20_000);
    const step = 200;
    for (let at = 0; at < 140 * step; at += step) {
      expect((await media.tus.send(ada, path, at, bytes.subarray(at, at + step))).status).toBe(204);
    }
    expect((await readdir(join(media.folder, 'objects', 'uploads', idOf(path)))).length).toBeLessThan(30);
    expect((await end(ada, path, 140 * step, bytes.subarray(140 * step))).status).toBe(204);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('keeps its size limit', async () => {
    const ada = newUser();
    const path = await begin(ada);
    await media.tus.send(ada, path, 0, wav(7));
    const headers = {
      ...tusVersion,
      ...tusChunkType,
      'upload-offset': String(wav(7).length),
      'upload-length': '999999999999999',
    };
    expect((await media.call(ada, 'PATCH', path, { headers, body: new Uint8Array(1) })).status).toBe(413);
    await media.tus.cancel(ada, path);
  });
});
