import { collectionRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Searcher } from '../access/access.ts';

/** Collections of files, as media knows them. */
export type Collections = {
  /** The files of a collection that the searcher may read; null when the searcher may not see the collection. */
  filesOf: (collectionId: string, searcher: Searcher) => Promise<string[] | null>;
  /** The same of all collections with this name, in any case; null when the searcher sees none. */
  filesNamed: (name: string, searcher: Searcher) => Promise<string[] | null>;
  /** The collections that the searcher may see with the number of the files in each, most frequent first. */
  countFiles: (fileIds: readonly string[], searcher: Searcher) => Promise<CountedCollection[]>;
};
type CountedCollection = { uuid: string; name: string; count: number };

/** Requests the files of collections from media. */
export function createMediaCollections({ bus }: { bus: Pick<Bus, 'request'> }): Collections {
  return {
    filesOf: async (collectionId, searcher) =>
      (await bus.request(collectionRpc.filesOf, { collectionId, reader: readerOf(searcher) })).fileIds,
    filesNamed: async (name, searcher) =>
      (await bus.request(collectionRpc.filesNamed, { name, reader: readerOf(searcher) })).fileIds,
    countFiles: async (fileIds, searcher) => {
      if (fileIds.length === 0) return [];
      const { collections } = await bus.request(collectionRpc.countFiles, {
        fileIds: [...fileIds],
        reader: readerOf(searcher),
      });
      return collections.map(({ collectionId: uuid, name, count }) => ({ uuid, name, count }));
    },
  };
}

function readerOf({ userId, canSeeAll }: Searcher) {
  return { userId, role: canSeeAll ? ('admin' as const) : ('user' as const) };
}
