import { expect, it } from '@jest/globals';
import { present } from '../filter/filter.ts';
import type { Connection } from '../wire/connection.ts';
import { deadlineIn } from '../wire/deadline.ts';
import { searchAll } from './paged-search.ts';

it('returns all entries of a server without paging that sends 200,000 at once', async () => {
  const entries = Array.from({ length: 200_000 }, (_, i) => ({ dn: `cn=${i}` }));
  const found = { code: 0, diagnostic: '', entries, references: 0, cookie: undefined };
  const connection = { search: () => Promise.resolve(found) } as unknown as Connection;
  const request = {
    base: 'dc=x',
    scope: 'sub',
    filter: present('member'),
    attributes: ['1.1'],
    maxEntries: 1_000_000,
    pageSize: 1_000,
    pages: false,
  } as const;
  expect(await searchAll(connection, request, deadlineIn(60_000))).toHaveLength(200_000);
});
