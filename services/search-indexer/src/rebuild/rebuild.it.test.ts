import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '@overtone/service-kit';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('rebuild', () => {
  let t: TestIndexer;
  beforeEach(async () => {
    t = await startIndexer();
  });
  afterEach(() => t.stop());
  const files = (n: number) => Array.from({ length: n }, (_, i) => record({ turns: [['Ann', `word number${i}`]] }));

  it('builds a new index from the database and swaps it in', async () => {
    await t.add(...files(3));
    const before = await t.index.builds();
    expect(await t.rebuild.begin()).toBe('started');
    expect(await t.rebuild.begin()).toBe('running');
    expect((await t.search({ q: 'word' })).total_files).toBe(3);
    await t.continueRebuild();
    expect((await t.search({ q: 'word' })).total_files).toBe(3);
    const after = await t.index.builds();
    expect(after.current?.id).not.toBe(before.current?.id);
    expect(await t.rebuild.status()).toMatchObject({ inProgress: false, total: 3, indexed: 3, failed: 0 });
  });

  it('continues an interrupted rebuild while the old index serves', async () => {
    const all = files(4);
    await t.add(...all);
    await t.rebuild.begin();
    const read = t.library.transcripts.read;
    let reads = 0;
    t.library.transcripts.read = async (id, signal) => {
      if ((reads += 1) > 2) throw unavailable('service_unavailable', 'media is away');
      return read(id, signal);
    };
    await expect(t.continueRebuild()).rejects.toThrow('media is away');
    expect(await t.rebuild.status()).toMatchObject({ inProgress: true, indexed: 2, total: 4 });
    expect((await t.search({ q: 'word' })).total_files).toBe(4);
    reads = 0;
    t.library.transcripts.read = async (id, signal) => {
      reads += 1;
      return read(id, signal);
    };
    await t.continueRebuild();
    expect(reads).toBe(2);
    expect((await t.search({ q: 'word' })).total_files).toBe(4);
  });

  it('includes files indexed or deleted during the rebuild', async () => {
    const [a, b] = files(2);
    if (!a || !b) throw new Error('no files');
    await t.add(a);
    await t.rebuild.begin();
    await t.add(b);
    t.library.files.delete(a.file.fileId);
    await t.indexing.forget(a.file.fileId);
    await t.continueRebuild();
    expect((await t.search({ q: 'word' })).results.map((r) => r.file_uuid)).toEqual([b.file.fileId]);
  });

  it('is required when the text model has changed, and never mixes two models', async () => {
    await t.add(record({ turns: [['Ann', 'finished in march']] }));
    t.meanings.model = 'meanings-2';
    await t.add(record({ turns: [['Ann', 'the due date']] }));
    expect((await t.search({ q: 'deadline' })).legs).toEqual({ keyword: 'ok', semantic: 'unavailable' });
    expect(await t.refresh.reconcile()).toEqual({ rebuild: true });
    await t.rebuild.begin();
    await t.continueRebuild();
    expect(await t.search({ q: 'deadline' })).toMatchObject({ total_files: 2, legs: { semantic: 'ok' } });
    expect(await t.refresh.reconcile()).toEqual({ rebuild: false });
  });

  it('is required when the index is lost; until then search is unavailable', async () => {
    await t.add(...files(2));
    await t.index.close();
    await rm(t.directory, { recursive: true });
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
    const [a, b] = files(2);
    if (!a || !b) throw new Error('no files');
    await t.add(a, b);
    await t.rebuild.begin();
    const read = t.library.transcripts.read;
    t.library.transcripts.read = async (id, signal) => {
      if (id === a.file.fileId) throw new TypeError('odd transcript');
      return read(id, signal);
    };
    await t.continueRebuild();
    expect(await t.rebuild.status()).toMatchObject({ inProgress: false, failed: 1 });
    t.library.transcripts.read = read;
    await t.indexDue();
    expect((await t.search({ q: 'word' })).total_files).toBe(2);
  });
});
