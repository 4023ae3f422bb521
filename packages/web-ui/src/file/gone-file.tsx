import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import type { FileDetail } from '../api/queries.ts';
import { GonePage, NotFoundPage } from '../ui/not-found-page.tsx';
import { clearNotices } from '../ui/notify.ts';
import { KeptDrafts, useUnsavedTexts } from './kept-drafts.tsx';

type Props = {
  readonly fileId: string;
  /** As it was when it could be read last; undefined: it was not open. */
  readonly file: FileDetail | undefined;
};

/** A recording that cannot be read any more. Corrections that were not saved can still be copied. */
export function GoneFile({ fileId, file }: Props) {
  const hasKeptDrafts = useUnsavedTexts(fileId).length > 0;
  const isLost = file !== undefined && file.my_permission !== 'owner';
  useEffect(() => {
    // Nothing of what they offer can be done any more.
    if (isLost) clearNotices();
  }, [isLost]);
  if (file === undefined && !hasKeptDrafts) return <NotFoundPage />;
  return (
    <GonePage title={file?.title ?? t`Page not found`} text={reasonOf(file)}>
      <KeptDrafts fileId={fileId} />
    </GonePage>
  );
}

function reasonOf(file: FileDetail | undefined): string {
  if (file === undefined) return t`This recording was deleted, or is no longer shared with you.`;
  const { my_permission: permission, owner_name: owner } = file;
  if (permission === 'owner') return t`This recording was deleted. It may be in the bin.`;
  return owner === null
    ? t`This recording is no longer shared with you, or was deleted.`
    : t`${owner} no longer shares this recording with you, or deleted it.`;
}
