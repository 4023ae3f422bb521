import type { Db } from '../database.ts';
import { lockMinutes, threshold, type Lockout } from './lockout.ts';

/**
 * The lockout budget stands on the account's row, so every spelling of its name shares one, and it is taken by one
 * statement before the password is looked at: a crash or a race can only make it stricter.
 */
export const createLockout = ({ db }: { db: Db }): Lockout => {
  const queues = new Map<string, Promise<unknown>>();
  return {
    begin: async (userId) => {
      const rows = await db.$queryRaw<{ locks: boolean }[]>`
        update "user" set
          failed_logins = case when failed_logins + 1 >= ${threshold} then 0 else failed_logins + 1 end,
          lockouts = case when failed_logins + 1 < ${threshold} then lockouts
                          when locked_until < now() - interval '1 day' then 1
                          else lockouts + 1 end,
          locked_until = case when failed_logins + 1 < ${threshold} then locked_until
                              when locked_until < now() - interval '1 day' then now() + make_interval(mins => ${lockMinutes[0]}::int)
                              else now() + make_interval(mins => (${[...lockMinutes]}::int[])[least(lockouts + 1, ${lockMinutes.length}::int)]) end
        where uuid = ${userId}::uuid and (locked_until is null or locked_until <= now())
        returning coalesce(locked_until > now(), false) as locks`;
      const row = rows[0];
      return row ? { userId, locksAccount: row.locks } : null;
    },
    succeed: async ({ userId, locksAccount }) => {
      await db.user.updateMany({
        where: { id: userId },
        data: {
          failedLogins: 0,
          ...(locksAccount ? { lockedUntil: null, lockouts: { decrement: 1 } } : {}),
        },
      });
    },
    oneAtATime: async (userId, work) => {
      const before = queues.get(userId) ?? Promise.resolve();
      const mine = before.catch(() => {}).then(work);
      queues.set(userId, mine);
      try {
        return await mine;
      } finally {
        if (queues.get(userId) === mine) queues.delete(userId);
      }
    },
  };
};
