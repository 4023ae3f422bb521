import type { AccessScope } from '../access/access.ts';
import type { Db } from '../database.ts';

export type RetrievalStore = ReturnType<typeof createRetrievalStore>;

export function createRetrievalStore({ db }: { db: Db }) {
  const where = ({ ownerId, sharedIds }: AccessScope) => ({
    indexedAt: { not: null },
    withheld: false,
    chunks: { gt: 0 },
    ...(ownerId === null ? {} : { OR: [{ ownerId }, { fileId: { in: [...sharedIds] } }] }),
  });
  return {
    countReadable: (scope: AccessScope): Promise<number> => db.indexState.count({ where: where(scope) }),
    /** The indexed files that may be found, with their number of passages. @param fileIds null: all. */
    readable: (scope: AccessScope, fileIds: readonly string[] | null) =>
      db.indexState.findMany({
        where: { ...where(scope), ...(fileIds ? { fileId: { in: [...fileIds] } } : {}) },
        select: { fileId: true, title: true, language: true, chunks: true },
        orderBy: { fileId: 'asc' },
      }),
  };
}
