import { t } from '@lingui/core/macro';
import { call } from '../api/client.ts';
import { SharesDialog, type Shared } from '../library/shares-dialog.tsx';
import type { Collection } from './collection-queries.ts';

/** Adds, changes and removes the shares of one collection. */
export function ShareCollectionDialog({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const params = { uuid: collection.uuid };
  const shared: Shared = {
    title: t`Share “${collection.name}”`,
    unshared: t`Only you and administrators can see this collection. Sharing it also shares your recordings in it, including those you add later.`,
    failure: t`The collection wasn’t shared`,
    key: ['collection-shares', collection.uuid],
    list: async (signal) =>
      (await call('GET /api/collections/{uuid}/shares', { params, signal })).map((share) => ({
        uuid: share.uuid,
        kind: share.target_type === 'group' ? ('group' as const) : ('person' as const),
        targetId: share.target_uuid,
        name: share.target_name,
        permission: share.permission,
      })),
    set: ({ kind, targetId, permission }) =>
      call('POST /api/collections/{uuid}/shares', {
        params,
        body: { target_type: kind === 'group' ? 'group' : 'user', target_uuid: targetId, permission },
      }),
    remove: (shareId) =>
      call('DELETE /api/collections/{uuid}/shares/{share_uuid}', { params: { ...params, share_uuid: shareId } }),
  };
  return <SharesDialog shared={shared} onClose={onClose} />;
}
