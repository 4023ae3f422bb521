import { msg, plural, t } from '@lingui/core/macro';
import { bytes, duration, formatNumber } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import type { ColoredLabel } from '../../ui/account-labels.ts';
import type { BackupRun, DestinationStatus, MirrorRun } from './operations-queries.ts';

export const statusLabels: Record<BackupRun['status'], ColoredLabel> = translateOnRead({
  queued: { label: msg`queued`, color: 'gray' },
  running: { label: msg`running`, color: 'petrol' },
  success: { label: msg`done`, color: 'petrol' },
  failed: { label: msg`failed`, color: 'red' },
});

export const triggerLabels: Record<BackupRun['trigger'], string> = translateOnRead({
  manual: msg`started by hand`,
  schedule: msg`on schedule`,
});

/** How long a run took; empty before its end. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '';
  return seconds < 60 ? t`${seconds.toFixed(1)} s` : duration(seconds);
}

/** The result of a backup: its name, or why it failed. A successful backup may have a warning. */
export function backupSummaryOf({ name, error }: Pick<BackupRun, 'name' | 'error'>): string {
  return [name, error].filter((part) => part !== null).join(' · ');
}

type MirrorResult = Pick<
  MirrorRun,
  'status' | 'error' | 'copied' | 'bytes_copied' | 'already_there' | 'missing' | 'differing' | 'failed'
>;
/** The counts of a run in one line, after the reason of a failure. Counts of zero are left out, except the copied objects. */
export function mirrorSummaryOf(run: MirrorResult): string {
  if (run.status === 'queued' || run.status === 'running') return '';
  const counts = [
    t`${formatNumber(run.copied)} copied (${bytes(run.bytes_copied)})`,
    run.already_there > 0 && t`${formatNumber(run.already_there)} unchanged`,
    run.differing > 0 && t`${formatNumber(run.differing)} differed`,
    run.missing > 0 && t`${formatNumber(run.missing)} missing`,
    run.failed > 0 && t`${formatNumber(run.failed)} not copied`,
  ].filter((part) => part !== false);
  return [run.error, counts.join(', ')].filter((part) => part !== null).join(' ');
}

/** What a test of a destination found. */
export function destinationText({ ok, destination, error, free_bytes: free }: DestinationStatus): string {
  if (!ok) return error ?? t`It can’t be used.`;
  const place = destination ?? '';
  return free === null ? t`${place} can be written.` : t`${place} can be written; ${bytes(free)} are free.`;
}

/** The warning that a destination does not exist yet; null: it does. */
export function newFolderText({ ok, destination, creates_folder_on: disk }: DestinationStatus): string | null {
  if (!ok || disk === null) return null;
  const place = destination ?? '';
  return disk === 'system_disk'
    ? t`${place} doesn’t exist. It would be created on the system disk. Is the disk for it mounted?`
    : t`${place} doesn’t exist. It would be created.`;
}

export function objectsText(count: number): string {
  return plural(count, { one: '# object in the mirror', other: '# objects in the mirror' });
}
