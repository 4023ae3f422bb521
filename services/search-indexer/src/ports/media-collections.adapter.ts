import { collectionRpc } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

/** Collections of files, as media knows them. */
export type Collections = {
  /** The files of a collection that the searcher may read; null when the searcher may not see the collection. */
  filesOf: (collectionId: string, searcher: { userId: string; canSeeAll: boolean }) => Promise<string[] | null>;
};

/** Requests the files of collections from media. */
export function createMediaCollections({ bus }: { bus: Pick<Bus, 'request'> }): Collections {
  return {
    filesOf: async (collectionId, { userId, canSeeAll }) => {
      const reader = { userId, role: canSeeAll ? ('admin' as const) : ('user' as const) };
      return (await bus.request(collectionRpc.filesOf, { collectionId, reader })).fileIds;
    },
  };
}
