import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

const admin = { userId: randomUUID(), role: 'admin' as const };
let indexer: TestIndexer;
beforeEach(async () => {
  indexer = await startIndexer();
});
afterEach(() => indexer.stop());

function ask(question: string, given: Partial<Parameters<TestIndexer['retrieve']>[0]> = {}) {
  return indexer.retrieve({ question, reader: admin, fileIds: null, maxFiles: 5, passagesPerFile: 2, ...given });
}

async function shareWith(userId: string, fileId: string, ownerId: string): Promise<void> {
  await indexer.access.setAccess({ fileId, ownerId, groupIds: [], userIds: [userId], version: 1 });
}

describe('retrieval', () => {
  it('returns the best files with their best passages, times and speakers', async () => {
    const [budget, dogs] = [
      record({
        title: 'Budget meeting',
        turns: [
          ['Ann', 'let us begin with the first point of the long list today'],
          ['Bob', 'the marketing budget is forty thousand for the whole year and no more'],
        ],
      }),
      record({ title: 'Animals', turns: [['Ann', 'my dog is an animal that eats a lot every day']] }),
    ];
    await indexer.add(budget, dogs);
    const reply = await ask('How large is the marketing budget?');
    expect(reply).toMatchObject({ legs: { keyword: 'ok', semantic: 'ok' }, evidence: 'answer' });
    expect(reply.files[0]).toMatchObject({ fileId: budget.file.fileId, title: 'Budget meeting' });
    expect(reply.files[0]?.passages[0]).toMatchObject({
      speaker: 'Bob',
      start: 12,
      text: expect.stringMatching(/forty thousand/),
    });
  });

  it('returns at most the requested number of files and of passages of each', async () => {
    const turns = Array.from({ length: 6 }, (_, i): [string, string] => [
      i % 2 === 0 ? 'Ann' : 'Bob',
      `the budget of department number${i} is far too small for what we want to do`,
    ]);
    await indexer.add(record({ turns }), record({ turns }), record({ turns }));
    const { files } = await ask('budget of the department', { maxFiles: 2, passagesPerFile: 3 });
    expect(files.map(({ passages }) => passages.length)).toEqual([3, 3]);
  });

  it('reads only files that the reader owns or that are shared with them, and only the requested ones', async () => {
    const [own, shared, strange] = [1, 2, 3].map(() => record({ turns: [['Ann', 'the marketing budget is small']] }));
    if (!own || !shared || !strange) throw new Error('no recordings');
    await indexer.add(own, shared, strange);
    const reader = { userId: own.file.ownerId, role: 'user' as const };
    await shareWith(reader.userId, shared.file.fileId, shared.file.ownerId);
    const found = async (fileIds: string[] | null) =>
      (await ask('marketing budget', { reader, fileIds })).files.map(({ fileId }) => fileId).sort();
    const allowed = [own.file.fileId, shared.file.fileId].sort();
    expect(await found(null)).toEqual(allowed);
    expect(await found([shared.file.fileId, strange.file.fileId])).toEqual([shared.file.fileId]);
    expect(await found([strange.file.fileId])).toEqual([]);
    expect(await found([])).toEqual([]);
    expect((await ask('marketing budget')).files).toHaveLength(3);
  });

  it('does not return a file of which more is masked, until it was indexed again', async () => {
    const recording = record({ turns: [['Ann', 'the number is 4155552671']] });
    await indexer.add(recording);
    await indexer.states.withhold({ ownerId: null, fileId: recording.file.fileId });
    expect((await ask('what is the number 4155552671')).files).toEqual([]);
    await indexer.indexDue();
    expect((await ask('what is the number 4155552671')).files).toHaveLength(1);
  });

  it('reports that the library does not say when the words of the question do not occur', async () => {
    await indexer.add(record({ turns: [['Ann', 'the marketing budget is small this year']] }));
    expect((await ask('What did the astronaut say about submarine volcanoes?')).evidence).toBe('none');
    expect((await ask('What about it?')).evidence).toBe('general');
  });

  it('works with one leg, and is unavailable when no leg can run', async () => {
    await indexer.add(record({ turns: [['Ann', 'the marketing budget is small']] }));
    indexer.meanings.available = false;
    expect(await ask('marketing budget')).toMatchObject({ legs: { keyword: 'ok', semantic: 'unavailable' } });
    const { search } = indexer.index;
    indexer.index.search = async () => {
      const failed = { status: 'failed' as const, error: new Error('disk') };
      return { keyword: failed, semantic: failed };
    };
    const failure = { kind: 'unavailable', code: 'search_unavailable' };
    await expect(ask('marketing budget')).rejects.toMatchObject(failure);
    await expect(indexer.countMentions({ phrase: 'budget', reader: admin, fileIds: null })).rejects.toMatchObject({
      ...failure,
      cause: new Error('disk'),
    });
    indexer.index.search = search;
  });

  it('is unavailable when the index does not say how frequent the words of the question are', async () => {
    await indexer.add(record({ turns: [['Ann', 'the marketing budget is small']] }));
    indexer.failWordChecks();
    await expect(ask('marketing budget')).rejects.toMatchObject({
      code: 'search_unavailable',
      cause: new Error('disk'),
    });
  });
});

describe('mentions', () => {
  const count = (
    phrase: string,
    reader: Parameters<TestIndexer['countMentions']>[0]['reader'] = admin,
    fileIds: string[] | null = null,
  ) => indexer.countMentions({ phrase, reader, fileIds });

  it('are counted in every file, inflected forms included, most mentions first', async () => {
    const [often, once, never] = [
      record({ title: 'Often', turns: [['Ann', 'the road map and another Road Map beside the old road maps']] }),
      record({ title: 'Once', turns: [['Bob', 'a map of the road and a road map']] }),
      record({ title: 'Road map', turns: [['Bob', 'a map of the road']] }),
    ];
    await indexer.add(often, once, never);
    expect(await count('road map')).toEqual({
      files: [
        { fileId: often.file.fileId, title: 'Often', count: 3, start: expect.any(Number) },
        { fileId: once.file.fileId, title: 'Once', count: 1, start: expect.any(Number) },
      ],
      totalFiles: 2,
    });
    expect(await count('?!')).toEqual({ files: [], totalFiles: 0 });
  });

  it('are counted once where the passages of a long turn overlap', async () => {
    const sentences = Array.from({ length: 60 }, (_, i) => `and number${i} needs the road map again.`);
    const recording = record({ turns: [['Ann', sentences.join(' ')]] });
    await indexer.add(recording);
    expect((await indexer.index.countPassages()) > 1).toBe(true);
    expect((await count('road map')).files[0]?.count).toBe(60);
    expect((await count('map again and number7')).files[0]?.count).toBe(1);
  });

  it('are counted only in files that the reader may find, and only in the requested ones', async () => {
    const [own, shared, strange] = [1, 2, 3].map(() => record({ turns: [['Ann', 'the road map']] }));
    if (!own || !shared || !strange) throw new Error('no recordings');
    await indexer.add(own, shared, strange);
    const reader = { userId: own.file.ownerId, role: 'user' as const };
    await shareWith(reader.userId, shared.file.fileId, shared.file.ownerId);
    expect((await count('road map', reader)).totalFiles).toBe(2);
    expect((await count('road map', reader, [strange.file.fileId, own.file.fileId])).totalFiles).toBe(1);
    expect((await count('road map', admin)).totalFiles).toBe(3);
    await indexer.states.withhold({ ownerId: null, fileId: own.file.fileId });
    expect((await count('road map', reader)).totalFiles).toBe(1);
  });

  it('lists at most 200 files and counts all', async () => {
    const files = Array.from({ length: 203 }, () => record({ turns: [['Ann', 'the road map']] }));
    await indexer.add(...files);
    const reply = await count('road map');
    expect([reply.files.length, reply.totalFiles]).toEqual([200, 203]);
  });
});
