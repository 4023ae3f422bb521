import { t } from '@lingui/core/macro';
import { call } from '../api/client.ts';
import { SharesDialog, type Shared } from '../library/shares-dialog.tsx';
import type { CodeList } from './code-queries.ts';

/** Adds, changes and removes the shares of a list of codes. */
export function ShareCodeListDialog({ list, onClose }: { list: CodeList; onClose: () => void }) {
  const params = { uuid: list.uuid };
  const shared: Shared = {
    title: t`Share “${list.name}”`,
    unshared: t`Only you and administrators can see this list. Sharing it shows no recordings: people see its codes on those that they may read.`,
    failure: t`The list wasn’t shared`,
    key: ['code-list-shares', list.uuid],
    list: async (signal) =>
      (await call('GET /api/code-lists/{uuid}/shares', { params, signal })).map((share) => ({
        uuid: share.uuid,
        kind: share.target_type === 'group' ? ('group' as const) : ('person' as const),
        targetId: share.target_uuid,
        name: share.target_name,
        permission: share.permission,
      })),
    set: ({ kind, targetId, permission }) =>
      call('POST /api/code-lists/{uuid}/shares', {
        params,
        body: { target_type: kind === 'group' ? 'group' : 'user', target_uuid: targetId, permission },
      }),
    remove: (shareId) =>
      call('DELETE /api/code-lists/{uuid}/shares/{share_uuid}', { params: { ...params, share_uuid: shareId } }),
  };
  return <SharesDialog shared={shared} onClose={onClose} />;
}
