/** Orders of one subject that ought to be on the bus, and how many messages it holds for them. */
export type SubjectCount = { subject: string; open: number; messages: number };

/**
 * Subjects of which the bus holds fewer messages than there are open orders: some were lost. Which ones cannot be told,
 * so all that wait long enough are put there again; one too many is dropped when it is claimed.
 */
export const shortSubjects = (counts: SubjectCount[]): string[] =>
  counts.filter((c) => c.messages < c.open).map((c) => c.subject);

/** How long an order may be on its way to the bus before its message counts as missing. */
export const messageGraceMs = 15_000;
/** After a pause in following the leases, workers need one renewal to be seen again. */
export const leaseGraceMs = 7_000;
/** After this a stored transcript that was not told of is asked for again. */
export const reminderMs = 60_000;

/** Whether leases have been followed long enough to conclude from the absence of one. */
export const canJudge = (followingSince: number | null, now: number): boolean =>
  followingSince !== null && now - followingSince >= leaseGraceMs;
