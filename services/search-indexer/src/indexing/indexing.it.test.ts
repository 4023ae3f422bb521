import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('indexing', () => {
  let t: TestIndexer;
  beforeEach(async () => {
    t = await startIndexer();
  });
  afterEach(() => t.stop());
  const makeDueNow = () => t.pool.query('update index_state set due_at = now() where due_at is not null');
  const events = async () =>
    (await t.pool.query<{ data: unknown }>('select data from search_indexer_outbox order by id')).rows.map(
      (r) => r.data,
    );

  it('records the indexed version and publishes an event', async () => {
    const r = record({ turns: [['Ann', 'the deadline']], tags: ['Work'], transcriptVersion: 3 });
    await t.add(r);
    const { fileId, ownerId } = r.file;
    expect(await t.states.get(fileId)).toMatchObject({
      ownerId,
      transcriptVersion: 3,
      chunks: 1,
      semantic: true,
      model: 'meanings-1',
      dueAt: null,
      error: null,
      title: 'A recording',
      tags: ['Work'],
      speakers: ['Ann'],
    });
    expect(await events()).toEqual([{ fileId, ownerId, transcriptVersion: 3, chunks: 1, semantic: true }]);
  });

  it('is idempotent', async () => {
    const r = record({ turns: [['Ann', 'the deadline']] });
    await t.add(r, r);
    expect(await t.index.size()).toBe(1);
    expect(await t.search({ q: 'deadline' })).toMatchObject({ total_results: 1 });
  });

  it('indexes by keywords when vectors are unavailable, and adds vectors later', async () => {
    t.meanings.available = false;
    const r = record({ turns: [['Ann', 'it is finished in march']] });
    await t.add(r);
    expect(await t.states.get(r.file.fileId)).toMatchObject({ semantic: false, model: null });
    expect(await t.search({ q: 'finished' })).toMatchObject({ total_files: 1, legs: { semantic: 'unavailable' } });

    t.meanings.available = true;
    await t.refresh.reconcile();
    await t.indexDue();
    expect(await t.states.get(r.file.fileId)).toMatchObject({ semantic: true, model: 'meanings-1', dueAt: null });
    expect(await t.search({ q: 'due date' })).toMatchObject({ total_files: 1, legs: { semantic: 'ok' } });
  });

  it('indexes an edit, and several edits together', async () => {
    const r = record({ turns: [['SPEAKER_01', 'the deadline']] });
    await t.add(r);
    const edited = record({ ...r.file, title: 'Renamed', transcriptVersion: 2, turns: [['Bertha', 'the budget']] });
    t.library.put(edited);
    for (let i = 0; i < 5; i++) await t.dueFiles.mark(r.file.fileId, r.file.ownerId, 60_000);
    await t.indexDue();
    expect((await t.search({ q: 'budget' })).total_files).toBe(0);
    await makeDueNow();
    await t.indexDue();
    expect((await t.search({ q: 'budget' })).results[0]).toMatchObject({ title: 'Renamed', speakers: ['Bertha'] });
    expect((await t.search({ q: 'deadline', search_mode: 'keyword' })).total_files).toBe(0);
    expect(await events()).toHaveLength(2);
  });

  it('indexes an edit that arrives while the file is being indexed', async () => {
    const r = record({ turns: [['Ann', 'the deadline']] });
    await t.add(r);
    await t.dueFiles.mark(r.file.fileId, r.file.ownerId, 0);
    const [due] = await t.dueFiles.take(1);
    await t.dueFiles.mark(r.file.fileId, r.file.ownerId, 0);
    if (due) await t.dueFiles.settle(due);
    expect((await t.states.get(r.file.fileId))?.dueAt).not.toBeNull();
  });

  it('retries a failed file later and records the reason', async () => {
    const r = record({ turns: [['Ann', 'the deadline']] });
    await t.dueFiles.mark(r.file.fileId, r.file.ownerId, 0);
    const read = t.library.transcripts.read;
    t.library.transcripts.read = () => Promise.reject(new Error('media is away'));
    await t.indexDue();
    expect(await t.states.get(r.file.fileId)).toMatchObject({ error: 'media is away', attempts: 1 });
    t.library.transcripts.read = read;
    t.library.put(r);
    await makeDueNow();
    await t.indexDue();
    expect(await t.states.get(r.file.fileId)).toMatchObject({ error: null, dueAt: null, chunks: 1 });
  });

  it('removes a deleted file, also when its index job runs afterwards', async () => {
    const r = record({ turns: [['Ann', 'the deadline']] });
    await t.add(r);
    t.library.files.delete(r.file.fileId);
    await t.indexing.forget(r.file.fileId);
    expect((await t.search({ q: 'deadline' })).total_files).toBe(0);
    expect(await t.indexFile(r.file.fileId)).toEqual({ status: 'gone' });
    expect(await t.states.get(r.file.fileId)).toBeNull();
    expect(await t.index.size()).toBe(0);
  });

  it('indexes a file without speech by its title', async () => {
    await t.add(record({ title: 'Silence', turns: [] }));
    expect((await t.search({ q: 'silence' })).results[0]?.occurrences[0]?.match_type).toBe('title');
  });
});
