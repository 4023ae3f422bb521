import type { ColoredLabel } from '../../ui/account-labels.ts';
import type { AttemptItem, QueueItem, TaskItem, WorkerItem } from './queue-queries.ts';

/** The purpose of each queue. */
export const queueHints: Partial<Record<QueueItem['queue'], string>> = {
  gpu: 'Transcription and speaker detection',
  cpu: 'Preparing recordings, assembling transcripts',
  utility: 'Housekeeping',
  embedding: 'Search index',
};

export const taskColors: Record<TaskItem['status'], string> = {
  pending: 'gray',
  in_progress: 'petrol',
  completed: 'petrol',
  failed: 'red',
  cancelled: 'gray',
};
export const taskLabels: Record<TaskItem['status'], string> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
};

export const outcomeTexts: Record<AttemptItem['outcome'], string> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  released: 'returned: worker stopped',
  lost: 'worker lost',
  cancelled: 'stopped',
};

/** A duration as text: `4 s`, `2 min`, `3 h 5 min`, `2 days`. */
export function age(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 48 * 3600) {
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
    return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
  }
  return `${Math.floor(whole / 86_400)} days`;
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
    `${queue.depth.toLocaleString()} waiting`,
    `${queue.reserved.toLocaleString()} running`,
    ...(queue.orphaned > 0 ? [`${queue.orphaned.toLocaleString()} with a lost worker`] : []),
  ];
  return parts.join(', ');
}

/** An offline worker is red only while a task is still assigned to it: the page can't tell a stop from a crash. */
export function workerStatusOf({ state, doing }: Pick<WorkerItem, 'state' | 'doing'>): ColoredLabel {
  if (state === 'offline') return { label: 'offline', color: doing.length > 0 ? 'red' : 'gray' };
  return doing.length > 0 ? { label: 'working', color: 'petrol' } : { label: 'idle', color: 'gray' };
}
