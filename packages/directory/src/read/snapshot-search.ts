import type { Connection } from '../wire/connection.ts';
import type { SearchRequest } from '../wire/requests.ts';
import type { Deadline } from '../wire/deadline.ts';
import type { Entry } from '../wire/entry.ts';
import { failureOf, resultCodes } from '../wire/failures.ts';
import type { DirectoryConfig } from '../model.ts';
import { pagedSearch } from './paged-search.ts';
import type { RootDse } from './root-dse.ts';

const PAGE = 1000;

/** The server of a snapshot, with one connection. */
export type SnapshotSearch = {
  readonly connection: Connection;
  readonly config: DirectoryConfig;
  readonly root: RootDse;
  readonly deadline: Deadline;
};

/** All matching entries, page by page; a server without paging sends one page that ends with result code 0. */
export async function* searchAll(
  { connection, root, deadline }: SnapshotSearch,
  question: Omit<SearchRequest, 'page'>,
): AsyncGenerator<readonly Entry[], { pages: number }> {
  if (root.pages) return yield* pagedSearch(connection, { ...question, pageSize: PAGE, ahead: true }, deadline);
  const found = await connection.search(question, deadline);
  if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
  yield found.entries;
  return { pages: 1 };
}
