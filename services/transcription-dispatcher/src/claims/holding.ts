/** A lease as the broker's bucket shows it. */
export type SeenLease = { worker: string; token: number; expiresAt: number };

export type HeldTask = { token: number; worker: string | null; claimedAt: Date | null };

/** A fresh claim's lease may not have been seen yet; meanwhile the claim itself counts as a sign of life. */
export const claimGraceMs = 10_000;

/**
 * Whether somebody is still working on a task: a lease under its current token that has not run out, or a claim so
 * fresh that its lease may still be on its way. A lease under an older token is a ghost's and counts for nothing.
 */
export const isHeld = (task: HeldTask, lease: SeenLease | undefined, now: number): boolean => {
  if (lease?.token === task.token && lease.expiresAt > now) return true;
  return task.claimedAt !== null && now - task.claimedAt.getTime() < claimGraceMs && lease?.token !== task.token;
};
