import { describe, expect, it } from '@jest/globals';
import { filterSearch, searchPageSearch } from './search-params.ts';

describe('filterSearch', () => {
  it('returns no parameters for empty filters', () =>
    expect(filterSearch({ search: ' ', status: [], page: 1 })).toEqual({}));
  it('accepts one value or several', () =>
    expect(filterSearch({ tag: 'a', status: ['error', 'completed'] })).toEqual({
      tag: ['a'],
      status: ['error', 'completed'],
    }));
  it('drops invalid values', () =>
    expect(filterSearch({ page: 'x', sort: 'password', order: 'up', from: '2026-13-45', to: 7 })).toEqual({}));
  it('keeps only the values of ownership that filter', () =>
    expect([filterSearch({ ownership: 'shared' }), filterSearch({ ownership: 'all' })]).toEqual([
      { ownership: 'shared' },
      {},
    ]));
  it('keeps only the id of a collection', () => {
    const collection = '8d1f6a7e-57a4-4d4c-9d0b-0c6c7e3f5a11';
    expect(['', 'x', '../bin', 7, collection].map((value) => filterSearch({ collection: value }))).toEqual([
      {},
      {},
      {},
      {},
      { collection },
    ]);
    expect(searchPageSearch({ collection })).toEqual({ collection });
  });
  it('keeps a number as a search text', () => expect(filterSearch({ search: 2026 })).toEqual({ search: '2026' }));
});

describe('searchPageSearch', () => {
  it('omits the default mode', () =>
    expect(searchPageSearch({ q: 'budget', mode: 'hybrid' })).toEqual({ q: 'budget' }));
  it('keeps a chosen mode and a later page', () =>
    expect(searchPageSearch({ q: 'a', mode: 'semantic', page: 3 })).toEqual({ q: 'a', mode: 'semantic', page: 3 }));
});
