import { queryPrepared } from '@overtone/database';
import type { Db, Pool } from '../database.ts';
import type { Sessions } from './sessions.ts';

type Deps = { db: Db; pool: Pool; sessions: Pick<Sessions, 'closeOpen'> };
type ExpiredAccount = { id: string; endedAt: string };

/** The first search goes back this far: no connection stays open longer. */
const lookBackMs = 3_600_000;
/** A change of an end date may be committed after the date itself. */
const overlapMs = 10_000;

/**
 * Closes the sockets and downloads of an account at its end date, and invalidates its cached sessions. The sessions
 * themselves remain; their requests are refused because the account has expired.
 */
export function createEndDates({ db, pool, sessions }: Deps) {
  let searchedAt: number | undefined;
  let published = new Map<string, string>();

  const findExpired = (withinMs: number): Promise<ExpiredAccount[]> => {
    const text = `
      select u.uuid as id, u.account_expires_at::text as "endedAt" from "user" u
      where u.account_expires_at > now() - make_interval(secs => $1::float8 / 1000) and u.account_expires_at <= now() and exists (
        select 1 from refresh_token r
        where r.user_id = u.uuid and r.revoked_at is null and r.spent_at is null and r.expires_at > now())`;
    return queryPrepared<ExpiredAccount>(pool, { name: 'sessions: expired accounts', text, values: [withinMs] });
  };

  return {
    closeExpired: async (): Promise<void> => {
      const at = performance.now();
      const all = await findExpired(searchedAt === undefined ? lookBackMs : at - searchedAt + overlapMs);
      const unpublished = all.filter(({ id, endedAt }) => published.get(id) !== endedAt);
      if (unpublished.length > 0)
        await db.$transaction((tx) =>
          sessions.closeOpen(
            tx,
            unpublished.map((user) => user.id),
            'account_expired',
          ),
        );
      published = new Map(all.map(({ id, endedAt }) => [id, endedAt]));
      searchedAt = at;
    },

    /** The next end date of an account. */
    nextEnd: async (): Promise<Date | null> => {
      const text = `
        select (extract(epoch from min(account_expires_at) - now()) * 1000)::float8 as "inMs" from "user"
        where account_expires_at > now()`;
      const [row] = await queryPrepared<{ inMs: number | null }>(pool, {
        name: 'sessions: next end date',
        text,
        values: [],
      });
      const inMs = row?.inMs ?? null;
      return inMs === null ? null : new Date(Date.now() + inMs);
    },
  };
}
