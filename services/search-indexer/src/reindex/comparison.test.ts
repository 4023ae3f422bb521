import { describe, expect, it } from '@jest/globals';
import { compareFiles, type IndexedFile } from './comparison.ts';

function state(fileId: string, changes: Partial<IndexedFile> = {}): IndexedFile {
  return {
    fileId,
    ownerId: 'owner',
    title: fileId,
    transcriptVersion: 1,
    passages: 2,
    build: 'build',
    withheld: false,
    indexedAt: new Date(),
    dueAt: null,
    ...changes,
  };
}

describe('the comparison of database and index', () => {
  it('finds missing, stale and extra files, and leaves alone those that are due', () => {
    const transcribed = ['same', 'new', 'lost', 'edited', 'partial', 'old-build', 'masked', 'due'].map((fileId) => ({
      fileId,
      ownerId: 'owner',
      transcriptVersion: fileId === 'edited' ? 2 : 1,
    }));
    const states = [
      state('same'),
      state('lost'),
      state('edited'),
      state('partial'),
      state('old-build', { build: 'earlier' }),
      state('masked', { withheld: true }),
      state('due', { dueAt: new Date(), transcriptVersion: 0 }),
      state('deleted'),
    ];
    const indexed = new Map(
      ['same', 'edited', 'partial', 'old-build', 'masked', 'only-rows'].map((id) => [id, id === 'partial' ? 1 : 2]),
    );
    expect(compareFiles({ transcribed, states, indexed, builds: ['build'] })).toEqual({
      missing: ['new', 'lost'],
      stale: ['edited', 'partial', 'old-build', 'masked'],
      extra: ['deleted', 'only-rows'],
      waiting: ['due'],
      unchanged: ['same'],
    });
  });

  it('takes a file without speech as indexed', () => {
    const transcribed = [{ fileId: 'silent', ownerId: 'owner', transcriptVersion: 1 }];
    const states = [state('silent', { passages: 0 })];
    const sources = { transcribed, states, indexed: new Map([['silent', 0]]), builds: ['build'] };
    expect(compareFiles(sources).unchanged).toEqual(['silent']);
  });
});
