import { queryPrepared } from '@overtone/database';
import type { Db, Pool, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { Settings } from '../live-settings.ts';
import {
  resetFailuresSql,
  isNameKey,
  lockoutRuleOf,
  nameKey,
  removeLockSql,
  type Lockout,
  type LockoutRule,
  type LockoutSettings,
} from './lockout.ts';
import { createExclusiveRuns } from './exclusive-runs.ts';

/** A lock that ended longer ago does not make the next one longer. */
const escalationWindow = Prisma.sql`interval '1 day'`;

/**
 * Counts failed sign-ins in the row of the account, so that all spellings of its name share one counter. A single
 * statement counts each attempt before the password is checked: a crash or a race can only make the lock stricter.
 * Names without an account have rows of their own.
 */
export function createLockout({
  db,
  pool,
  settings,
}: {
  db: Db;
  pool: Pool;
  settings: Settings<LockoutSettings>;
}): Lockout {
  // Clients have given up after this time; an unresponsive directory must not build up a queue.
  const runExclusively = createExclusiveRuns({ maxWaiting: 40, maxWaitMs: 15_000 });

  const set = async (key: string, values: Prisma.Sql, tx: Tx = db): Promise<void> =>
    void (isNameKey(key)
      ? await tx.$executeRaw`update login_lockout t set ${values} where login_key = ${key}`
      : await tx.$executeRaw`update "user" t set ${values} where uuid = ${key}::uuid`);

  const unlocked = (locks: boolean) => (locks ? Prisma.raw(`, ${removeLockSql}`) : Prisma.empty);

  return {
    reserve: async (key) => {
      const rule = lockoutRuleOf(settings.current());
      if (!rule) return { key, counted: false, locksAccount: false };
      const { text, values } = isNameKey(key) ? countName(key, rule) : countAccount(key, rule);
      const name = isNameKey(key) ? 'lockout: count name' : 'lockout: count account';
      const [row] = await queryPrepared<{ locks: boolean }>(pool, { name, text, values });
      return row ? { key, counted: true, locksAccount: row.locks } : null;
    },

    clear: ({ key, locksAccount }, tx) => set(key, Prisma.raw(resetFailuresSql(locksAccount)), tx),

    release: async ({ key, counted: wasCounted, locksAccount }) => {
      if (!wasCounted) return;
      const before = locksAccount ? (lockoutRuleOf(settings.current())?.threshold ?? 1) - 1 : null;
      await set(
        key,
        Prisma.sql`failed_logins = coalesce(${before}::int, greatest(t.failed_logins - 1, 0))${unlocked(locksAccount)}`,
      );
    },

    runExclusively,
    unlock: (userId, tx) => (tx ? unlock(tx, userId) : db.$transaction((own) => unlock(own, userId))),
    deleteOld: async () =>
      void (await db.$executeRaw`
        delete from login_lockout
        where updated_at < now() - ${escalationWindow} and (locked_until is null or locked_until < now() - ${escalationWindow})`),
  };
}

function countName(key: string, rule: LockoutRule) {
  return Prisma.sql`
  insert into login_lockout as t (login_key, failed_logins, lockouts, locked_until)
  values (${key}, case when ${rule.threshold} = 1 then 0 else 1 end, case when ${rule.threshold} = 1 then 1 else 0 end,
          case when ${rule.threshold} = 1 then now() + make_interval(mins => ${rule.minutes[0]}::int) end)
  on conflict (login_key) do update set updated_at = now(), ${countAttempt(rule)}
  returning coalesce(t.locked_until > now(), false) as locks`;
}

/** Does not wait for the disk: the result of the attempt is committed before the response, which flushes this write too. */
function countAccount(userId: string, rule: LockoutRule) {
  return Prisma.sql`
  with hasty as materialized (select set_config('synchronous_commit', 'off', true))
  update "user" t set ${countAttempt(rule, Prisma.sql`from hasty`)} and t.uuid = ${userId}::uuid
  returning coalesce(t.locked_until > now(), false) as locks`;
}

function countAttempt({ threshold, minutes }: LockoutRule, from = Prisma.empty) {
  return Prisma.sql`
  failed_logins = case when t.failed_logins + 1 >= ${threshold} then 0 else t.failed_logins + 1 end,
  lockouts = case when t.failed_logins + 1 < ${threshold} then t.lockouts
                  when t.locked_until < now() - ${escalationWindow} then 1
                  else t.lockouts + 1 end,
  locked_until = case when t.failed_logins + 1 < ${threshold} then t.locked_until
                      when t.locked_until < now() - ${escalationWindow} then now() + make_interval(mins => ${minutes[0]}::int)
                      else now() + make_interval(mins => (${minutes}::int[])[least(t.lockouts + 1, ${minutes.length}::int)]) end
  ${from}
  where (t.locked_until is null or t.locked_until <= now())`;
}

async function unlock(tx: Tx, userId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ locked: boolean; email: string; ldapUid: string | null }[]>`
    update "user" t set failed_logins = 0, lockouts = 0, locked_until = null
    from (select uuid, locked_until from "user" where uuid = ${userId}::uuid for update) before
    where t.uuid = before.uuid
    returning coalesce(before.locked_until > now(), false) as locked, t.email, t.ldap_uid as "ldapUid"`;
  const row = rows[0];
  if (!row) return false;
  // Counted before the account was created.
  const names = [row.email, row.ldapUid ?? row.email].map(nameKey);
  await tx.loginLockout.deleteMany({ where: { loginKey: { in: names } } });
  return row.locked;
}
