import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@overtone/service-kit';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('reindex', () => {
  let indexer: TestIndexer;
  beforeEach(async () => {
    indexer = await startIndexer();
  });
  afterEach(() => indexer.stop());
  const all = { kind: 'all' } as const;
  const files = (count: number) =>
    Array.from({ length: count }, (_, i) => record({ turns: [['Ann', `word number${i}`]] }));

  it('builds a new index from the database and swaps it in', async () => {
    await indexer.add(...files(3));
    const before = await indexer.index.builds();
    expect((await indexer.reindex.begin(all)).status).toBe('started');
    expect((await indexer.reindex.begin(all)).status).toBe('running');
    expect((await indexer.search({ q: 'word' })).total_files).toBe(3);
    await indexer.continueReindex();
    expect((await indexer.search({ q: 'word' })).total_files).toBe(3);
    const after = await indexer.index.builds();
    expect(after.current?.id).not.toBe(before.current?.id);
    expect(await indexer.reindex.status()).toMatchObject({ inProgress: false, total: 3, indexed: 3, failed: 0 });
  });

  it('continues an interrupted reindex while the old index serves', async () => {
    await indexer.add(...files(4));
    await indexer.reindex.begin(all);
    const read = indexer.library.transcripts.read;
    let reads = 0;
    indexer.library.transcripts.read = async (id, signal) => {
      if ((reads += 1) > 2) throw unavailable('service_unavailable', 'media is away');
      return read(id, signal);
    };
    await expect(indexer.continueReindex()).rejects.toThrow('media is away');
    expect(await indexer.reindex.status()).toMatchObject({ inProgress: true, indexed: 2, total: 4 });
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
    reads = 0;
    indexer.library.transcripts.read = async (id, signal) => {
      reads += 1;
      return read(id, signal);
    };
    await indexer.continueReindex();
    expect(reads).toBe(2);
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
  });

  it('includes files indexed or deleted during the reindex', async () => {
    const [first, second] = files(2);
    if (!first || !second) throw new Error('no files');
    await indexer.add(first);
    await indexer.reindex.begin(all);
    await indexer.add(second);
    indexer.library.files.delete(first.file.fileId);
    await indexer.indexing.forget(first.file.fileId);
    await indexer.continueReindex();
    expect((await indexer.search({ q: 'word' })).results.map((result) => result.file_uuid)).toEqual([
      second.file.fileId,
    ]);
  });

  it('is required when the text model has changed; until then the former model serves if it is still installed', async () => {
    await indexer.add(record({ turns: [['Ann', 'finished in march']] }));
    indexer.meanings.model = 'meanings-2';
    await indexer.add(record({ turns: [['Ann', 'the due date']] }));
    expect((await indexer.search({ q: 'deadline' })).legs).toEqual({ keyword: 'ok', semantic: 'ok' });
    indexer.meanings.keepsOld = false;
    expect((await indexer.search({ q: 'deadline' })).legs).toEqual({ keyword: 'ok', semantic: 'unavailable' });
    expect(await indexer.refresh.reconcile()).toEqual({ reindex: true });
    await indexer.reindex.begin(all);
    await indexer.continueReindex();
    expect(await indexer.search({ q: 'deadline' })).toMatchObject({ total_files: 2, legs: { semantic: 'ok' } });
    expect(await indexer.refresh.reconcile()).toEqual({ reindex: false });
  });

  it('is required when the index is lost; until then search is unavailable', async () => {
    await indexer.add(...files(2));
    await indexer.index.close();
    await rm(indexer.directory, { recursive: true });
    const lost = await startIndexer();
    try {
      await lost.pool.query(
        `insert into index_state (file_id, owner_id, chunks, indexed_at, generation)
         values (gen_random_uuid(), gen_random_uuid(), 1, now(), 'earlier')`,
      );
      expect(await lost.refresh.reconcile()).toEqual({ reindex: true });
      await expect(lost.search({ q: 'word' })).rejects.toMatchObject({ code: 'search_unavailable' });
    } finally {
      await lost.stop();
    }
  });

  it('skips a file that cannot be read and retries it later', async () => {
    const [first, second] = files(2);
    if (!first || !second) throw new Error('no files');
    await indexer.add(first, second);
    await indexer.reindex.begin(all);
    const read = indexer.library.transcripts.read;
    indexer.library.transcripts.read = async (id, signal) => {
      if (id === first.file.fileId) throw new TypeError('odd transcript');
      return read(id, signal);
    };
    await indexer.continueReindex();
    expect(await indexer.reindex.status()).toMatchObject({ inProgress: false, failed: 1 });
    indexer.library.transcripts.read = read;
    await indexer.indexDue();
    expect((await indexer.search({ q: 'word' })).total_files).toBe(2);
  });

  const noRecord = async () => {};

  it('is stopped on request: the old index stays, and no file is indexed again because of it', async () => {
    await indexer.add(...files(4));
    const { current } = await indexer.index.builds();
    await indexer.reindex.begin(all);
    const read = indexer.library.transcripts.read;
    let reads = 0;
    indexer.library.transcripts.read = async (id, signal) => {
      if ((reads += 1) === 2) await indexer.reindex.stop(noRecord);
      return read(id, signal);
    };
    await indexer.continueReindex();
    expect(reads).toBe(2);
    expect(await indexer.reindex.status()).toMatchObject({ inProgress: false, run: { state: 'stopped' }, indexed: 2 });
    expect(await indexer.index.builds()).toMatchObject({ current: { id: current?.id }, building: null });
    expect(await indexer.reindex.stop(noRecord)).toBe(false);
    await indexer.refresh.reconcile();
    await indexer.indexDue();
    expect(reads).toBe(2);
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
    expect((await indexer.reindex.begin(all)).status).toBe('started');
  });

  it('is reported as not running when it ends before the request to stop it is stored', async () => {
    await indexer.add(...files(1));
    await indexer.reindex.begin(all);
    const { builds } = indexer.index;
    indexer.index.builds = async () => {
      indexer.index.builds = builds;
      await indexer.continueReindex();
      return builds();
    };
    expect(await indexer.reindex.stop(noRecord)).toBe(false);
  });

  it('also writes the current index when a file has changed unnoticed, so that a stop loses nothing', async () => {
    const [first, second] = files(2);
    if (!first || !second) throw new Error('no files');
    await indexer.add(first, second);
    const { fileId } = first.file;
    indexer.library.put(record({ ...first.file, transcriptVersion: 2, turns: [['Ann', 'replaced']] }));
    await indexer.reindex.begin(all);
    const read = indexer.library.transcripts.read;
    indexer.library.transcripts.read = async (id, signal) => {
      if (id === fileId) await indexer.reindex.stop(noRecord);
      return read(id, signal);
    };
    await indexer.continueReindex();
    const { results } = await indexer.search({ q: 'replaced', exact: 'true', search_mode: 'keyword' });
    expect(results.map((result) => result.file_uuid)).toEqual([fileId]);
    expect((await indexer.consistency.compare(all)).comparison).toMatchObject({ stale: [], missing: [] });
  });

  it('cannot be stopped when the index is lost or its model has changed', async () => {
    await indexer.add(...files(1));
    await indexer.reindex.beginRequired();
    await expect(indexer.reindex.stop(noRecord)).rejects.toMatchObject({ code: 'reindex_required' });
  });

  it('indexes the files of one user or single files again in the index that serves', async () => {
    const [mine, other] = files(2);
    if (!mine || !other) throw new Error('no files');
    await indexer.add(mine, other);
    const { current } = await indexer.index.builds();
    const edited = record({ ...mine.file, transcriptVersion: 2, turns: [['Ann', 'edited words']] });
    indexer.library.put(edited);
    const { ownerId, fileId } = mine.file;
    expect(await indexer.reindex.begin({ kind: 'user', userId: ownerId })).toEqual({ status: 'started', total: 1 });
    expect(await indexer.reindex.status()).toMatchObject({ inProgress: true, total: 1, pending: 1, perSecond: null });
    await indexer.continueReindex();
    expect((await indexer.search({ q: 'edited', search_mode: 'keyword' })).total_files).toBe(1);
    expect(await indexer.reindex.status()).toMatchObject({
      inProgress: false,
      indexed: 1,
      run: { state: 'completed' },
    });
    const chosen = { kind: 'files', fileIds: [fileId, other.file.fileId] } as const;
    expect((await indexer.reindex.begin(chosen)).total).toBe(2);
    await indexer.reindex.stop(noRecord);
    await indexer.continueReindex();
    expect(await indexer.reindex.status()).toMatchObject({ indexed: 0, run: { state: 'stopped' } });
    expect((await indexer.index.builds()).current?.id).toBe(current?.id);
    const stranger = { kind: 'user', userId: '00000000-0000-4000-8000-000000000000' } as const;
    expect(await indexer.reindex.begin(stranger)).toEqual({ status: 'nothing', total: 0 });
  });

  it('compares database and index, and repairs what differs', async () => {
    const [missing, stale, extra, lost, same] = files(5);
    if (!missing || !stale || !extra || !lost || !same) throw new Error('no files');
    await indexer.add(stale, extra, lost, same);
    indexer.library.put(missing);
    indexer.library.put(record({ ...stale.file, transcriptVersion: 2, turns: [['Ann', 'word newer']] }));
    indexer.library.files.delete(extra.file.fileId);
    await indexer.index.removeFile(lost.file.fileId);
    const idOf = ({ file }: typeof same) => file.fileId;
    const compare = async () => (await indexer.consistency.compare(all)).comparison;
    const found = await compare();
    expect({ ...found, missing: found.missing.toSorted() }).toEqual({
      missing: [idOf(missing), idOf(lost)].toSorted(),
      stale: [idOf(stale)],
      extra: [idOf(extra)],
      waiting: [],
      unchanged: [idOf(same)],
    });
    const { titles } = await indexer.consistency.compare(all);
    expect(titles.get(idOf(missing))).toBe(missing.file.title);
    expect(await indexer.reindex.repair()).toEqual({ status: 'started', total: 4 });
    await indexer.continueReindex();
    expect(await compare()).toMatchObject({ missing: [], stale: [], extra: [] });
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
    expect(await indexer.reindex.repair()).toEqual({ status: 'nothing', total: 0 });
  });
});
