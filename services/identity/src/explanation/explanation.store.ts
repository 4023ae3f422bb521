import type { Person } from '@overtone/directory';
import type { Db } from '../database.ts';
import type { User } from '../generated/client.ts';

type RefusedSignIn = {
  at: Date;
  code: string | null;
  method: string | null;
  detail: string | null;
  sourceIp: string | null;
};

export const explanationStore = {
  /** Finds the account of a directory entry by its strongest identifier, or of a login unknown to the directory by its local names. */
  account: async (db: Db, login: string, person: Person | null): Promise<User | null> => {
    const id = person?.immutableId ?? null;
    const named = person?.login ?? login;
    const rows = await db.$queryRaw<{ id: string }[]>`
      select uuid as id from "user"
      where directory_id = ${id} or lower(ldap_uid) in (lower(${named}), lower(${login}))
        or lower(email) in (lower(${person?.email ?? login}), lower(${login}))
      order by (directory_id = ${id}) desc nulls last, (lower(ldap_uid) = lower(${named})) desc nulls last
      limit 1`;
    return rows[0] ? db.user.findUnique({ where: { id: rows[0].id } }) : null;
  },

  /** The last refused sign-ins of an account, or of these names. */
  refusals: (db: Db, userId: string | null, names: readonly string[], atMost: number): Promise<RefusedSignIn[]> =>
    db.$queryRaw<RefusedSignIn[]>`
      select time as at, error_code as code, details ->> 'method' as method, details ->> 'reason' as detail,
             source_ip as "sourceIp"
      from audit_log
      where event_type = 'auth.login.failure' and (user_id = ${userId}::uuid or lower(username) = any(${names}::text[]))
      order by time desc limit ${atMost}`,

  /** Reason and evidence that the directory sync recorded when it disabled an account. */
  findSyncReason: async (db: Db, userId: string): Promise<Record<string, string>> => {
    const rows = await db.$queryRaw<{ time: Date; reason: string | null; evidence: Record<string, string> | null }[]>`
      select time, details ->> 'reason' as reason, details -> 'evidence' as evidence from audit_log
      where user_id = ${userId}::uuid and event_type = 'auth.account.disabled' and actor = 'directory_sync'
      order by time desc limit 1`;
    const [last] = rows;
    if (!last) return {};
    return {
      disabled_at: last.time.toISOString(),
      disabled_because: last.reason ?? 'not recorded',
      ...Object.fromEntries(Object.entries(last.evidence ?? {}).map(([key, value]) => [`then_${key}`, value])),
    };
  },
};
