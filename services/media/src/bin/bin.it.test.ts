import { describe, expect, it } from '@jest/globals';
import { mediaRoutes, mediaRpc, type AnswerOf, type FileObject } from '@overtone/contracts';
import { createOutbox } from '@overtone/database';
import { createDatabaseClient } from '../../test/client.ts';
import { startRun, transcribed } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, wav, type TestUser } from '../../test/start-media.ts';
import { createBin } from './bin.service.ts';

type BinPage = AnswerOf<(typeof mediaRoutes)['listBin']>;
const media = await startMedia();
const bus = await media.connectAs('search-indexer');
const dispatcher = await media.connectAs('transcription-dispatcher');

async function statusOf(person: TestUser, method: string, path: string, body?: unknown): Promise<number> {
  return (await media.json(person, method, path, body)).status;
}

function discard(person: TestUser, fileId: string) {
  return statusOf(person, 'DELETE', `/api/files/${fileId}`);
}

function restore(person: TestUser, fileId: string) {
  return media.json<FileObject>(person, 'POST', `/api/files/${fileId}/restore`);
}

async function binOf(person: TestUser, query = ''): Promise<BinPage> {
  return (await media.json<BinPage>(person, 'GET', `/api/files/bin${query}`)).body;
}

async function objectsOf(run: Awaited<ReturnType<typeof transcribed>>): Promise<number> {
  let count = 0;
  for await (const _ of run.objects.list(`files/${run.fileId}/`)) count += 1;
  return count;
}

/** Every media route with a file id, with its other parameters. */
const routesOfFile = Object.entries(mediaRoutes).filter(
  ([name, { path, method }]) =>
    path.startsWith('/api/files/{uuid}') && method !== 'OPTIONS' && name !== 'restoreFile' && name !== 'bulk',
);
const bodies: Partial<Record<string, unknown>> = {
  updateFile: { title: 'x' },
  share: { user_uuid: '00000000-0000-4000-8000-000000000001' },
  createPublicLink: { parts: ['text'], expires_at: '2100-01-01T00:00:00Z' },
  editSegment: { text: 'x' },
  applyOperations: {
    uuid: '00000000-0000-4000-8000-000000000003',
    operations: [{ segments: [], replacement: [{ uuid: '00000000-0000-4000-8000-000000000004', text: 'x' }] }],
  },
  undoOperation: { uuid: '00000000-0000-4000-8000-000000000003' },
  redoOperation: { uuid: '00000000-0000-4000-8000-000000000003' },
  nameVersion: { name: 'x' },
  restoreVersion: { uuid: '00000000-0000-4000-8000-000000000003' },
  reportPresence: { visit_uuid: '00000000-0000-4000-8000-000000000005' },
  addComment: { start_time: 0, end_time: 1, text: 'x' },
  addCoding: { code_uuid: '00000000-0000-4000-8000-000000000000', start_time: 0, end_time: 1 },
  requestClip: { start_time: 0, end_time: 1, kind: 'sound' },
  addReply: { text: 'x' },
  editComment: { text: 'x' },
  resolveComment: { resolved: true },
  updateFileRedaction: { masked_kinds: ['email'] },
};
const queries: Partial<Record<string, string>> = { exportFile: '?format=txt', exportPreview: '?format=txt' };

describe('a deleted file', () => {
  it.each(routesOfFile)('is not found by %s', async (name, { method, path }) => {
    const run = await startRun(media);
    expect(await discard(run.owner, run.fileId)).toBe(204);
    const other = '00000000-0000-4000-8000-000000000002';
    const at = path.replace('{uuid}', run.fileId).replaceAll(/\{\w+\}/g, other) + (queries[name] ?? '');
    const init = bodies[name]
      ? { body: JSON.stringify(bodies[name]), headers: { 'content-type': 'application/json' } }
      : {};
    for (const person of [run.owner, newUser('admin')])
      expect((await media.call(person, method, at, init)).status).toBe(404);
  });

  it('is missing in lists, tags and RPC replies, and is restored unchanged', async () => {
    const run = await transcribed(media);
    const friend = newUser();
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: friend.userId });
    await media.json(run.owner, 'POST', `/api/tags/files/${run.fileId}/tags`, { name: 'plan' });
    const asked = async () => {
      const reader = { userId: run.owner.userId, role: 'user' as const };
      const [page, listed, shared, described] = await Promise.all([
        bus.request(mediaRpc.transcriptPage, { fileId: run.fileId, offset: 0, limit: 1 }),
        bus.request(mediaRpc.listTranscribed, { after: null, limit: 500 }),
        bus.request(mediaRpc.listShared, { after: null, limit: 500 }),
        dispatcher.request(mediaRpc.describeFiles, { fileIds: [run.fileId], reader }),
      ]);
      const ids = [listed.files, shared.files, described.files].map((files) =>
        files.some(({ fileId }) => fileId === run.fileId),
      );
      return [page.file !== null, ...ids];
    };
    const seen = async () => {
      const owned = await media.json<{ total: number }>(run.owner, 'GET', '/api/files');
      const shared = await media.json<{ total: number }>(friend, 'GET', '/api/files');
      const tags = await media.json<{ usage_count: number }[]>(run.owner, 'GET', '/api/tags');
      const speakers = await statusOf(run.owner, 'GET', `/api/speakers?file_uuid=${run.fileId}`);
      const tagged = await media.json<{ items: unknown[] }>(
        run.owner,
        'GET',
        `/api/tags/files?file_uuid=${run.fileId}`,
      );
      const counts = [owned.body.total, shared.body.total, tags.body[0]?.usage_count, tagged.body.items.length];
      return [...counts, speakers, ...(await asked())];
    };
    const visible = [1, 1, 1, 1, 200, true, true, true, true];
    expect(await seen()).toEqual(visible);
    const before = await run.readFile();
    expect(await discard(run.owner, run.fileId)).toBe(204);
    expect(await seen()).toEqual([0, 0, 0, 0, 404, false, false, false, false]);
    expect(await objectsOf(run)).toBe(1);
    expect(await restore(run.owner, run.fileId)).toMatchObject({ status: 200, body: { status: 'completed' } });
    expect(await seen()).toEqual(visible);
    expect(await run.readFile()).toEqual(before);
    expect((await restore(run.owner, run.fileId)).status).toBe(404);
    await waitFor(() => media.eventsOf('evt.media.file.restored.v1', run.fileId)[0]);
    expect(media.eventsOf('evt.media.file.binned.v1', run.fileId)).toHaveLength(1);
    expect(media.eventsOf('evt.media.file.deleted.v1', run.fileId)).toEqual([]);
    const access = await waitFor(() => media.eventsOf('evt.media.file.access-changed.v1', run.fileId)[1]);
    expect(access.data).toMatchObject({ userIds: [friend.userId], version: 2 });
  });

  it('is in the bin of its owner and of administrators who list all files, with its purge time', async () => {
    const run = await startRun(media);
    const admin = newUser('admin');
    await discard(admin, run.fileId);
    const { items, total } = await binOf(run.owner);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ uuid: run.fileId, deleted_by: admin.userId });
    const [deleted, purge] = [items[0]?.deleted_at, items[0]?.purge_at].map((at) => Date.parse(at ?? ''));
    expect((purge ?? 0) - (deleted ?? 0)).toBe(30 * 24 * 3_600_000);
    expect((await binOf(newUser(), '?ownership=all')).total).toBe(0);
    expect((await binOf(admin)).total).toBe(0);
    expect((await binOf(admin, '?ownership=all')).items.map(({ uuid }) => uuid)).toContain(run.fileId);
    expect((await restore(newUser(), run.fileId)).status).toBe(404);
    expect(await statusOf(newUser(), 'DELETE', `/api/files/bin/${run.fileId}`)).toBe(404);
    expect((await restore(admin, run.fileId)).status).toBe(200);
  });

  it('is cancelled while it is processed, ignores its run, and is processed again when it is restored', async () => {
    const run = await startRun(media);
    await run.open();
    await run.start('transcribe');
    await run.until((file) => file['status'] === 'transcribing');
    await discard(run.owner, run.fileId);
    await waitFor(() => media.eventsOf('evt.media.file.cancel-ordered.v1', run.fileId)[0]);
    const updates = media.eventsOf('evt.media.file.updated.v1', run.fileId).length;
    await run.cancelled();
    await run.assemble();
    expect((await restore(run.owner, run.fileId)).body).toMatchObject({ status: 'queued', stage: null });
    await waitFor(() => media.eventsOf('evt.media.file.reprocess-ordered.v1', run.fileId)[0]);
    expect(await run.readFile()).toMatchObject({ status: 'queued', total_segments: 0 });
    expect(media.eventsOf('evt.media.file.updated.v1', run.fileId)).toHaveLength(updates + 1);
  });

  it('does not count as a duplicate of a new upload', async () => {
    const ada = newUser();
    const first = await media.upload(ada, wav(77_001));
    expect((await media.upload(ada, wav(77_001))).body.code).toBe('duplicate_file');
    await discard(ada, first.body.uuid);
    const second = await media.upload(ada, wav(77_001));
    expect(second.status).toBe(201);
    expect((await restore(ada, first.body.uuid)).status).toBe(200);
    expect((await media.json<{ total: number }>(ada, 'GET', '/api/files')).body.total).toBe(2);
  });

  it('is purged on request with its objects, and audited with its actor', async () => {
    const run = await transcribed(media);
    expect(await statusOf(run.owner, 'DELETE', `/api/files/bin/${run.fileId}`)).toBe(404);
    await discard(run.owner, run.fileId);
    expect(await statusOf(run.owner, 'DELETE', `/api/files/bin/${run.fileId}`)).toBe(204);
    await waitFor(() => media.eventsOf('evt.media.file.deleted.v1', run.fileId)[0]);
    await waitFor(async () => (await objectsOf(run)) === 0);
    expect((await binOf(run.owner)).total).toBe(0);
    const actions = await waitFor(() => {
      const all = media.eventsOf('evt.media.action.performed.v1', run.fileId);
      return all.length === 3 ? all : undefined;
    });
    expect(actions.map(({ data }) => [data['action'], data['actorId']])).toEqual(
      ['file_uploaded', 'file_deleted', 'file_purged'].map((action) => [action, run.owner.userId]),
    );
  });

  it('is purged when its time in the bin has expired, and not before', async () => {
    const [old, recent] = [await startRun(media), await startRun(media)];
    for (const run of [old, recent]) await discard(run.owner, run.fileId);
    await media.query(`update media_file set deleted_at = now() - interval '31 days' where uuid = $1`, old.fileId);
    await media.query(`update media_file set deleted_at = now() - interval '29 days' where uuid = $1`, recent.fileId);
    const { db, close } = createDatabaseClient(media.environment['DATABASE_URL'] ?? '');
    const people = { names: async () => new Map<string, string>() };
    const bin = createBin({ db, outbox: createOutbox('media'), people, binDays: 30 });
    expect(await bin.purgeExpired(new AbortController().signal)).toBe(1);
    await close();
    expect((await binOf(old.owner)).total).toBe(0);
    expect((await binOf(recent.owner)).total).toBe(1);
    const purged = await waitFor(() =>
      media.eventsOf('evt.media.action.performed.v1', old.fileId).find(({ data }) => data['action'] === 'file_purged'),
    );
    expect(purged.data['actorId']).toBeNull();
  });
});

describe('a file in quarantine', () => {
  const quarantine = (run: { fileId: string }, person = newUser('admin')) =>
    media.json<FileObject>(person, 'POST', `/api/admin/files/${run.fileId}/quarantine`, { reason: 'Malware' });
  const release = (run: { fileId: string }) =>
    media.json<FileObject>(newUser('admin'), 'DELETE', `/api/admin/files/${run.fileId}/quarantine`);
  const shareWith = async (run: { owner: TestUser; fileId: string }): Promise<TestUser> => {
    const friend = newUser();
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, {
      user_uuid: friend.userId,
      permission: 'editor',
    });
    return friend;
  };

  it('is refused to its owner and to people it is shared with by every route but the one that describes it', async () => {
    const run = await transcribed(media);
    const friend = await shareWith(run);
    expect((await quarantine(run)).status).toBe(200);
    const answers: string[] = [];
    for (const [name, { method, path }] of routesOfFile) {
      if (name === 'getFile') continue;
      const other = '00000000-0000-4000-8000-000000000002';
      const at = path.replace('{uuid}', run.fileId).replaceAll(/\{\w+\}/g, other) + (queries[name] ?? '');
      const init = bodies[name]
        ? { body: JSON.stringify(bodies[name]), headers: { 'content-type': 'application/json' } }
        : {};
      for (const person of [run.owner, friend]) {
        const response = await media.call(person, method, at, init);
        const isRefused = response.status === 403;
        if (!isRefused) answers.push(`${name}: ${response.status} ${await response.text()}`);
        else if (method !== 'HEAD') expect(await response.json()).toMatchObject({ code: 'file_quarantined' });
      }
    }
    expect(answers).toEqual([]);
  });

  it('is listed and described with its reason, without what it contains', async () => {
    const run = await transcribed(media);
    const friend = await shareWith(run);
    await quarantine(run);
    const marked = { status: 'quarantined', display_status: 'In quarantine', quarantine: { reason: 'Malware' } };
    for (const person of [run.owner, friend]) {
      const { body } = await media.json<{ items: unknown[] }>(person, 'GET', '/api/files');
      expect(body.items).toEqual([expect.objectContaining({ uuid: run.fileId, status: 'quarantined' })]);
      expect((await media.json(person, 'GET', `/api/files/${run.fileId}`)).body).toMatchObject({
        ...marked,
        transcript_segments: [],
        total_segments: 0,
        speakers: [],
        has_waveform: false,
      });
    }
  });

  it('is missing in searches, reindexing and insights, and its voices are forgotten', async () => {
    const run = await transcribed(media);
    await quarantine(run);
    const page = await bus.request(mediaRpc.transcriptPage, { fileId: run.fileId, offset: 0, limit: 1 });
    expect(page).toEqual({ file: null, segments: [], total: 0 });
    const { files } = await bus.request(mediaRpc.listTranscribed, { after: null, limit: 500 });
    expect(files.map(({ fileId }) => fileId)).not.toContain(run.fileId);
    const reader = { userId: run.owner.userId, role: 'user' as const };
    const described = await dispatcher.request(mediaRpc.describeFiles, { fileIds: [run.fileId], reader });
    expect(described.files).toMatchObject([{ readable: false }]);
    await waitFor(() => media.eventsOf('evt.media.file.quarantined.v1', run.fileId)[0]);
  });

  it('is downloaded and exported by administrators, and cannot be played, edited or transcribed again', async () => {
    const run = await transcribed(media);
    const admin = newUser('admin');
    await quarantine(run, admin);
    const at = `/api/files/${run.fileId}`;
    expect(await statusOf(admin, 'GET', `${at}/export?format=txt`).catch(() => 200)).toBe(200);
    const download = await media.call(admin, 'GET', `${at}/content?download=true`);
    expect([download.status, download.headers.get('content-disposition')?.split(';')[0]]).toEqual([200, 'attachment']);
    for (const [method, path] of [
      ['GET', '/content'],
      ['POST', '/reprocess'],
    ] as const)
      expect((await media.json(admin, method, at + path)).body).toMatchObject({ code: 'file_quarantined' });
    expect((await quarantine(run)).body).toMatchObject({ code: 'file_quarantined' });
  });

  it('stays in quarantine in the bin: its owner can neither purge nor restore it', async () => {
    const run = await transcribed(media);
    await quarantine(run);
    expect(await discard(newUser('admin'), run.fileId)).toBe(204);
    expect((await restore(run.owner, run.fileId)).body).toMatchObject({ code: 'file_quarantined' });
    expect(await statusOf(run.owner, 'DELETE', `/api/files/bin/${run.fileId}`)).toBe(403);
    expect((await restore(newUser('admin'), run.fileId)).body).toMatchObject({ status: 'quarantined' });
  });

  it('is released unchanged, with both actions and the reason in the audit trail', async () => {
    const run = await transcribed(media);
    const before = await run.readFile();
    await quarantine(run);
    expect((await release(run)).body).toMatchObject({ status: 'completed', quarantine: null });
    expect(await run.readFile()).toEqual(before);
    expect((await release(run)).body).toMatchObject({ code: 'file_not_quarantined' });
    await waitFor(() => media.eventsOf('evt.media.file.restored.v1', run.fileId)[0]);
    const actions = await waitFor(() => {
      const all = media.eventsOf('evt.media.action.performed.v1', run.fileId).map(({ data }) => data);
      return all.length === 3 ? all : undefined;
    });
    expect(actions.slice(1)).toMatchObject([
      { action: 'file_quarantined', details: { reason: 'Malware' } },
      { action: 'file_released', details: { reason: 'Malware' } },
    ]);
  });

  it('of an earlier release, without a reason, is released as ready or as stopped', async () => {
    const [ready, empty] = [await transcribed(media), await startRun(media)];
    for (const { fileId } of [ready, empty])
      await media.query(`update media_file set status = 'quarantined' where uuid = $1`, fileId);
    expect((await media.json(ready.owner, 'GET', `/api/files/${ready.fileId}`)).body).toMatchObject({
      quarantine: { reason: '', since: null },
    });
    expect((await release(ready)).body).toMatchObject({ status: 'completed' });
    expect((await release(empty)).body).toMatchObject({ status: 'cancelled' });
  });

  it('keeps its status when late results of its run arrive', async () => {
    const run = await transcribed(media);
    await quarantine(run);
    await run.assemble();
    await run.complete();
    const later = await transcribed(media);
    expect(later.fileId).not.toBe(run.fileId);
    expect(await run.readFile()).toMatchObject({ status: 'quarantined' });
  });

  it('is put there by administrators, and not while it is processed', async () => {
    const run = await startRun(media);
    expect((await quarantine(run)).body).toMatchObject({ code: 'file_busy' });
    expect((await quarantine(run, run.owner)).status).toBe(403);
  });
});

describe('a bulk action', () => {
  it('returns a result for each file, and one failure does not stop the others', async () => {
    const ada = newUser();
    const files = [await startRun(media, ada), await startRun(media, ada), await startRun(media)].map(
      (row) => row.fileId,
    );
    const act = async (body: object) => {
      const answer = await media.json<AnswerOf<(typeof mediaRoutes)['bulk']>>(ada, 'POST', '/api/files/bulk', {
        file_uuids: files,
        ...body,
      });
      return answer.body.results.map(({ error }) => error?.code ?? 'done');
    };
    expect(await act({ action: 'add_tags', tags: ['a', 'b'] })).toEqual(['done', 'done', 'not_found']);
    const tagged = await media.json<{ items: { tags: { name: string }[] }[] }>(
      ada,
      'GET',
      `/api/tags/files?${files.map((id) => `file_uuid=${id}`).join('&')}`,
    );
    expect(tagged.body.items.map(({ tags }) => tags.map(({ name }) => name))).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(await act({ action: 'remove_tags', tags: ['a', 'never'] })).toEqual(['done', 'done', 'not_found']);
    const share = { action: 'share', user_uuid: newUser().userId };
    expect(await act(share)).toEqual(['done', 'done', 'not_found']);
    expect(await act({ action: 'reprocess' })).toEqual(['file_busy', 'file_busy', 'not_found']);
    expect(await act({ action: 'delete' })).toEqual(['done', 'done', 'not_found']);
    expect(await act({ action: 'restore' })).toEqual(['done', 'done', 'not_found']);
    expect(await act({ action: 'delete_permanently' })).toEqual(['not_found', 'not_found', 'not_found']);
  });
});
