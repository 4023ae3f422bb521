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

/** A question that was answered is not asked again within this time; two messages of one task may be. */
const sameWorkerGraceMs = 2_000;

/**
 * Whether a claim must wait. A worker that asks again for what it holds without a lease never got the first answer:
 * it may have it, once it is clear that it is not the twin of a claim it is just beginning to work on.
 */
export const mustWait = (task: HeldTask, asking: string, lease: SeenLease | undefined, now: number): boolean => {
  if (lease?.token === task.token && lease.expiresAt > now) return true;
  if (task.worker !== asking) return isHeld(task, lease, now);
  return task.claimedAt !== null && now - task.claimedAt.getTime() < sameWorkerGraceMs;
};
