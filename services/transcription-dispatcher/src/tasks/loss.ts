import type { Task } from '../generated/client.ts';
import type { Lease } from '../workers/workers.ts';

/** A fresh claim counts as held for this long, because its lease may not be visible yet (`liveness` in the contracts). */
export const claimGraceMs = 10_000;

/**
 * Whether a worker still holds the task: by a valid lease under its current token, or by a claim so fresh that its lease
 * may not be visible yet. A lease under an older token belongs to a superseded claim and is ignored.
 */
export function isHeld(
  task: Pick<Task, 'token' | 'claimedAt'>,
  lease: Pick<Lease, 'token' | 'expiresAt'> | undefined,
  now: number,
): boolean {
  if (lease?.token === task.token && lease.expiresAt > now) return true;
  return task.claimedAt !== null && now - task.claimedAt.getTime() < claimGraceMs && lease?.token !== task.token;
}

/** Open tasks of one durable, waiting or running; each needs a job signal in the broker. */
export type OpenCount = { durable: string; open: number };

/**
 * Durables with fewer job signals than open tasks, and the number of missing ones. A signal may stand for any task, and a
 * worker acknowledges and drops a superfluous one.
 */
export function missingSignals(counts: OpenCount[], signals: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    counts
      .map(({ durable, open }) => [durable, open - (signals.get(durable) ?? 0)] as const)
      .filter(([, missing]) => missing > 0),
  );
}

/** A signal counts as missing when it was published longer ago than this. */
export const messageGraceMs = 15_000;
/** Time limit of a task as a multiple of its audio duration. */
const maxRealTimeFactor = 10;

/** A task's time limit: by its audio duration, at least `minSeconds`. */
function timeLimitMs(costSeconds: number, minSeconds: number): number {
  return 1_000 * Math.max(minSeconds, costSeconds * maxRealTimeFactor);
}

/**
 * Whether a worker has held a task beyond its time limit, counted from the claim: a task that waits for days is not stuck.
 */
export function isOverdue(task: { claimedAt: Date | null; costS: number }, minSeconds: number, now: number): boolean {
  return task.claimedAt !== null && now - task.claimedAt.getTime() > timeLimitMs(task.costS, minSeconds);
}
