import { msg, t } from '@lingui/core/macro';
import { translateOnRead } from '../lib/language.ts';
import type { FileItem } from '../api/queries.ts';
import type { Progress } from '../live/push.ts';

export type Tone = 'done' | 'busy' | 'waiting' | 'failed' | 'stopped';

const tones: Record<FileItem['status'], Tone> = {
  pending: 'waiting',
  uploaded: 'waiting',
  queued: 'waiting',
  downloading: 'busy',
  processing: 'busy',
  transcribing: 'busy',
  completed: 'done',
  error: 'failed',
  cancelling: 'stopped',
  cancelled: 'stopped',
  orphaned: 'failed',
  quarantined: 'stopped',
};
/** The status of a file, reduced to what determines its color and actions. */
export function toneOf(file: Pick<FileItem, 'status' | 'waiting_for' | 'next_stage'>): Tone {
  const tone = tones[file.status];
  return tone === 'busy' && (file.waiting_for !== null || file.next_stage !== null) ? 'waiting' : tone;
}

export function isInProgress(file: Pick<FileItem, 'status'>): boolean {
  return tones[file.status] === 'busy' || tones[file.status] === 'waiting' || file.status === 'cancelling';
}

/** An import that was not completed has no recording. */
export function hasRecording(file: Pick<FileItem, 'file_size' | 'has_media' | 'recording_removed_at'>): boolean {
  return file.has_media && (file.file_size ?? 0) > 0 && file.recording_removed_at === null;
}

export const stageNames: Record<NonNullable<FileItem['stage']>, string> = translateOnRead({
  prepare: msg`Preparing`,
  transcribe: msg`Transcribing`,
  diarize: msg`Identifying speakers`,
  assemble: msg`Putting it together`,
  index: msg`Making it searchable`,
});

/** The status text of a file that is not in progress. A failure always begins with "Failed". */
export function finalStatusText(
  file: Pick<FileItem, 'status' | 'display_status' | 'error' | 'waiting_for' | 'next_stage'>,
): string {
  if (toneOf(file) !== 'failed') return file.display_status;
  const reason = file.error?.message ?? file.display_status;
  return reason === 'Failed' ? reason : t`Failed: ${reason}`;
}

/** The status text of a file in progress; live progress takes precedence over the loaded status. */
export function stageText(
  file: Pick<FileItem, 'stage' | 'display_status' | 'waiting_for' | 'next_stage'>,
  live: Progress | null,
): string {
  if (file.waiting_for !== null || file.next_stage !== null) return file.display_status;
  if (live?.stage === 'download') return t`Downloading: ${live.message}`;
  const stage = live?.stage ?? file.stage;
  return stage === null ? file.display_status : stageNames[stage];
}
