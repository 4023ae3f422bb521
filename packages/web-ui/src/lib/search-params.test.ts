import { describe, expect, it } from '@jest/globals';
import {
  askSearch,
  fileSearch,
  filterSearch,
  leadsToPassage,
  only,
  parseSearch,
  searchPageSearch,
  speakersSearch,
  stringifySearch,
  textSearch,
} from './search-params.ts';

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
  it('has other filters for comments than for transcripts', () => {
    const both = { q: 'a', mode: 'semantic', tag: ['one'], state: 'open', by: 'me', page: '2' };
    expect(searchPageSearch({ ...both, in: 'comments' })).toEqual({
      q: 'a',
      in: 'comments',
      state: 'open',
      by: 'me',
      page: 2,
    });
    expect(searchPageSearch(both)).toEqual({ q: 'a', mode: 'semantic', tag: ['one'], page: 2 });
    expect(searchPageSearch({ in: 'comments', state: 'other', by: 'you' })).toEqual({ in: 'comments' });
  });
});

describe('addresses', () => {
  const read = (address: string) => searchPageSearch(parseSearch(address));
  it('contain texts as they are written', () =>
    expect(['?q="two hundred"', '?q=5', '?q=true', '?q=null', '?q=[1]', '?q={"a":1}', '?q=007'].map(read)).toEqual(
      ['"two hundred"', '5', 'true', 'null', '[1]', '{"a":1}', '007'].map((text) => ({ q: text })),
    ));
  it('keep lists, numbers and flags', () => {
    const search = { q: 'a', tag: ['one', '[2]'], speaker: ['Anna'], exact: true as const, page: 3 };
    expect(read(stringifySearch(search))).toEqual(search);
    expect(read('?tag=one&tag=two')).toEqual({ tag: ['one', 'two'] });
    expect(fileSearch(parseSearch(stringifySearch({ t: 12.5, play: true })))).toEqual({ t: 12.5, play: true });
  });
  it('contain the tab of the speakers', () =>
    expect(['?tab=profiles', '?tab=other', ''].map((address) => speakersSearch(parseSearch(address)))).toEqual([
      { tab: 'profiles' },
      {},
      {},
    ]));
  it('of a passage are known by their time', () =>
    expect(
      ['?t=0', '?t=5&q=a', '?q=a', '?t=x'].map((address) => leadsToPassage(fileSearch(parseSearch(address)))),
    ).toEqual([true, true, false, false]));
});

describe('values of the wrong type', () => {
  const wrong = ['', 'x', '5', '-1', '1e999', 'true', 'null', '[1]', '[[1]]', '["a"', '{"a":1}', '"a"', '%00'];
  const addresses = (name: string) => [...wrong.map((value) => `?${name}=${value}`), `?${name}=a&${name}=b`];
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const isNumber = (value: unknown): boolean => value === undefined || Number.isFinite(value);
  const isFlag = (value: unknown): boolean => value === undefined || value === true;
  const isList = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.every(isText));
  const listed = { status: isList, tag: isList, speaker: isList, type: isList };
  const checks: Record<string, (value: unknown) => boolean> = { ...listed, exact: isFlag, play: isFlag, t: isNumber };
  const names = [
    'q',
    'search',
    'mode',
    'sort',
    'order',
    'ownership',
    'collection',
    'conversation',
    'from',
    'to',
    'tab',
    'in',
    'state',
    'by',
  ];
  const commentSearch = (raw: Record<string, unknown>) => searchPageSearch({ ...raw, in: 'comments' });
  const pages = { filterSearch, searchPageSearch, commentSearch, fileSearch, askSearch, speakersSearch, textSearch };
  it.each(Object.entries(pages))('never reach the page of %s', (page, validate) => {
    const numbers: typeof checks = page === 'textSearch' ? {} : { page: isNumber, ...checks };
    for (const name of [...names, ...Object.keys(checks), 'page', 'unknown'])
      for (const address of addresses(name)) {
        const raw = parseSearch(address);
        // As the router does it.
        const reached: Record<string, unknown> = { ...raw, ...only<object>(validate)(raw) };
        expect({ address, fits: (numbers[name] ?? isText)(reached[name]) }).toEqual({ address, fits: true });
      }
  });
});
