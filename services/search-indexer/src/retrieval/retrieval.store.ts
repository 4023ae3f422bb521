import type { AccessScope } from '../access/access.ts';
import type { Db } from '../database.ts';

export type RetrievalStore = ReturnType<typeof createRetrievalStore>;

export function createRetrievalStore({ db }: { db: Db }) {
  return {
    /** The indexed files that may be found, with their number of passages. @param fileIds null: all. */
    readable: ({ ownerId, sharedIds }: AccessScope, fileIds: readonly string[] | null) =>
      db.indexState.findMany({
        where: {
          indexedAt: { not: null },
          withheld: false,
          chunks: { gt: 0 },
          ...(fileIds ? { fileId: { in: [...fileIds] } } : {}),
          ...(ownerId === null ? {} : { OR: [{ ownerId }, { fileId: { in: [...sharedIds] } }] }),
        },
        select: { fileId: true, title: true, language: true, chunks: true },
        orderBy: { fileId: 'asc' },
      }),
  };
}
