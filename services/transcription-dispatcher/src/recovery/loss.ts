/** Orders of one durable that ought to have tickets: those that wait, and those under way, whose holders have them. */
export type OpenCount = { durable: string; open: number };

/**
 * Durables with fewer tickets than open orders, and how many were lost. Which order a ticket was made for does not
 * matter, and one too many is let go of by whoever gets it.
 */
export const missingTickets = (counts: OpenCount[], tickets: ReadonlyMap<string, number>): Map<string, number> =>
  new Map(
    counts
      .map(({ durable, open }) => [durable, open - (tickets.get(durable) ?? 0)] as const)
      .filter(([, missing]) => missing > 0),
  );

/** How long an order may be on its way to the bus before its message counts as missing. */
export const messageGraceMs = 15_000;
/** After a pause in following the leases, workers need one renewal to be seen again. */
export const leaseGraceMs = 7_000;
/** After this a stored transcript that was not told of is asked for again. */
export const reminderMs = 60_000;

/** The same for heartbeats, which come every second. */
export const heartbeatGraceMs = 3_000;
/** Whether leases, or heartbeats, have been followed long enough to conclude from the absence of one. */
export const canJudge = (followingSince: number | null, now: number, graceMs = leaseGraceMs): boolean =>
  followingSince !== null && now - followingSince >= graceMs;

/** Work on a recording may take so many times its length; nothing real is slower. */
const slowest = 10;

/** How long a task may be worked on: by the length of its audio, and never less than `floorSeconds`. */
const longestMs = (costSeconds: number, floorSeconds: number): number =>
  1_000 * Math.max(floorSeconds, costSeconds * slowest);

/**
 * Whether a worker has had a task for too long. Counted from when it began: a task that waits, for hours or days, is not
 * stuck.
 */
export const isOverdue = (
  task: { claimedAt: Date | null; costS: number },
  floorSeconds: number,
  now: number,
): boolean => task.claimedAt !== null && now - task.claimedAt.getTime() > longestMs(task.costS, floorSeconds);
