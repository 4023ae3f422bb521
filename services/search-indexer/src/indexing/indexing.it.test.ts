import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('indexing', () => {
  let indexer: TestIndexer;
  beforeEach(async () => {
    indexer = await startIndexer();
  });
  afterEach(() => indexer.stop());
  const makeDueNow = () => indexer.pool.query('update index_state set due_at = now() where due_at is not null');
  const events = async () => {
    const { rows } = await indexer.pool.query<{ data: unknown }>('select data from search_indexer_outbox order by id');
    return rows.map(({ data }) => data);
  };

  const waitMinutes = (minutes: number) =>
    indexer.pool.query(`update index_state set indexed_at = indexed_at - make_interval(mins => $1)`, [minutes]);
  /** Runs the work after the next transcript was read and before it is written. */
  const onceRead = (work: () => Promise<void>): void => {
    const { read } = indexer.library.transcripts;
    indexer.library.transcripts.read = async (...args) => {
      indexer.library.transcripts.read = read;
      const found = await read(...args);
      await work();
      return found;
    };
  };

  it('records the indexed version and publishes an event', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']], tags: ['Work'], transcriptVersion: 3 });
    await indexer.add(recording);
    const { fileId, ownerId } = recording.file;
    expect(await indexer.states.get(fileId)).toMatchObject({
      ownerId,
      transcriptVersion: 3,
      passages: 1,
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
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording, recording);
    expect(await indexer.index.countPassages()).toBe(1);
    expect(await indexer.search({ q: 'deadline' })).toMatchObject({ total_results: 1 });
  });

  it('indexes by keywords when vectors are unavailable, and adds vectors later', async () => {
    indexer.meanings.available = false;
    const recording = record({ turns: [['Ann', 'it is finished in march']] });
    await indexer.add(recording);
    expect(await indexer.states.get(recording.file.fileId)).toMatchObject({ semantic: false, model: null });
    expect(await indexer.search({ q: 'finished' })).toMatchObject({
      total_files: 1,
      legs: { semantic: 'unavailable' },
    });

    indexer.meanings.available = true;
    await waitMinutes(6);
    await indexer.refresh.reconcile();
    await indexer.indexDue();
    expect(await indexer.states.get(recording.file.fileId)).toMatchObject({
      semantic: true,
      model: 'meanings-1',
      dueAt: null,
    });
    expect(await indexer.search({ q: 'due date' })).toMatchObject({ total_files: 1, legs: { semantic: 'ok' } });
  });

  it('requests missing vectors again after a pause, for the file that waits the longest first', async () => {
    indexer.meanings.available = false;
    const files = [1, 2].map(() => record({ turns: [['Ann', 'it is finished in march']] }));
    await indexer.add(...files);
    const [first, second] = files.map(({ file }) => file.fileId);
    const due = async () => (await indexer.dueFiles.take(5)).map(({ fileId }) => fileId);
    await indexer.dueFiles.markKeywordOnly(5);
    expect(await due()).toEqual([]);
    await waitMinutes(6);
    await indexer.indexFile(first ?? '');
    await waitMinutes(6);
    await indexer.dueFiles.markKeywordOnly(1);
    expect(await due()).toEqual([second]);
  });

  it('indexes an edit, and several edits together', async () => {
    const recording = record({ turns: [['SPEAKER_01', 'the deadline']] });
    await indexer.add(recording);
    const { fileId, ownerId } = recording.file;
    const turns: [string, string][] = [['Bertha', 'the budget']];
    indexer.library.put(record({ ...recording.file, title: 'Renamed', transcriptVersion: 2, turns }));
    for (let i = 0; i < 5; i++) await indexer.dueFiles.mark(fileId, ownerId, 60_000);
    await indexer.indexDue();
    expect((await indexer.search({ q: 'budget' })).total_files).toBe(0);
    await makeDueNow();
    await indexer.indexDue();
    const [result] = (await indexer.search({ q: 'budget' })).results;
    expect(result).toMatchObject({ title: 'Renamed', speakers: ['Bertha'] });
    expect((await indexer.search({ q: 'deadline', search_mode: 'keyword' })).total_files).toBe(0);
    expect(await events()).toHaveLength(2);
  });

  it('indexes an edit that arrives while the file is being indexed', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording);
    await indexer.dueFiles.mark(recording.file.fileId, recording.file.ownerId, 0);
    const [due] = await indexer.dueFiles.take(1);
    await indexer.dueFiles.mark(recording.file.fileId, recording.file.ownerId, 0);
    if (due) await indexer.dueFiles.settle(due);
    expect((await indexer.states.get(recording.file.fileId))?.dueAt).not.toBeNull();
  });

  it('retries a failed file later and records the reason', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.dueFiles.mark(recording.file.fileId, recording.file.ownerId, 0);
    const read = indexer.library.transcripts.read;
    indexer.library.transcripts.read = () => Promise.reject(new Error('media is away'));
    await indexer.indexDue();
    expect(await indexer.states.get(recording.file.fileId)).toMatchObject({ error: 'media is away', attempts: 1 });
    indexer.library.transcripts.read = read;
    indexer.library.put(recording);
    await makeDueNow();
    await indexer.indexDue();
    expect(await indexer.states.get(recording.file.fileId)).toMatchObject({ error: null, dueAt: null, passages: 1 });
  });

  it('removes a deleted file, also when its index job runs afterwards', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording);
    indexer.library.files.delete(recording.file.fileId);
    await indexer.indexing.forget(recording.file.fileId);
    expect((await indexer.search({ q: 'deadline' })).total_files).toBe(0);
    expect(await indexer.indexFile(recording.file.fileId)).toEqual({ status: 'gone' });
    expect(await indexer.states.get(recording.file.fileId)).toBeNull();
    expect(await indexer.index.countPassages()).toBe(0);
  });

  it('indexes a file again whose time has microseconds, as earlier releases wrote it', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    await indexer.add(recording);
    await indexer.pool.query(`update index_state set indexed_at = '2026-01-01 12:00:00.123456+00'`);
    expect(await indexer.indexFile(recording.file.fileId)).toMatchObject({ status: 'indexed' });
  });

  it('withholds a file whose text is masked while it is indexed for the first time', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    onceRead(() => indexer.states.withhold({ ownerId: recording.file.ownerId, fileId: null }));
    await indexer.add(recording);
    expect((await indexer.search({ q: 'deadline' })).total_files).toBe(0);
    await indexer.indexDue();
    expect((await indexer.search({ q: 'deadline' })).total_files).toBe(1);
  });

  it('removes a file that another replica forgets while it is indexed', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    const { fileId } = recording.file;
    await indexer.add(recording);
    onceRead(async () => {
      indexer.library.files.delete(fileId);
      await indexer.replica().forget(fileId);
    });
    expect(await indexer.indexFile(fileId)).toEqual({ status: 'gone' });
    expect(await indexer.states.get(fileId)).toBeNull();
    expect(await indexer.index.countPassages()).toBe(0);
  });

  it('keeps the newer transcript that another replica indexes concurrently', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    const { fileId } = recording.file;
    const { signal } = new AbortController();
    indexer.library.put(recording);
    onceRead(async () => {
      indexer.library.put(record({ ...recording.file, transcriptVersion: 2, turns: [['Ann', 'the budget']] }));
      await indexer.replica().indexFile(fileId, { signal });
    });
    await indexer.indexFile(fileId);
    expect(await indexer.states.get(fileId)).toMatchObject({ transcriptVersion: 2 });
    expect((await indexer.search({ q: 'budget', search_mode: 'keyword' })).total_files).toBe(1);
    expect((await indexer.search({ q: 'deadline', search_mode: 'keyword' })).total_files).toBe(0);
  });

  it('retries a file later that other replicas index again and again', async () => {
    const recording = record({ turns: [['Ann', 'the deadline']] });
    const { fileId, ownerId } = recording.file;
    await indexer.add(recording);
    const { read } = indexer.library.transcripts;
    let reads = 0;
    indexer.library.transcripts.read = async (...args) => {
      if ((reads += 1) > 100) throw new Error('read without end');
      await indexer.pool.query(`update index_state set indexed_at = indexed_at + interval '1 second'`);
      return read(...args);
    };
    await indexer.dueFiles.mark(fileId, ownerId, 0);
    await indexer.indexDue();
    const error = expect.stringContaining('was changed 5 times');
    expect(await indexer.states.get(fileId)).toMatchObject({ error, attempts: 1 });
  });

  it('indexes a file without speech by its title', async () => {
    await indexer.add(record({ title: 'Silence', turns: [] }));
    expect((await indexer.search({ q: 'silence' })).results[0]?.occurrences[0]?.match_type).toBe('title');
  });
});
