import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { PublicLink } from '@overtone/contracts';
import type { FileItem } from '../api/queries.ts';
import { PublicLinksSection } from '../public-links/public-links-section.tsx';
import { publicLinksQuery } from '../public-links/queries.ts';
import { ShareDialog } from './share-dialog.tsx';
import { sharedFile } from './shared.ts';

/** The shares of a recording and its public links. */
export function ShareRecordingDialog({ file, onClose }: { file: FileItem; onClose: () => void }) {
  const links = useQuery(publicLinksQuery(file.uuid)).data?.links ?? [];
  const shared = { ...sharedFile(file), ...(links.some(isActive) ? { unshared: publicText() } : {}) };
  return (
    <ShareDialog shared={shared} onClose={onClose}>
      <PublicLinksSection file={file} />
    </ShareDialog>
  );
}

function isActive({ state }: PublicLink): boolean {
  return state === 'active';
}

function publicText(): string {
  return t`Everyone who has a public link can see this.`;
}
