import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startIndexer, type TestIndexer } from '../../test/indexer.ts';
import { record } from '../../test/library.ts';

describe('suggestions', () => {
  let indexer: TestIndexer;
  beforeEach(async () => {
    indexer = await startIndexer();
  });
  afterEach(() => indexer.stop());

  it('are titles, speakers and tags by prefix, with wildcards taken literally', async () => {
    const recording = record({
      title: '100% Budget',
      tags: ['Board'],
      turns: [
        ['Bertha', 'hello'],
        ['SPEAKER_02', 'hi'],
      ],
    });
    await indexer.add(recording);
    const mine = (text: string) => indexer.suggest(text, { ownerId: recording.file.ownerId, sharedIds: [] }, 10);
    expect(await mine('b')).toEqual([
      { type: 'speaker', text: 'Bertha', fileId: null, count: 1 },
      { type: 'tag', text: 'Board', fileId: null, count: 1 },
      { type: 'title', text: '100% Budget', fileId: recording.file.fileId, count: 1 },
    ]);
    expect(await mine('100%')).toHaveLength(1);
    expect(await mine('%')).toEqual([]);
    expect(await mine('SPEAKER')).toEqual([]);
    const stranger = { ownerId: randomUUID(), sharedIds: [] };
    expect(await indexer.suggest('b', stranger, 10)).toEqual([]);
    expect(await indexer.suggest('b', { ...stranger, sharedIds: [recording.file.fileId] }, 10)).toHaveLength(3);
  });

  it('complete the last word with words that were said, the most frequent first, only of readable files', async () => {
    const ownerId = randomUUID();
    const first = record({ ownerId, turns: [['Ann', 'a quarter of the budgets']] });
    await indexer.add(first, record({ ownerId, turns: [['Ann', 'budgets and one budgerigar']] }));
    await indexer.add(record({ turns: [['Ann', 'budapest']] }));
    const words = async (text: string) =>
      (await indexer.suggest(text, { ownerId, sharedIds: [] }, 10)).map((suggestion) => suggestion.text);
    expect(await words('our bud')).toEqual(['our budgets', 'our budgerigar']);
    expect(await words('our bud ')).toEqual([]);
    await indexer.states.withhold({ ownerId, fileId: null });
    expect(await words('our bud')).toEqual([]);
    await indexer.indexDue();
    expect(await words('our bud')).toEqual(['our budgets', 'our budgerigar']);
    await indexer.indexing.forget(first.file.fileId);
    expect(await indexer.suggest('our bud', { ownerId, sharedIds: [] }, 10)).toMatchObject([
      { type: 'content', text: 'our budgerigar', count: 1 },
      { type: 'content', text: 'our budgets', count: 1 },
    ]);
  });

  it('complete the name of an operator at the end, and nothing else', async () => {
    const ownerId = randomUUID();
    await indexer.add(
      record({ ownerId, title: 'Berlin', tags: ['Board room'], turns: [['Bertha', 'berries']] }),
      record({ ownerId, turns: [['Ann', 'berries']] }),
    );
    const names = async (text: string) =>
      (await indexer.suggest(text, { ownerId, sharedIds: [] }, 10)).map(({ type, text: name }) => [type, name]);
    expect(await names('berries speaker:be')).toEqual([['speaker', 'Bertha']]);
    expect(await names('-SPEAKER:"be')).toEqual([['speaker', 'Bertha']]);
    expect(await names('speaker:')).toEqual([
      ['speaker', 'Ann'],
      ['speaker', 'Bertha'],
    ]);
    expect(await names('tag:room')).toEqual([['tag', 'Board room']]);
    expect(await names('in:be')).toEqual([]);
    expect(await names('speaker:Bertha berr')).toEqual([['content', 'speaker:Bertha berries']]);
  });

  it('offer the speakers, tags and times of readable files as filters', async () => {
    const ownerId = randomUUID();
    const at = (uploadTime: string, speaker: string) =>
      record({ ownerId, uploadTime, tags: ['Plan'], turns: [[speaker, 'hello']] });
    await indexer.add(at('2026-01-01T00:00:00.000Z', 'Ann'), at('2026-02-01T00:00:00.000Z', 'SPEAKER_01'));
    await indexer.add(record({ tags: ['Secret'], turns: [['Eve', 'hello']] }));
    expect(await indexer.filterValues({ ownerId, sharedIds: [] })).toEqual({
      speakers: [{ name: 'Ann', count: 1 }],
      tags: [{ name: 'Plan', count: 2 }],
      from: new Date('2026-01-01T00:00:00.000Z'),
      to: new Date('2026-02-01T00:00:00.000Z'),
    });
    expect(await indexer.filterValues({ ownerId: randomUUID(), sharedIds: [] })).toEqual({
      speakers: [],
      tags: [],
      from: null,
      to: null,
    });
  });
});
