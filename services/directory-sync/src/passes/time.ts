import type { PassReport } from '@overtone/contracts';
import type { Clock } from '@overtone/directory';
import type { Db } from '../database.ts';
import { nextRuns } from '../schedule/schedule.ts';

const day = 24 * 3_600_000;
const hour = 3_600_000;

type Known = {
  /** When a pass last ended well. */
  lastGoodAt: Date | null;
  /** How long ago that was by a clock that nobody can set, where the same process has counted. */
  countedMs: number | null;
  schedule: string;
};

/** Every pass that ends well vouches for the clock until the next ones are due, with room for a few that fail. */
export const vouchedUntil = ({ lastGoodAt, countedMs, schedule }: Known): Date | null => {
  if (!lastGoodAt) return null;
  if (countedMs !== null) return new Date(lastGoodAt.getTime() + countedMs + hour);
  const [first, second] = nextRuns(schedule, lastGoodAt, 2);
  const period = first && second ? second.getTime() - first.getTime() : day;
  return new Date(lastGoodAt.getTime() + Math.max(7 * day, 3 * period));
};

const lastGood = async (db: Db): Promise<Date | null> => {
  const where = { status: 'ok', finishedAt: { not: null } };
  return (await db.directoryPass.findFirst({ where, orderBy: { finishedAt: 'desc' } }))?.finishedAt ?? null;
};

/**
 * What time it is, as far as that may decide about people: the earlier of our clock and the database's, with a note of
 * how far it can be vouched for. A clock that jumps ahead must not end the accounts of everybody who has an end date.
 */
export const createTime = (db: Db) => {
  let counted: { goodAt: number; since: number } | null = null;
  return {
    clock: async ({ schedule }: { schedule: string }): Promise<Clock> => {
      const [row] = await db.$queryRaw<{ now: Date }[]>`select now() as now`;
      const now = new Date(Math.min(Date.now(), row?.now.getTime() ?? Number.POSITIVE_INFINITY));
      const lastGoodAt = await lastGood(db);
      const mine = counted !== null && counted.goodAt === lastGoodAt?.getTime();
      const countedMs = mine && counted ? performance.now() - counted.since : null;
      return { now, vouched: vouchedUntil({ lastGoodAt, countedMs, schedule }) };
    },
    finished: ({ status, finished_at: at }: PassReport): void => {
      if (status === 'ok' && at) counted = { goodAt: Date.parse(at), since: performance.now() };
    },
  };
};
