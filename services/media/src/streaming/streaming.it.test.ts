import { describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startRun } from '../../test/runs.ts';
import { newUser, startMedia, wav } from '../../test/start-media.ts';

const bytes = wav(77);
const media = await startMedia();
const ada = newUser();
const { uuid } = (await media.upload(ada, bytes, { name: 'Größe "1".wav' })).body;
const path = `/api/files/${uuid}`;
const run = await startRun(media, ada, uuid);
await run.prepare();
await run.until((file) => file['has_waveform'] === true);

function get(headers: Record<string, string> = {}, method = 'GET', what = '/content') {
  return media.call(ada, method, path + what, { headers });
}

async function body(answer: Response): Promise<Buffer> {
  return Buffer.from(await answer.arrayBuffer());
}

describe('the recording', () => {
  it('is sent whole, with headers that prevent execution', async () => {
    const answer = await get();
    expect(answer.status).toBe(200);
    expect((await body(answer)).equals(bytes)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="Gr__e _1_.wav"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.wav`,
    });
    expect((await get({}, 'GET', '/content?download=true')).headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=100-', 100, bytes.length],
    ['bytes=-8', bytes.length - 8, bytes.length],
    ['bytes=10-999999999', 10, bytes.length],
  ])('is sent in part for %s', async (range, from, until) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${until - 1}/${bytes.length}`);
    expect((await body(answer)).equals(bytes.subarray(from, until))).toBe(true);
  });

  it('rejects a range beyond its end', async () => {
    const answer = await get({ range: 'bytes=99999999-' });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${bytes.length}`);
    expect(await answer.json()).toMatchObject({ code: 'range_not_satisfiable' });
  });

  it('responds 304 for a matching etag, and ignores a range of another version', async () => {
    const etag = (await get({}, 'HEAD')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await get({ 'if-none-match': etag })).status).toBe(304);
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get({ range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get({ range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
  });

  it('has its size in the response to HEAD', async () => {
    const answer = await get({}, 'HEAD');
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
    expect(await answer.text()).toBe('');
  });

  it('is sent only to those who may read the file', async () => {
    for (const what of ['/content', '/thumbnail', '/waveform', '/subtitles', '/segments']) {
      expect((await media.call(newUser(), 'GET', path + what)).status).toBe(404);
      expect((await media.call(null, 'GET', path + what)).status).toBe(401);
    }
  });
});

describe('waveform and thumbnail', () => {
  it('return a waveform between 0 and 1', async () => {
    expect(await media.json(ada, 'GET', `${path}/waveform`)).toEqual({
      status: 200,
      body: { duration: 7.5, peaks: [0, 1, 0.504, 0] },
    });
    expect((await media.json(ada, 'GET', `${path}/waveform?samples=5`)).status).toBe(400);
  });

  it('return a thumbnail', async () => {
    const answer = await get({}, 'GET', '/thumbnail');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await body(answer)).toString('hex')).toBe('ffd8ff');
  });

  it('are not found before they are created', async () => {
    const fresh = await media.upload(ada, wav(78));
    for (const what of ['waveform', 'thumbnail']) {
      expect(await media.json(ada, 'GET', `/api/files/${fresh.body.uuid}/${what}`)).toMatchObject({
        status: 404,
        body: { code: 'artefact_missing' },
      });
    }
  });
});

describe('a recording without its object', () => {
  it('is reported as missing', async () => {
    const lost = await media.upload(ada, wav(79));
    await rm(join(media.folder, 'objects', 'files', lost.body.uuid), { recursive: true });
    expect((await media.json(ada, 'GET', `/api/files/${lost.body.uuid}/content`)).status).toBe(404);
  });
});
