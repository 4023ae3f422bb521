import { describe, expect, it } from '@jest/globals';
import { unavailable } from '@overtone/service-kit';
import type { KeywordResult } from '../ports/search-index.ts';
import { createExclusions } from './exclusions.service.ts';

function filesWith(keyword: KeywordResult, phrase = ['the']) {
  const search = async () => ({ keyword, semantic: { status: 'not_asked' as const } });
  return createExclusions({ index: { search } })([phrase], { ownerId: null, sharedIds: [] }, []);
}

function hits(count: number) {
  return Array.from({ length: count }, () => ({ id: '', fileId: '', score: 1 }));
}

const found = { status: 'ok' as const, hits: [], sections: [], files: [] };

describe('an excluded word', () => {
  it('is rejected when it is in more recordings than can be excluded', async () => {
    await expect(filesWith({ ...found, files: hits(4_999) })).resolves.toEqual(['']);
    await expect(filesWith({ ...found, files: hits(5_000) })).rejects.toMatchObject({
      code: 'invalid_request',
      message: '“the” occurs too often to be excluded. Exclude a rarer word, or leave it out.',
    });
    await expect(filesWith({ ...found, hits: hits(10_000) }, ['of', 'the'])).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('fails the search when the index does not say where it occurs', async () => {
    await expect(filesWith({ status: 'failed', error: new Error('down') })).rejects.toMatchObject({
      code: 'search_unavailable',
    });
    await expect(
      filesWith({ status: 'failed', error: unavailable('search_unavailable', 'The breaker tripped') }),
    ).rejects.toMatchObject({ message: 'The breaker tripped' });
  });
});
