import type { AccessScope } from '../access/access.ts';
import { readableFiles } from '../access/access.store.ts';
import type { Db } from '../database.ts';

type ReadableFile = { fileId: string; title: string; language: string | null; passages: number };
export type RetrievalStore = ReturnType<typeof createRetrievalStore>;

export function createRetrievalStore({ db }: { db: Db }) {
  return {
    countReadable: async (scope: AccessScope): Promise<number> => {
      const [row] = await db.$queryRaw<{ count: number }[]>`
        select count(*)::int as count from (${readableFiles(scope)}) mine where chunks > 0`;
      return row?.count ?? 0;
    },
    /** The indexed files that may be found, with their number of passages. @param fileIds null: all. */
    readable: (scope: AccessScope, fileIds: readonly string[] | null): Promise<ReadableFile[]> =>
      db.$queryRaw<ReadableFile[]>`
        select file_id as "fileId", title, language, chunks as passages from (${readableFiles(scope)}) mine
        where chunks > 0 and (${fileIds === null} or file_id = any(${[...(fileIds ?? [])]}::uuid[])) order by file_id`,
  };
}
