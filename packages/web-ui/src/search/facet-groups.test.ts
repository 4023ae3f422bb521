import { describe, expect, it } from '@jest/globals';
import { facetGroups } from './facet-groups.ts';

const facets = {
  speakers: [
    { name: 'Ann', count: 3 },
    { name: 'Bob', count: 1 },
  ],
  tags: [],
  years: [{ name: '2026', count: 4 }],
};

describe('the facets of a search', () => {
  it('add a speaker to those that are chosen, or take one back, in any case', () => {
    const [speakers] = facetGroups(facets, { speaker: ['ann'] });
    expect(speakers?.values).toEqual([
      { name: 'Ann', count: 3, chosen: true, toggled: { speaker: [] } },
      { name: 'Bob', count: 1, chosen: false, toggled: { speaker: ['ann', 'Bob'] } },
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
});
