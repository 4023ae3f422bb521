import type { Db, Tx } from '../database.ts';
import type { IndexState } from '../generated/client.ts';

export type IndexStates = ReturnType<typeof createIndexStates>;
type IndexedFile = Omit<IndexState, 'dueAt' | 'attempts' | 'error' | 'indexedAt' | 'withheld' | 'maskChanges'>;

/** What is indexed of each file. */
export function createIndexStates({ db }: { db: Db }) {
  return {
    get: (fileId: string) => db.indexState.findUnique({ where: { fileId } }),
    /** Adds a file before its transcript is read, so that `withhold` and `remove` reach it while it is indexed. */
    add: async ({ fileId, ownerId }: Pick<IndexState, 'fileId' | 'ownerId'>): Promise<IndexState> =>
      db.indexState.upsert({ where: { fileId }, create: { fileId, ownerId }, update: {} }),
    /**
     * Records an indexed file. Text that is masked since `known`, its state before its transcript was read, stays withheld.
     * @returns false when the file was removed or indexed since; nothing is recorded then.
     */
    save: async (tx: Tx, file: IndexedFile, known: IndexState): Promise<boolean> => {
      const { fileId } = file;
      const { count } = await tx.indexState.updateMany({
        where: { fileId, indexedAt: sameTime(known.indexedAt) },
        data: { ...file, indexedAt: new Date(), error: null },
      });
      if (count === 0) return false;
      const { maskChanges } = known;
      await tx.indexState.updateMany({ where: { fileId, maskChanges }, data: { withheld: false } });
      return true;
    },
    /** Files that may contain text that is masked now: they are not found until they were indexed again. */
    withhold: async ({ ownerId, fileId }: { ownerId: string | null; fileId: string | null }): Promise<void> => {
      await db.$executeRaw`
        update index_state set withheld = true, mask_changes = mask_changes + 1, due_at = now(), attempts = 0
        where (${ownerId}::uuid is null or owner_id = ${ownerId}::uuid)
          and (${fileId}::uuid is null or file_id = ${fileId}::uuid)`;
    },
    remove: async (fileId: string): Promise<void> => {
      await db.indexState.deleteMany({ where: { fileId } });
      await db.fileAccess.deleteMany({ where: { fileId } });
    },
    counts: async () => {
      const [row] = await db.$queryRaw<{ files: number; passages: number; keywordOnly: number }[]>`
      select count(*) filter (where indexed_at is not null)::int as files, coalesce(sum(chunks), 0)::int as passages,
             count(*) filter (where not semantic and chunks > 0)::int as "keywordOnly" from index_state`;
      return row ?? { files: 0, passages: 0, keywordOnly: 0 };
    },
  };
}

/** A time that was read without its microseconds, which PostgreSQL keeps. */
function sameTime(read: Date | null): { gte: Date; lt: Date } | null {
  return read && { gte: read, lt: new Date(read.getTime() + 1) };
}
