import type { Connection } from '../wire/connection.ts';
import type { SearchRequest } from '../wire/requests.ts';
import type { Deadline } from '../wire/deadline.ts';
import type { DirectoryConfig } from '../model.ts';
import { searchPages } from './paged-search.ts';
import type { RootDse } from './root-dse.ts';

const page = 1000;

/** The server of a snapshot, with one connection. */
export type SnapshotSearch = {
  readonly connection: Connection;
  readonly config: DirectoryConfig;
  readonly root: RootDse;
  readonly deadline: Deadline;
};

/** All matching entries, page by page. */
export function searchSnapshot(
  { connection, root, deadline }: SnapshotSearch,
  request: Omit<SearchRequest, 'page'>,
): ReturnType<typeof searchPages> {
  return searchPages(connection, { ...request, pages: root.pages, pageSize: page, ahead: true }, deadline);
}
