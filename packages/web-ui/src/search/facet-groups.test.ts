import { describe, expect, it } from '@jest/globals';
import { facetGroups } from './facet-groups.ts';

const facets = {
  speakers: [
    { name: 'Ann', count: 3 },
    { name: 'Bob', count: 1 },
  ],
  tags: [],
  years: [{ name: '2026', count: 4 }],
  collections: null,
};

describe('the facets of a search', () => {
  it('add a speaker to those that are chosen, or take one back, in any case', () => {
    const [speakers] = facetGroups(facets, { speaker: ['ann'] });
    expect(speakers?.values).toEqual([
      { key: 'Ann', name: 'Ann', count: 3, chosen: true, toggled: { speaker: [] } },
      { key: 'Bob', name: 'Bob', count: 1, chosen: false, toggled: { speaker: ['ann', 'Bob'] } },
    ]);
  });

  it('list what is chosen even when nothing was found with it, and omit empty groups', () => {
    const groups = facetGroups({ ...facets, speakers: [] }, { tag: ['gone'] });
    expect(groups.map(({ kind }) => kind)).toEqual(['tags', 'years']);
    expect(groups[0]?.values).toMatchObject([{ name: 'gone', count: 0, chosen: true }]);
  });

  it('turn a year into the days from its first to its last', () => {
    const yearOf = (params: object) => facetGroups(facets, params).at(-1)?.values[0];
    expect(yearOf({})).toMatchObject({ chosen: false, toggled: { from: '2026-01-01', to: '2026-12-31' } });
    expect(yearOf({ from: '2026-01-01', to: '2026-12-31' })).toMatchObject({
      chosen: true,
      toggled: { from: '', to: '' },
    });
    expect(yearOf({ from: '2026-01-01' })).toMatchObject({ chosen: false });
  });

  it('replace the chosen collection, take it back, and list it with its name even without results', () => {
    const collections = [
      { uuid: 'one', name: 'Board', count: 2 },
      { uuid: 'two', name: 'Board', count: 1 },
    ];
    const valuesOf = (params: object, chosenName?: string) =>
      facetGroups({ ...facets, collections }, params, chosenName).at(-1)?.values;
    expect(valuesOf({ collection: 'one' })).toEqual([
      { key: 'one', name: 'Board', count: 2, chosen: true, toggled: { collection: '' } },
      { key: 'two', name: 'Board', count: 1, chosen: false, toggled: { collection: 'two' } },
    ]);
    expect(valuesOf({ collection: 'other' }, 'Garden')?.[0]).toMatchObject({ name: 'Garden', count: 0, chosen: true });
    expect(valuesOf({ collection: 'other' })).toHaveLength(2);
  });

  it('omit the collections when they are unknown', () => {
    expect(facetGroups(facets, {}).map(({ kind }) => kind)).toEqual(['speakers', 'years']);
  });
});
