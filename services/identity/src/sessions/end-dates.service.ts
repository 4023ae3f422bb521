import { ask, txOptions, type Db, type Pool } from '../database.ts';
import type { Sessions } from './sessions.ts';

type Deps = { db: Db; pool: Pool; sessions: Pick<Sessions, 'closeOpen'> };
type Ended = { id: string; endedAt: string };

/** How far back account ends are looked up: covers every connection that may still be open. */
const lookBackMs = 3_600_000;
/** A change of an end date may become visible a moment after the date itself. */
const overlapMs = 10_000;

/**
 * Closes what is open for an account at its end date: sockets, downloads, and the cached
 * sessions. The sessions themselves stay, and answer that the account has expired.
 */
export const createEndDates = ({ db, pool, sessions }: Deps) => {
  let lookedAt: number | undefined;
  let published = new Map<string, string>();

  const ended = (withinMs: number): Promise<Ended[]> => {
    const text = `
      select u.uuid as id, u.account_expires_at::text as "endedAt" from "user" u
      where u.account_expires_at > now() - make_interval(secs => $1::float8 / 1000) and u.account_expires_at <= now() and exists (
        select 1 from refresh_token r
        where r.user_id = u.uuid and r.revoked_at is null and r.spent_at is null and r.expires_at > now())`;
    return ask<Ended>(pool, { name: 'sessions: ended accounts', text, values: [withinMs] });
  };

  return {
    look: async (): Promise<void> => {
      const at = performance.now();
      const all = await ended(lookedAt === undefined ? lookBackMs : at - lookedAt + overlapMs);
      const news = all.filter(({ id, endedAt }) => published.get(id) !== endedAt);
      if (news.length > 0)
        await db.$transaction(
          (tx) =>
            sessions.closeOpen(
              tx,
              news.map((u) => u.id),
              'account_expired',
            ),
          txOptions,
        );
      published = new Map(all.map(({ id, endedAt }) => [id, endedAt]));
      lookedAt = at;
    },
  };
};
