import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@overtone/service-kit';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('rebuild', () => {
  let indexer: TestIndexer;
  beforeEach(async () => {
    indexer = await startIndexer();
  });
  afterEach(() => indexer.stop());
  const files = (count: number) =>
    Array.from({ length: count }, (_, i) => record({ turns: [['Ann', `word number${i}`]] }));

  it('builds a new index from the database and swaps it in', async () => {
    await indexer.add(...files(3));
    const before = await indexer.index.builds();
    expect(await indexer.rebuild.begin()).toBe('started');
    expect(await indexer.rebuild.begin()).toBe('running');
    expect((await indexer.search({ q: 'word' })).total_files).toBe(3);
    await indexer.continueRebuild();
    expect((await indexer.search({ q: 'word' })).total_files).toBe(3);
    const after = await indexer.index.builds();
    expect(after.current?.id).not.toBe(before.current?.id);
    expect(await indexer.rebuild.status()).toMatchObject({ inProgress: false, total: 3, indexed: 3, failed: 0 });
  });

  it('continues an interrupted rebuild while the old index serves', async () => {
    const all = files(4);
    await indexer.add(...all);
    await indexer.rebuild.begin();
    const read = indexer.library.transcripts.read;
    let reads = 0;
    indexer.library.transcripts.read = async (id, signal) => {
      if ((reads += 1) > 2) throw unavailable('service_unavailable', 'media is away');
      return read(id, signal);
    };
    await expect(indexer.continueRebuild()).rejects.toThrow('media is away');
    expect(await indexer.rebuild.status()).toMatchObject({ inProgress: true, indexed: 2, total: 4 });
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
    reads = 0;
    indexer.library.transcripts.read = async (id, signal) => {
      reads += 1;
      return read(id, signal);
    };
    await indexer.continueRebuild();
    expect(reads).toBe(2);
    expect((await indexer.search({ q: 'word' })).total_files).toBe(4);
  });

  it('includes files indexed or deleted during the rebuild', async () => {
    const [first, second] = files(2);
    if (!first || !second) throw new Error('no files');
    await indexer.add(first);
    await indexer.rebuild.begin();
    await indexer.add(second);
    indexer.library.files.delete(first.file.fileId);
    await indexer.indexing.forget(first.file.fileId);
    await indexer.continueRebuild();
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
    expect(await indexer.refresh.reconcile()).toEqual({ rebuild: true });
    await indexer.rebuild.begin();
    await indexer.continueRebuild();
    expect(await indexer.search({ q: 'deadline' })).toMatchObject({ total_files: 2, legs: { semantic: 'ok' } });
    expect(await indexer.refresh.reconcile()).toEqual({ rebuild: false });
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
      expect(await lost.refresh.reconcile()).toEqual({ rebuild: true });
      await expect(lost.search({ q: 'word' })).rejects.toMatchObject({ code: 'search_unavailable' });
    } finally {
      await lost.stop();
    }
  });

  it('skips a file that cannot be read and retries it later', async () => {
    const [first, second] = files(2);
    if (!first || !second) throw new Error('no files');
    await indexer.add(first, second);
    await indexer.rebuild.begin();
    const read = indexer.library.transcripts.read;
    indexer.library.transcripts.read = async (id, signal) => {
      if (id === first.file.fileId) throw new TypeError('odd transcript');
      return read(id, signal);
    };
    await indexer.continueRebuild();
    expect(await indexer.rebuild.status()).toMatchObject({ inProgress: false, failed: 1 });
    indexer.library.transcripts.read = read;
    await indexer.indexDue();
    expect((await indexer.search({ q: 'word' })).total_files).toBe(2);
  });
});
