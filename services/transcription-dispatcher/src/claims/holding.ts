/** A lease as read from the broker's bucket. */
export type ObservedLease = { worker: string; token: number; expiresAt: number };

export type ClaimedTask = { token: number; worker: string | null; claimedAt: Date | null };

/** A fresh claim counts as held for this long, because its lease may not be visible yet. */
export const claimGraceMs = 10_000;

/**
 * Whether a worker still holds the task: by a valid lease under its current token, or by a claim so fresh that its lease
 * may not be visible yet. A lease under an older token belongs to a superseded claim and is ignored.
 */
export function isHeld(task: ClaimedTask, lease: ObservedLease | undefined, now: number): boolean {
  if (lease?.token === task.token && lease.expiresAt > now) return true;
  return task.claimedAt !== null && now - task.claimedAt.getTime() < claimGraceMs && lease?.token !== task.token;
}
