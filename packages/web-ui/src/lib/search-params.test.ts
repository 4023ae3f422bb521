import { describe, expect, it } from '@jest/globals';
import { filterSearch, searchPageSearch } from './search-params.ts';

describe('filterSearch', () => {
  it('keeps an empty view an empty address', () =>
    expect(filterSearch({ search: ' ', status: [], page: 1 })).toEqual({}));
  it('takes one value or several', () =>
    expect(filterSearch({ tag: 'a', status: ['error', 'completed'] })).toEqual({
      tag: ['a'],
      status: ['error', 'completed'],
    }));
  it('drops what nobody could have meant', () =>
    expect(filterSearch({ page: 'x', sort: 'password', order: 'up', from: '2026-13-45', to: 7 })).toEqual({}));
  it('keeps whose recordings are looked at, and nothing but the two that narrow down', () =>
    expect([filterSearch({ ownership: 'shared' }), filterSearch({ ownership: 'all' })]).toEqual([
      { ownership: 'shared' },
      {},
    ]));
  it('keeps a number that was searched for', () => expect(filterSearch({ search: 2026 })).toEqual({ search: '2026' }));
});

describe('searchPageSearch', () => {
  it('leaves the usual mode out of the address', () =>
    expect(searchPageSearch({ q: 'budget', mode: 'hybrid' })).toEqual({ q: 'budget' }));
  it('keeps a chosen mode and a later page', () =>
    expect(searchPageSearch({ q: 'a', mode: 'semantic', page: 3 })).toEqual({ q: 'a', mode: 'semantic', page: 3 }));
});
