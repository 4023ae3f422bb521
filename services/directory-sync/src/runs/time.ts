import type { SyncRunReport } from '@overtone/contracts';
import type { Clock } from '@overtone/directory';
import { nextRuns } from '@overtone/jobs';
import type { Db } from '../database.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type LastSuccess = {
  /** End of the last successful sync run. */
  lastGoodAt: Date | null;
  /** Time since then by the monotonic clock, if it was made in this process. */
  countedMs: number | null;
  schedule: string;
};

/** A successful sync run verifies the clock until the next sync runs are due, with tolerance for a few failures. */
export function verifiedUntil({ lastGoodAt, countedMs, schedule }: LastSuccess): Date | null {
  if (!lastGoodAt) return null;
  if (countedMs !== null) return new Date(lastGoodAt.getTime() + countedMs + hourMs);
  const [first, second] = nextRuns(schedule, lastGoodAt, 2);
  const period = first && second ? second.getTime() - first.getTime() : dayMs;
  return new Date(lastGoodAt.getTime() + Math.max(7 * dayMs, 3 * period));
}

async function readLastGoodAt(db: Db): Promise<Date | null> {
  const where = { status: 'ok', finishedAt: { not: null } };
  return (await db.directoryPass.findFirst({ where, orderBy: { finishedAt: 'desc' } }))?.finishedAt ?? null;
}

/**
 * The time for decisions about accounts: the earlier of the local clock and the database's, with the time until which
 * it is verified. A clock that jumps ahead must not disable every account with an expiry date.
 */
export function createTime(db: Db) {
  let counted: { goodAt: number; since: number } | null = null;
  return {
    clock: async ({ schedule }: { schedule: string }): Promise<Clock> => {
      const [row] = await db.$queryRaw<{ now: Date }[]>`select now() as now`;
      const now = new Date(Math.min(Date.now(), row?.now.getTime() ?? Number.POSITIVE_INFINITY));
      const lastGoodAt = await readLastGoodAt(db);
      const measuredHere = counted !== null && counted.goodAt === lastGoodAt?.getTime();
      const countedMs = measuredHere && counted ? performance.now() - counted.since : null;
      return { now, vouched: verifiedUntil({ lastGoodAt, countedMs, schedule }) };
    },
    finished: ({ status, finished_at: at }: SyncRunReport): void => {
      if (status === 'ok' && at) counted = { goodAt: Date.parse(at), since: performance.now() };
    },
  };
}

export type RunClock = ReturnType<typeof createTime>;
