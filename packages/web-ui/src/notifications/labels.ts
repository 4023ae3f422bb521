import { t } from '@lingui/core/macro';
import { assertNever } from '../lib/assert-never.ts';
import type { NotificationItem } from './notification-queries.ts';

type Named = Pick<NotificationItem, 'kind' | 'subject_name'> & { actor: { name: string } | null };

/** What happened, as a sentence. A recording that the reader may not open any more has no title. */
export function notificationText({ kind, actor, subject_name: name }: Named): string {
  const person = actor?.name || t`Someone`;
  switch (kind) {
    case 'file_shared':
      return name === null ? t`${person} shared a recording with you` : t`${person} shared “${name}” with you`;
    case 'collection_shared':
      return name === null
        ? t`${person} shared a collection with you`
        : t`${person} shared the collection “${name}” with you`;
    case 'file_edited':
      return name === null ? t`${person} edited a recording of yours` : t`${person} edited “${name}”`;
    case 'mentioned':
      return name === null
        ? t`${person} mentioned you in a comment`
        : t`${person} mentioned you in a comment on “${name}”`;
    case 'commented':
      return name === null ? t`${person} commented on a recording` : t`${person} commented on “${name}”`;
    case 'transcription_completed':
      return name === null ? t`A transcript is ready` : t`The transcript of “${name}” is ready`;
    case 'transcription_without_speech':
      return name === null ? t`No speech was found in a recording` : t`No speech was found in “${name}”`;
    case 'transcription_failed':
      return name === null ? t`A transcription failed` : t`The transcription of “${name}” failed`;
    case 'sync_run_held':
      return t`A directory sync run is held and waits for your approval`;
    case 'backup_failed':
      return t`A backup failed`;
    case 'mirror_failed':
      return t`A run of the media mirror failed`;
    default:
      return assertNever(kind);
  }
}

/** Where the notification leads; null: the reader may not open it any more. */
export function notificationAddress({
  kind,
  subject_uuid: uuid,
  subject_name: name,
}: Pick<NotificationItem, 'kind' | 'subject_uuid' | 'subject_name'>): string | null {
  if (kind === 'sync_run_held') return `/admin/directory-sync/passes/${uuid}`;
  if (kind === 'backup_failed') return '/admin/backups';
  if (kind === 'mirror_failed') return '/admin/media-mirror';
  if (name === null) return null;
  return kind === 'collection_shared' ? `/collections/${uuid}` : `/files/${uuid}`;
}
