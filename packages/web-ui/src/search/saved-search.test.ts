import { describe, expect, it } from '@jest/globals';
import { fromSaved, toSaved } from './saved-search.ts';

describe('a saved search', () => {
  it('runs as it was saved, with all filters', () => {
    const params = {
      q: 'budget tag:board',
      mode: 'keyword' as const,
      speaker: ['Ann'],
      tag: ['plan'],
      type: ['video'],
      collection: '00000000-0000-4000-8000-000000000001',
      from: '2026-01-01',
      to: '2026-12-31',
      sort: 'title',
    };
    expect(fromSaved({ search: toSaved(params) })).toEqual(params);
  });

  it('does not keep defaults, the page, or a correction that was refused', () => {
    expect(fromSaved({ search: toSaved({ q: 'budget', page: 3, exact: true }) })).toEqual({ q: 'budget' });
  });
});
