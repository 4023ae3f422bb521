import type { Stage } from '@overtone/contracts';

/** 0: people wait for it; 1: as usual; 2: in the background. */
export type Priority = 0 | 1 | 2;

/** Nobody waits for the index of a transcript that can be read already. */
export const urgencyOf = (stage: Stage, run: Priority): Priority => (stage === 'index' ? lessUrgent(run) : run);
const lessUrgent = (p: Priority): Priority => (p === 0 ? 1 : 2);

/** How a new task finds the queue of its durable; every number is a rank, and a rank is seconds of work. */
export type Standing = {
  /** The highest among the tasks under way, else the lowest among those that wait, else 0: where the queue is now. */
  head: number;
  /** The last of the same owner's open tasks that are as urgent or more so; 0 when there is none. */
  own: number;
};

/** Counted for a task about whose work nothing is known. */
const usualSeconds = 60;
export const costOf = (audioSeconds: number | null): number => Math.max(1, audioSeconds ?? usualSeconds);

/**
 * A task's place among those of its durable and priority (start-time fair queueing): behind its owner's own, but never
 * behind what other owners have piled up, and never before what is under way. Whoever orders a thousand hours takes
 * turns with whoever orders one.
 * @param continues whether the task carries on a run: its owner has stood in the queue for it before.
 */
export const rankOf = ({ head, own }: Standing, cost: number, continues: boolean): number =>
  (continues ? head : Math.max(head, own)) + cost;

/** Before every rank: what comes back from a worker that died or stopped is next. */
export const front = { priority: 0, rank: 0 } as const;

/** After waiting so long a task is as urgent as those of the next priority. */
export const ageingMs = 10 * 60_000;
export const moreUrgent = (p: Priority): Priority => (p === 2 ? 1 : 0);
