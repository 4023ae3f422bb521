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
  it('keeps a number as a search text', () => expect(filterSearch({ search: 2026 })).toEqual({ search: '2026' }));
});

describe('searchPageSearch', () => {
  it('omits the default mode', () =>
    expect(searchPageSearch({ q: 'budget', mode: 'hybrid' })).toEqual({ q: 'budget' }));
  it('keeps a chosen mode and a later page', () =>
    expect(searchPageSearch({ q: 'a', mode: 'semantic', page: 3 })).toEqual({ q: 'a', mode: 'semantic', page: 3 }));
});
