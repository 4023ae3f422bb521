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
/** After an interruption of the lease watch, each worker must renew once to be visible again. */
export const leaseGraceMs = 7_000;
/** Media must report the stored transcript within this time, else `stage.completed` is published again. */
export const reminderMs = 60_000;

/** The same for heartbeats, which are sent every second. */
export const heartbeatGraceMs = 3_000;
/** Whether the watch of leases or heartbeats has lasted long enough that a missing entry means a dead worker. */
export function isWatchSettled(watchingSince: number | null, now: number, graceMs = leaseGraceMs): boolean {
  return watchingSince !== null && now - watchingSince >= graceMs;
}

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
