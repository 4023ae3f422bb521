import type { Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { failureOf, resultCodes } from '../wire/failures.ts';
import { present } from '../filter/filter.ts';
import { pagedSearch } from './paged-search.ts';
import type { RootDse } from './root-dse.ts';

/** The base and the attribute of the search. */
type Looking = {
  readonly connection: Connection;
  readonly root: RootDse;
  readonly base: string;
  readonly attribute: string;
  readonly deadline: Deadline;
};

const maxEntries = 1_000_000;

/**
 * Whether any entry below the base has the attribute. Without any value the server does not maintain the attribute or
 * hides it. The search uses pages of one entry, because not every server respects a size limit.
 */
export async function anyEntryHas({ connection, root, base, attribute, deadline }: Looking): Promise<boolean> {
  const question = { base, scope: 'sub', filter: present(attribute), attributes: ['1.1'] } as const;
  if (root.pages) {
    const pages = pagedSearch(connection, { ...question, pageSize: 1, maxEntries: maxEntries }, deadline);
    return (await pages.next()).done !== true;
  }
  const found = await connection.search({ ...question, maxEntries: 1 }, deadline);
  if (found.entries.length > 0) return true;
  if (found.code === resultCodes.success) return false;
  throw failureOf(found.code, found.diagnostic);
}
