import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import { searchQuery } from './queries.ts';

describe('the request of a search', () => {
  const fetched = jest.fn<typeof fetch>();
  const before = globalThis.fetch;
  beforeEach(() => {
    fetched.mockReset().mockImplementation(() => Promise.resolve(Response.json({})));
    globalThis.fetch = fetched;
  });
  afterEach(() => {
    globalThis.fetch = before;
  });

  const parametersOf = async (input: { sort: string; from?: string }): Promise<URLSearchParams> => {
    await new QueryClient().fetchQuery(searchQuery({ q: 'plan', mode: 'hybrid', page: 1, ...input }));
    return new URL(fetched.mock.lastCall?.[0] as string, 'http://localhost').searchParams;
  };

  it('sorts by title from A to Z, and by the rest from the highest value', async () => {
    expect((await parametersOf({ sort: 'title' })).get('sort_order')).toBe('asc');
    for (const sort of ['relevance', 'upload_time', 'duration'])
      expect((await parametersOf({ sort })).get('sort_order') ?? 'desc').toBe('desc');
  });

  it('counts the years in the time zone of its dates', async () => {
    const parameters = await parametersOf({ sort: 'relevance', from: '2026-01-01' });
    expect(parameters.get('time_zone')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    expect(parameters.get('date_from')).toBe(new Date(2026, 0, 1).toISOString());
  });
});
