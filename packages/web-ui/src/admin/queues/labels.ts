import { msg, plural, t } from '@lingui/core/macro';
import { formatNumber } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import type { ColoredLabel } from '../../ui/account-labels.ts';
import type { AttemptItem, QueueItem, TaskItem, WorkerItem } from './queue-queries.ts';

/** The purpose of each queue. */
export const queueHints: Partial<Record<QueueItem['queue'], string>> = translateOnRead({
  gpu: msg`Transcription and speaker detection`,
  download: msg`Imports from addresses, media mirror`,
  cpu: msg`Preparing recordings, assembling transcripts`,
  utility: msg`Housekeeping, backups`,
  nlp: msg`Checks for personal data`,
  embedding: msg`Search index`,
});

export const taskColors: Record<TaskItem['status'], string> = {
  pending: 'gray',
  in_progress: 'petrol',
  completed: 'petrol',
  failed: 'red',
  cancelled: 'gray',
};
export const taskLabels: Record<TaskItem['status'], string> = translateOnRead({
  pending: msg`waiting`,
  in_progress: msg`running`,
  completed: msg`done`,
  failed: msg`failed`,
  cancelled: msg`stopped`,
});

export const outcomeTexts: Record<AttemptItem['outcome'], string> = translateOnRead({
  running: msg`running`,
  completed: msg`done`,
  failed: msg`failed`,
  released: msg`returned: worker stopped`,
  lost: msg`worker lost`,
  cancelled: msg`stopped`,
});

/** A duration as text: `4 s`, `2 min`, `3 h 5 min`, `2 days`. */
export function age(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return t`${whole} s`;
  if (whole < 3600) return t`${Math.floor(whole / 60)} min`;
  if (whole < 48 * 3600) {
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
    return minutes === 0 ? t`${hours} h` : t`${hours} h ${minutes} min`;
  }
  return plural(Math.floor(whole / 86_400), { one: '# day', other: '# days' });
}

export function ageSince(iso: string, now: string): string {
  return age((Date.parse(now) - Date.parse(iso)) / 1000);
}

export type Bar = { readonly running: number; readonly waiting: number; readonly orphaned: number };
/** The widths of a queue's bar in percent of the longest queue. A single job has a visible width. */
export function barOf(queue: QueueItem, all: readonly QueueItem[]): Bar {
  const longest = Math.max(10, ...all.map(({ depth, reserved, orphaned }) => depth + reserved + orphaned));
  const widthOf = (jobs: number): number => (jobs === 0 ? 0 : Math.max(1.5, (90 * jobs) / longest));
  return { running: widthOf(queue.reserved), waiting: widthOf(queue.depth), orphaned: widthOf(queue.orphaned) };
}

/** The text alternative of the bar. */
export function queueText(queue: QueueItem): string {
  const parts = [
    t`${formatNumber(queue.depth)} waiting`,
    t`${formatNumber(queue.reserved)} running`,
    ...(queue.orphaned > 0 ? [t`${formatNumber(queue.orphaned)} with a lost worker`] : []),
  ];
  return parts.join(', ');
}

/** An offline worker is red only while a task is still assigned to it: the page can't tell a stop from a crash. */
export function workerStatusOf({ state, doing }: Pick<WorkerItem, 'state' | 'doing'>): ColoredLabel {
  if (state === 'offline') return { label: t`offline`, color: doing.length > 0 ? 'red' : 'gray' };
  return doing.length > 0 ? { label: t`working`, color: 'petrol' } : { label: t`idle`, color: 'gray' };
}
