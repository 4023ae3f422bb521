import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mediaRpc, type FileObject } from '@overtone/contracts';
import { startRun, transcribed } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';

type Page = { items: FileObject[]; total: number; page: number; page_size: number; code?: string };
const media = await startMedia();
const ada = newUser();
for (const [i, name] of ['Budget 100%.wav', 'holiday_plan.wav', 'Über uns.wav', 'zebra.wav'].entries()) {
  const { body } = await media.upload(ada, wav(100 + i, 16_000 + i * 100), { name });
  await media.query(
    `update media_file set duration = $2, upload_time = $3 where uuid = $1`,
    body.uuid,
    i * 60,
    `2026-01-0${i + 1}`,
  );
}
await media.query(`update media_file set content_type = 'video/mp4', status = 'completed' where title = 'zebra'`);

function list(person: TestUser, query = '') {
  return media.json<Page>(person, 'GET', `/api/files${query}`);
}

async function titles(query: string): Promise<string[]> {
  return (await list(ada, query)).body.items.map(({ title }) => title);
}

describe('the list of files', () => {
  it('contains the caller’s own files, newest first, in pages', async () => {
    const first = await list(ada, '?page_size=3');
    expect(first.body).toMatchObject({ total: 4, page: 1, page_size: 3 });
    expect(first.body.items.map(({ title }) => title)).toEqual(['zebra', 'Über uns', 'holiday_plan']);
    expect(await titles('?page_size=3&page=2')).toEqual(['Budget 100%']);
    expect(await titles('?page=50')).toEqual([]);
    expect((await list(newUser())).body.total).toBe(0);
    expect((await list(newUser('admin'))).body.total).toBe(4);
    expect(first.body.items[0]).not.toHaveProperty('tags');
  });

  it.each([
    ['?search=budget', ['Budget 100%']],
    ['?search=%25', ['Budget 100%']],
    ['?search=_', ['holiday_plan']],
    ['?search=%C3%BCBER', ['Über uns']],
    [`?search=${encodeURIComponent("' or 1=1 --")}`, []],
    ['?status=completed', ['zebra']],
    [
      '?status=completed&status=uploaded&sort_by=title&sort_order=asc',
      ['Budget 100%', 'holiday_plan', 'Über uns', 'zebra'],
    ],
    ['?file_type=video', ['zebra']],
    ['?min_duration=60&max_duration=120', ['Über uns', 'holiday_plan']],
    [
      '?from_date=2026-01-02T00:00:00Z&to_date=2026-01-03T00:00:00Z&sort_by=file_size&sort_order=asc',
      ['holiday_plan', 'Über uns'],
    ],
    ['?sort_by=duration&sort_order=asc', ['Budget 100%', 'holiday_plan', 'Über uns', 'zebra']],
  ])('returns the files for %s', async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  it.each(['?page=0', '?page_size=1000', '?status=nonsense', '?sort_by=id', '?from_date=yesterday', '?page=x'])(
    'rejects %s',
    async (query) => {
      expect(await list(ada, query)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    },
  );
});

describe('a file', () => {
  it('is visible to its owner and administrators, and not found for others', async () => {
    const { body } = await media.upload(ada, wav(200));
    const get = async (person: TestUser, id: string) => media.json(person, 'GET', `/api/files/${id}`);
    const stranger = await get(newUser(), body.uuid);
    const unknown = await get(newUser(), randomUUID());
    expect(stranger.status).toBe(404);
    expect({ ...stranger.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    expect((await get(newUser('admin'), body.uuid)).status).toBe(200);
    expect(await get(ada, 'not-a-uuid')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is renamed, with an event for search when it has a transcript', async () => {
    const run = await transcribed(media);
    const path = `/api/files/${run.fileId}`;
    const answer = await media.json<FileObject>(run.owner, 'PUT', path, {
      title: '  New name ',
      recorded_date: '2026-02-03T04:05:06Z',
    });
    expect(answer).toMatchObject({
      status: 200,
      body: { title: 'New name', recorded_date: '2026-02-03T04:05:06.000Z' },
    });
    const event = await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    expect(event.data['transcriptVersion']).toBe(2);
    expect(
      (await media.json<FileObject>(run.owner, 'PUT', path, { recorded_date: null })).body.recorded_date,
    ).toBeNull();
    expect((await media.json(run.owner, 'PUT', path, { title: '' })).status).toBe(422);
    expect((await media.json(run.owner, 'PUT', path, { title: 'x'.repeat(256) })).status).toBe(422);
    expect((await media.json(newUser(), 'PUT', path, { title: 'mine now' })).status).toBe(404);
  });

  it('is not reprocessed while it is being processed', async () => {
    const { body } = await media.upload(ada, wav(201));
    expect(await media.json(ada, 'POST', `/api/files/${body.uuid}/reprocess`)).toMatchObject({
      status: 409,
      body: { code: 'file_busy' },
    });
  });

  it('returns its transcript in pages', async () => {
    const run = await transcribed(media);
    const page = (query: string) =>
      media.json<{ transcript_segments: { text: string; words: unknown[] }[]; total_segments: number }>(
        run.owner,
        'GET',
        `/api/files/${run.fileId}${query}`,
      );
    const one = await page('?segment_limit=1&segment_offset=1');
    expect(one.body).toMatchObject({ total_segments: 3, segment_limit: 1, segment_offset: 1 });
    expect(one.body.transcript_segments.map(({ text }) => text)).toEqual(['hello and welcome']);
    expect((await page('?segment_limit=0')).body.transcript_segments).toEqual([]);
    const bare = await page('/segments?words=false');
    expect(bare.body).toMatchObject({ total_segments: 3, transcript_version: 1 });
    expect(bare.body.transcript_segments.map(({ words }) => words)).toEqual([[], [], []]);
    expect((await page('/segments?segment_offset=99')).body.transcript_segments).toEqual([]);
  });
});

it('describes existing files and who may read them, and omits deleted ones', async () => {
  const bus = await media.connectAs('transcription-dispatcher');
  const [mine, theirs] = [await startRun(media), await startRun(media)];
  const friend = newUser();
  const shared = { user_uuid: friend.userId, permission: 'viewer' };
  expect((await media.json(mine.owner, 'PUT', `/api/files/${mine.fileId}/shares`, shared)).status).toBeLessThan(300);
  const fileIds = [mine.fileId, theirs.fileId, randomUUID()];
  const readable = async (reader: { userId: string; role: 'user' | 'admin' }) => {
    const { files } = await bus.request(mediaRpc.describeFiles, { fileIds, reader });
    return new Map(files.map(({ fileId, readable: isReadable }) => [fileId, isReadable]));
  };
  const seen = (readsMine: boolean, readsTheirs: boolean) =>
    new Map([
      [mine.fileId, readsMine],
      [theirs.fileId, readsTheirs],
    ] as const);
  expect(await readable({ userId: mine.owner.userId, role: 'user' })).toEqual(seen(true, false));
  expect(await readable({ userId: friend.userId, role: 'user' })).toEqual(seen(true, false));
  expect(await readable({ userId: randomUUID(), role: 'user' })).toEqual(seen(false, false));
  expect(await readable({ userId: randomUUID(), role: 'admin' })).toEqual(seen(true, true));
  const { files } = await bus.request(mediaRpc.describeFiles, {
    fileIds,
    reader: { userId: mine.owner.userId, role: 'user' },
  });
  expect(files.every(({ title }) => title.length > 0)).toBe(true);
});
