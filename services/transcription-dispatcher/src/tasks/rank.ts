import type { Stage } from '@overtone/contracts';
import type { Priority } from '../runs/runs.ts';

/** Indexing is less urgent, because the transcript is readable already. */
export function urgencyOf(stage: Stage, run: Priority): Priority {
  return stage === 'index' ? lessUrgent(run) : run;
}

function lessUrgent(priority: Priority): Priority {
  return priority === 0 ? 1 : 2;
}

/** Ranks that a new task's rank is computed from. A rank is seconds of work. */
export type QueuePosition = {
  /** The highest rank of the running tasks, else the lowest of the waiting ones, else 0. */
  head: number;
  /** The highest rank of the owner's open tasks of the same or a more urgent priority; 0 without any. */
  own: number;
};

/** Cost of a task of unknown duration. */
const defaultSeconds = 60;

export function costOf(audioSeconds: number | null): number {
  return Math.max(1, audioSeconds ?? defaultSeconds);
}

/**
 * A task's rank among those of its durable and priority (start-time fair queueing): behind the owner's own tasks and the
 * running ones, not behind other owners' backlogs. An owner with a thousand hours takes turns with an owner with one.
 * @param continues whether the run has waited in this queue before; its next stage does not wait behind the owner's tasks.
 */
export function rankOf({ head, own }: QueuePosition, cost: number, continues: boolean): number {
  return (continues ? head : Math.max(head, own)) + cost;
}

/** Ahead of every rank: for tasks of a worker that died or stopped. */
export const front = { priority: 0, rank: 0 } as const;

/** After this wait a task moves to the next priority. */
export const ageingMs = 10 * 60_000;

export function moreUrgent(priority: Priority): Priority {
  return priority === 2 ? 1 : 0;
}
