import { collectionNamesRpc, collectionRpc, mediaRoutes } from '@overtone/contracts';
import { handle, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import { actorOf } from '../audit/audit.ts';
import { createAccessPublisher, createCollectionShares } from './collection-shares.service.ts';
import { createCollections, type CollectionsDeps } from './collections.service.ts';

const publishEveryMs = 1_000;

/** Collections of files, which can be shared with groups and users. */
export function createCollectionsSlice(deps: CollectionsDeps): Slice {
  const collections = createCollections(deps);
  const shares = createCollectionShares(deps);
  return {
    routes: [
      handle(mediaRoutes.listCollections, ({ caller, query }) => collections.list(caller, query)),
      handle(mediaRoutes.createCollection, ({ caller, body }) => collections.create(caller, body)),
      handle(mediaRoutes.collection, ({ caller, params }) => collections.get(caller, params.uuid)),
      handle(mediaRoutes.updateCollection, ({ caller, params, body }) => collections.update(caller, params.uuid, body)),
      handle(mediaRoutes.deleteCollection, (request) => collections.remove(actorOf(request), request.params.uuid)),
      handle(mediaRoutes.addToCollection, (request) =>
        collections.addFiles(actorOf(request), request.params.uuid, request.body.media_file_ids),
      ),
      handle(mediaRoutes.removeFromCollection, (request) =>
        collections.removeFiles(actorOf(request), request.params.uuid, request.body.media_file_ids),
      ),
      handle(mediaRoutes.collectionShares, ({ caller, params }) => shares.list(caller, params.uuid)),
      handle(mediaRoutes.shareCollection, (request) =>
        shares.share(actorOf(request), request.params.uuid, request.body),
      ),
      handle(mediaRoutes.updateCollectionShare, (request) => {
        const { uuid, share_uuid: share } = request.params;
        return shares.update(actorOf(request), uuid, share, request.body.permission);
      }),
      handle(mediaRoutes.unshareCollection, (request) =>
        shares.unshare(actorOf(request), request.params.uuid, request.params.share_uuid),
      ),
    ],
    rpcs: [
      /** Files of a collection, to search only in them; called by search-indexer. */
      rpc(collectionRpc.filesOf, async ({ collectionId, reader }) => ({
        fileIds: await collections.fileIdsFor(reader, collectionId),
      })),
      /** Files of collections by name, for the operator `in:` of a search; called by search-indexer. */
      rpc(collectionRpc.filesNamed, async ({ name, reader }) => ({
        fileIds: await collections.fileIdsNamed(reader, name),
      })),
      /** Collections of found files, a facet of a search; called by search-indexer. */
      rpc(collectionRpc.countFiles, async ({ fileIds, reader }) => ({
        collections: await collections.countFilesFor(reader, fileIds),
      })),
      /** Names of what conversations are about; called by insights. */
      rpc(collectionNamesRpc.names, async ({ collectionIds, reader }) => ({
        collections: await collections.namesFor(reader, collectionIds),
      })),
    ],
    periodics: [restingPeriodic('publish access of collections', publishEveryMs, createAccessPublisher(deps))],
  };
}
