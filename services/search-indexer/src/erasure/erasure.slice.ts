import { erasureEvents, userErasureOrdered } from '@overtone/contracts';
import { deleteSentActionsOf, type Outbox } from '@overtone/database';
import { consumer, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import { eraseSavedSearches } from '../saved-searches/saved-searches.store.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  indexing: { forget: (fileId: string) => Promise<void> };
  index: Pick<SearchIndex, 'purge'>;
  forgetVoicesOf: (userId: string) => Promise<number>;
  purgeVoices: () => Promise<void>;
};

const batchSize = 200;

/**
 * Erases the search entries, voices and saved searches of a person, their group memberships, and the person from the access
 * lists of other files.
 */
export function createErasureSlice({ db, outbox, indexing, index, forgetVoicesOf, purgeVoices }: Deps): Slice {
  // A process does not know what an earlier one left in the files of the index.
  let isPurged = false;
  return {
    consumers: [
      /** A person is erased: removes their files from the index. A repeated order finds nothing and is confirmed, too. */
      consumer(userErasureOrdered, 'erase-person', async ({ erasureId, round, userId }, { signal }) => {
        let files = 0;
        for (;;) {
          signal.throwIfAborted();
          const rows = await db.indexState.findMany({
            where: { ownerId: userId },
            select: { fileId: true },
            take: batchSize,
          });
          if (rows.length > 0) isPurged = false;
          for (const { fileId } of rows) await indexing.forget(fileId);
          files += rows.length;
          if (rows.length === 0) break;
        }
        const voices = await forgetVoicesOf(userId);
        if (voices > 0) isPurged = false;
        // Before the report: when it is sent, the files of the index contain nothing of the person any more.
        if (!isPurged) await Promise.all([index.purge(signal), purgeVoices()]);
        isPurged = true;
        await db.$transaction(async (tx) => {
          await deleteSentActionsOf(tx, 'search-indexer', userId);
          const savedSearches = await eraseSavedSearches(tx, userId);
          const { count: memberships } = await tx.membership.deleteMany({ where: { userId } });
          const accessLists = await tx.$executeRaw`
            update search_file_access set user_ids = array_remove(user_ids, ${userId}::uuid)
            where user_ids @> array[${userId}::uuid]`;
          await outbox.add(tx, erasureEvents['search-indexer'], {
            erasureId,
            round,
            counts: {
              indexed_files: files,
              voice_files: voices,
              saved_searches: savedSearches,
              access_lists: accessLists,
              membership_copies: memberships,
            },
            objectHashes: [],
            fileIds: [],
            held: 0,
            complete: true,
          });
        });
      }),
    ],
  };
}
