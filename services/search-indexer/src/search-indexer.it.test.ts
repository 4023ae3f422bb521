import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mediaEvents,
  operationsEvents,
  reindexRoutes,
  foundRpc,
  retrievalRpc,
  searchAnswer,
  searchEvents,
  searchRoutes,
  type DataOf,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { record } from '../test/library.ts';
import { startWorld } from '../test/world.ts';

describe('search-indexer', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const search = async (query: string, userId: string) => {
    const { body } = await world.call(`/api/search?${query}`, { userId });
    return searchAnswer.parse(body);
  };
  const indexed = async (...turns: [string | null, string][]) => {
    const recording = world.library.put(record({ turns }));
    const before = world.completed.length;
    await world.order(recording);
    await waitFor(() => world.completed.length > before);
    return recording;
  };

  it('completes an index job: the file is found, the result is sent, the event is published', async () => {
    const events: unknown[] = [];
    const subscription = world.nc.subscribe(searchEvents.fileIndexed.subject, {
      callback: (_err, msg) => events.push(msg.json()),
    });
    await world.nc.flush();
    const { file } = await indexed(['Ann', 'hello'], ['Bob', 'the report is due in march']);
    expect(world.completed.at(-1)).toMatchObject({ artefact: null, chunks: 1, semantic: true });
    const byWord = await search('q=reports', file.ownerId);
    expect(byWord.results[0]).toMatchObject({
      file_uuid: file.fileId,
      occurrences: [{ start_time: 2, speaker: 'Bob' }],
    });
    const byMeaning = await search('q=deadline', file.ownerId);
    expect(byMeaning.results[0]).toMatchObject({ file_uuid: file.fileId, semantic_only: true });
    await waitFor(() => events.length > 0);
    expect(events[0]).toMatchObject({ fileId: file.fileId, chunks: 1, semantic: true });
    subscription.unsubscribe();
  });

  it('reads a transcript of many pages', async () => {
    const turns = Array.from({ length: 250 }, (_, i): [string, string] => [
      i % 2 ? 'Ann' : 'Bob',
      `word${i} and more.`,
    ]);
    const { file } = await indexed(...turns);
    const { results } = await search('q=word249', file.ownerId);
    expect(results[0]?.occurrences[0]).toMatchObject({ start_time: 249 * 3, speaker: 'Ann' });
  });

  it('serves retrieval and counts of mentions to other services, with the access of the reader', async () => {
    const { file } = await indexed(['Ann', 'hello'], ['Bob', 'the budget report is due in march']);
    const reader = { userId: file.ownerId, role: 'user' };
    const ask = async (who: typeof reader) => {
      const question = { question: 'When is the budget report due?', fileIds: null, maxFiles: 3, passagesPerFile: 2 };
      const found = retrievalRpc.retrieve.reply.parse(
        await world.request(retrievalRpc.retrieve.subject, { ...question, reader: who }),
      );
      const counted = retrievalRpc.countMentions.reply.parse(
        await world.request(retrievalRpc.countMentions.subject, {
          phrase: 'budget report',
          fileIds: null,
          reader: who,
        }),
      );
      const search = { q: 'budget', search_mode: 'keyword', exact: true };
      const all = foundRpc.foundFiles.reply.parse(
        await world.request(foundRpc.foundFiles.subject, { search, reader: who }),
      );
      expect(all.fileIds).toEqual(found.files.map(({ fileId }) => fileId));
      return [found.files.map(({ fileId }) => fileId), counted.files.map(({ count }) => count), counted.totalFiles];
    };
    expect(await ask(reader)).toEqual([[file.fileId], [1], 1]);
    expect(await ask({ ...reader, userId: randomUUID() })).toEqual([[], [], 0]);
  });

  it('removes a deleted file', async () => {
    const { file } = await indexed(['Ann', 'secret plans']);
    world.library.files.delete(file.fileId);
    await world.emit(mediaEvents.deleted, { fileId: file.fileId, ownerId: file.ownerId });
    await waitFor(async () => (await search('q=secret', file.ownerId)).total_files === 0);
  });

  it('indexes edits and renames', async () => {
    const recording = await indexed(['Ann', 'secret plans']);
    const edited = record({
      ...recording.file,
      title: 'Renamed',
      transcriptVersion: 2,
      turns: [['Ann', 'public plans']],
    });
    world.library.put(edited);
    const { fileId, ownerId } = recording.file;
    await world.emit(mediaEvents.transcriptEdited, { fileId, ownerId, transcriptVersion: 2 });
    await waitFor(async () => (await search('q=public', ownerId)).results[0]?.title === 'Renamed');
    world.library.put({ ...edited, file: { ...edited.file, tags: ['Later'] } });
    await world.emit(mediaEvents.updated, { fileId, ownerId, status: 'completed' });
    await waitFor(async () => (await search('q=public', ownerId)).results[0]?.tags[0] === 'Later');
  });

  it('lets only administrators start a reindex', async () => {
    const { file } = await indexed(['Ann', 'rebuilt words']);
    expect((await world.call('/api/search/reindex', { method: 'POST' })).status).toBe(403);
    const started = await world.call('/api/search/reindex', { method: 'POST', role: 'admin' });
    expect(started).toMatchObject({ status: 202, body: { status: 'started' } });
    await waitFor(async () => {
      expect((await search('q=rebuilt', file.ownerId)).total_files).toBe(1);
      const { body } = await world.call('/api/search/reindex/status', { role: 'admin' });
      return !reindexRoutes.reindexStatus.answer.parse(body).in_progress;
    });
    expect((await search('q=rebuilt', file.ownerId)).total_files).toBe(1);
  });

  it('lets only administrators see and change what is indexed again, and records what they change', async () => {
    const { file } = await indexed(['Ann', 'chosen words']);
    const performed: DataOf<typeof operationsEvents.performed>[] = [];
    const subscription = world.nc.subscribe(operationsEvents.performed.subject, {
      callback: (_err, msg) => performed.push(msg.json()),
    });
    await world.nc.flush();
    const path = '/api/search';
    const body = { file_uuids: [file.fileId] };
    const requests = [
      [`${path}/reindex`, { method: 'POST', body }],
      [`${path}/reindex/preview`, { method: 'POST', body }],
      [`${path}/reindex/stop`, { method: 'POST' }],
      [`${path}/reindex/status`, {}],
      [`${path}/consistency`, {}],
      [`${path}/consistency/repair`, { method: 'POST' }],
    ] as const;
    for (const [route, request] of requests) expect((await world.call(route, request)).status).toBe(403);
    const asAdmin = (route: string, request: object = {}) =>
      world.call(`${path}/${route}`, { role: 'admin', ...request });
    const preview = await asAdmin('reindex/preview', { method: 'POST', body });
    expect(reindexRoutes.reindexPreview.answer.parse(preview.body)).toMatchObject({
      total_files: 1,
      unchanged_files: 1,
      model: 'meanings-1',
      next_model: 'meanings-1',
    });
    const both = { ...body, user_uuid: file.ownerId };
    expect((await asAdmin('reindex', { method: 'POST', body: both })).status).toBe(422);
    expect((await asAdmin('reindex', { method: 'POST', body })).body).toMatchObject({
      status: 'started',
      total_files: 1,
    });
    await waitFor(async () => {
      const status = reindexRoutes.reindexStatus.answer.parse((await asAdmin('reindex/status')).body);
      return status.outcome === 'completed' && status.scope === 'files' && status.indexed_files === 1;
    });
    expect((await asAdmin('reindex/stop', { method: 'POST' })).body).toMatchObject({ status: 'not_running' });
    const { body: checked } = await asAdmin('consistency');
    expect(reindexRoutes.consistency.answer.parse(checked).missing).toEqual({ count: 0, files: [] });
    await waitFor(() => performed.length > 0);
    expect(performed).toMatchObject([
      { action: 'search_reindex_started', details: { scope: 'files', files: 1, file: file.fileId } },
    ]);
    subscription.unsubscribe();
  });

  it('reports the health of the index and of the service', async () => {
    const { body } = await world.call('/api/search/index-health', { role: 'admin' });
    expect(searchRoutes.indexHealth.answer.parse(body)).toMatchObject({
      status: 'green',
      backend: 'lancedb',
      files: expect.any(Number),
      error: null,
    });
    const ready: unknown = await (await fetch(`${world.internal}/health/ready`)).json();
    expect(ready).toMatchObject({ checks: { database: 'ok', broker: 'ok', search: 'ok' } });
    const metrics = await (await fetch(`${world.internal}/metrics`)).text();
    expect(metrics).toContain('search_legs_total{leg="semantic",outcome="ok"}');
  });

  it('reports only the status of the index to users, and no totals of the library', async () => {
    await indexed(['Ann', 'a recording of another person']);
    const { body } = await world.call('/api/search/index-health', { role: 'user' });
    expect(body).toEqual({ status: 'green' });
  });

  it('registers as a worker with the dispatcher', async () => {
    const workers = await world.nc.jetstream({ timeout: 30_000 }).views.kv('WORKERS');
    const keys: string[] = [];
    for await (const key of await workers.keys()) keys.push(key);
    const entry = await workers.get(keys.find((name) => name.startsWith('worker.search-indexer')) ?? '');
    expect(entry?.json()).toMatchObject({ service: 'search-indexer', pulls: ['embedding-search'] });
  });

  it('responds to invalid input with an error code', async () => {
    for (const query of ['', '?q=', '?q=x&page=0', '?q=x&date_from=yesterday', `?q=${'x'.repeat(501)}`, '?q=a%00b'])
      expect(await world.call(`/api/search${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect((await world.call('/api/search?q=x', null)).status).toBe(401);
    expect((await world.call('/api/search/suggestions?q=x')).status).toBe(400);
    expect((await world.call('/api/search/suggestions?q=re')).status).toBe(200);
  });
});
