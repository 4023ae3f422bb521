import type { QueueItem, TaskItem, TryItem, WorkerItem } from './queue-queries.ts';

/** What each queue with jobs is for, in words of people who do not know the code. */
export const queueHints: Partial<Record<QueueItem['queue'], string>> = {
  gpu: 'Speech to words, telling speakers apart',
  cpu: 'Preparing recordings, putting transcripts together',
  utility: 'Housekeeping',
  embedding: 'Making transcripts searchable',
};

export const taskColors: Record<TaskItem['status'], string> = {
  pending: 'gray',
  in_progress: 'petrol',
  completed: 'petrol',
  failed: 'red',
  cancelled: 'gray',
};
export const taskWords: Record<TaskItem['status'], string> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'stopped',
};

export const outcomeWords: Record<TryItem['outcome'], string> = {
  running: 'running',
  completed: 'done',
  failed: 'failed',
  released: 'given back: its worker stopped',
  lost: 'lost: its worker went away',
  cancelled: 'stopped',
};

/** An age in words: `4 s`, `2 min`, `3 h 5 min`, `2 days`. */
export const age = (seconds: number): string => {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 48 * 3600) {
    const [h, m] = [Math.floor(s / 3600), Math.floor((s % 3600) / 60)];
    return m === 0 ? `${h} h` : `${h} h ${m} min`;
  }
  return `${Math.floor(s / 86_400)} days`;
};
export const ageSince = (iso: string, now: string): string => age((Date.parse(now) - Date.parse(iso)) / 1000);

export type Bar = { readonly running: number; readonly waiting: number; readonly orphaned: number };
/**
 * Widths of a queue's bar in percent, measured by the fullest queue. Whatever is there is to be seen, however little.
 */
export const barOf = (queue: QueueItem, all: readonly QueueItem[]): Bar => {
  const longest = Math.max(10, ...all.map((q) => q.depth + q.reserved + q.orphaned));
  const share = (n: number): number => (n === 0 ? 0 : Math.max(1.5, (90 * n) / longest));
  return { running: share(queue.reserved), waiting: share(queue.depth), orphaned: share(queue.orphaned) };
};

/** One sentence for who cannot see the bar. */
export const queueWords = (queue: QueueItem): string => {
  const parts = [
    `${queue.depth.toLocaleString()} waiting`,
    `${queue.reserved.toLocaleString()} running`,
    ...(queue.orphaned > 0 ? [`${queue.orphaned.toLocaleString()} without their worker`] : []),
  ];
  return parts.join(', ');
};

/** One that ended in order is offline like one that died; what alarms is a task that still waits for it. */
export const standingOf = ({ state, doing }: Pick<WorkerItem, 'state' | 'doing'>): { words: string; color: string } => {
  if (state === 'offline') return { words: 'offline', color: doing.length > 0 ? 'red' : 'gray' };
  return doing.length > 0 ? { words: 'working', color: 'petrol' } : { words: 'idle', color: 'gray' };
};
