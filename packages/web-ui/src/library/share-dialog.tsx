import { t } from '@lingui/core/macro';
import { call } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import { PublicLinksSection } from '../public-links/public-links-section.tsx';
import { SharesDialog, type Shared } from './shares-dialog.tsx';

/** Adds, changes and removes the shares of one recording. */
export function ShareDialog({ file, onClose }: { file: FileItem; onClose: () => void }) {
  const params = { uuid: file.uuid };
  const shared: Shared = {
    title: t`Share “${file.title}”`,
    unshared: t`Only you and administrators can see this.`,
    failure: t`The recording wasn’t shared`,
    key: ['shares', file.uuid],
    list: async (signal) =>
      (await call('GET /api/files/{uuid}/shares', { params, signal })).map((share) => ({
        uuid: share.uuid,
        kind: share.user_uuid === null ? ('group' as const) : ('person' as const),
        targetId: share.user_uuid ?? share.group_uuid ?? '',
        name: share.user_name,
        permission: share.permission,
      })),
    set: ({ kind, targetId, permission }) =>
      call('PUT /api/files/{uuid}/shares', {
        params,
        body: { permission, ...(kind === 'person' ? { user_uuid: targetId } : { group_uuid: targetId }) },
      }),
    remove: (shareId) =>
      call('DELETE /api/files/{uuid}/shares/{share_uuid}', { params: { ...params, share_uuid: shareId } }),
  };
  return (
    <SharesDialog shared={shared} onClose={onClose}>
      <PublicLinksSection file={file} />
    </SharesDialog>
  );
}
