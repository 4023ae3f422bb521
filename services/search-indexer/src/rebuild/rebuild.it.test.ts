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

  it('makes a new index from the database and swaps it in', async () => {
    await t.add(...files(3));
    const before = await t.index.builds();
    expect(await t.rebuild.begin()).toBe('started');
    expect(await t.rebuild.begin()).toBe('running');
    expect((await t.search({ q: 'word' })).total_files).toBe(3);
    await t.carryOn();
    expect((await t.search({ q: 'word' })).total_files).toBe(3);
    const after = await t.index.builds();
    expect(after.current?.id).not.toBe(before.current?.id);
    expect(await t.rebuild.status()).toMatchObject({ inProgress: false, total: 3, indexed: 3, failed: 0 });
  });

  it('goes on where it was interrupted while the old index serves', async () => {
    const all = files(4);
    await t.add(...all);
    await t.rebuild.begin();
    const read = t.library.transcripts.read;
    let reads = 0;
    t.library.transcripts.read = async (id, signal) => {
      if ((reads += 1) > 2) throw unavailable('service_unavailable', 'media is away');
      return read(id, signal);
    };
    await expect(t.carryOn()).rejects.toThrow('media is away');
    expect(await t.rebuild.status()).toMatchObject({ inProgress: true, indexed: 2, total: 4 });
    expect((await t.search({ q: 'word' })).total_files).toBe(4);
    reads = 0;
    t.library.transcripts.read = async (id, signal) => {
      reads += 1;
      return read(id, signal);
    };
    await t.carryOn();
    expect(reads).toBe(2);
    expect((await t.search({ q: 'word' })).total_files).toBe(4);
  });

  it('does not lose what is indexed or deleted meanwhile', async () => {
    const [a, b] = files(2);
    if (!a || !b) throw new Error('no files');
    await t.add(a);
    await t.rebuild.begin();
    await t.add(b);
    t.library.files.delete(a.file.fileId);
    await t.indexing.forget(a.file.fileId);
    await t.carryOn();
    expect((await t.search({ q: 'word' })).results.map((r) => r.file_uuid)).toEqual([b.file.fileId]);
  });

  it('is asked for when the text model has changed, and never mixes two models', async () => {
    await t.add(record({ turns: [['Ann', 'finished in march']] }));
    t.meanings.model = 'meanings-2';
    await t.add(record({ turns: [['Ann', 'the due date']] }));
    expect((await t.search({ q: 'deadline' })).legs).toEqual({ keyword: 'ok', semantic: 'unavailable' });
    expect(await t.refresh.sweep()).toEqual({ rebuild: true });
    await t.rebuild.begin();
    await t.carryOn();
    expect(await t.search({ q: 'deadline' })).toMatchObject({ total_files: 2, legs: { semantic: 'ok' } });
    expect(await t.refresh.sweep()).toEqual({ rebuild: false });
  });

  it('is asked for when the index is lost; until then search is unavailable', async () => {
    await t.add(...files(2));
    await t.index.close();
    await rm(t.directory, { recursive: true });
    const lost = await startIndexer();
    try {
      await lost.pool.query(
        `insert into index_state (file_id, owner_id, chunks, indexed_at, generation)
         values (gen_random_uuid(), gen_random_uuid(), 1, now(), 'earlier')`,
      );
      expect(await lost.refresh.sweep()).toEqual({ rebuild: true });
      await expect(lost.search({ q: 'word' })).rejects.toMatchObject({ code: 'search_unavailable' });
    } finally {
      await lost.stop();
    }
  });

  it('leaves out a file that cannot be read and comes back to it', async () => {
    const [a, b] = files(2);
    if (!a || !b) throw new Error('no files');
    await t.add(a, b);
    await t.rebuild.begin();
    const read = t.library.transcripts.read;
    t.library.transcripts.read = async (id, signal) => {
      if (id === a.file.fileId) throw new TypeError('odd transcript');
      return read(id, signal);
    };
    await t.carryOn();
    expect(await t.rebuild.status()).toMatchObject({ inProgress: false, failed: 1 });
    t.library.transcripts.read = read;
    await t.indexDue();
    expect((await t.search({ q: 'word' })).total_files).toBe(2);
  });
});
