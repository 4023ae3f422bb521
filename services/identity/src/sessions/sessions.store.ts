import type { Db, Tx } from '../database.ts';
import { Prisma, type RefreshToken } from '../generated/client.ts';
import type { Bounds, Lifecycle } from './sessions.ts';

type TokenHolder = { id: string; role: string; isActive: boolean; expired: boolean };
export type LiveSession = Lifecycle & { role: string };

function within({ startedAfter, refreshedAfter }: Bounds) {
  return {
    sessionStartedAt: { gt: startedAfter },
    createdAt: { gt: refreshedAfter },
  };
}

/** The same in SQL, with the conditions for token `r` to be the current one of its session. */
function aliveIn({ startedAfter, refreshedAfter }: Bounds): Prisma.Sql {
  return Prisma.sql`
  r.revoked_at is null and r.spent_at is null and r.expires_at > now()
  and r.session_started_at > ${startedAfter} and r.created_at > ${refreshedAfter}`;
}

export const sessionsStore = {
  insert: async (tx: Tx, row: Omit<RefreshToken, 'id' | 'spentAt' | 'revokedAt'>): Promise<void> =>
    void (await tx.refreshToken.create({ data: row })),

  /**
   * Finds the owner of a token and locks the account against `revoke`: a session that is renewed and ended concurrently
   * leaves no valid token.
   */
  lockTokenHolder: async (tx: Tx, tokenHash: string): Promise<TokenHolder | undefined> => {
    const rows = await tx.$queryRaw<TokenHolder[]>`
      select uuid as id, role, is_active as "isActive", coalesce(account_expires_at <= now(), false) as expired from "user"
      where uuid = (select user_id from refresh_token where token_hash = ${tokenHash}) for share`;
    return rows[0];
  },

  /** Spends a token; of concurrent callers exactly one succeeds. */
  spend: async (tx: Tx, tokenHash: string, now: Date, bounds: Bounds): Promise<RefreshToken | undefined> => {
    const rows = await tx.refreshToken.updateManyAndReturn({
      where: { tokenHash, spentAt: null, revokedAt: null, expiresAt: { gt: now }, ...within(bounds) },
      data: { spentAt: now },
    });
    return rows[0];
  },
  byHash: (db: Db | Tx, tokenHash: string): Promise<RefreshToken | null> =>
    db.refreshToken.findUnique({ where: { tokenHash } }),

  /** Revokes the active sessions of a user. @returns their ids. */
  revoke: async (tx: Tx, where: { userId: string; sessionId?: string; except?: string }): Promise<string[]> => {
    const { userId, sessionId, except } = where;
    await tx.$queryRaw`select 1 from "user" where uuid = ${userId}::uuid for update`;
    const rows = await tx.refreshToken.updateManyAndReturn({
      where: {
        userId,
        revokedAt: null,
        ...(sessionId ? { sessionId } : {}),
        ...(except ? { sessionId: { not: except } } : {}),
      },
      data: { revokedAt: new Date() },
      select: { sessionId: true, spentAt: true, expiresAt: true },
    });
    const alive = rows.filter((row) => row.spentAt === null && row.expiresAt > new Date());
    return [...new Set(alive.map((row) => row.sessionId))];
  },

  /** Revokes every session of these accounts, locked in a fixed order. @returns how many were active, for accounts that had any. */
  revokeAll: async (tx: Tx, userIds: readonly string[]): Promise<Map<string, number>> => {
    await tx.$queryRaw`select 1 from "user" where uuid = any(${userIds}::uuid[]) order by uuid for update`;
    const rows = await tx.$queryRaw<{ userId: string; ended: number }[]>`
      with ended as (
        update refresh_token set revoked_at = now()
        where user_id = any(${userIds}::uuid[]) and revoked_at is null
        returning user_id, session_id, spent_at is null and expires_at > now() as alive)
      select user_id as "userId", count(distinct session_id)::int as ended from ended where alive group by user_id`;
    return new Map(rows.map((row) => [row.userId, row.ended]));
  },

  /** Locks an account: no other session of it can begin or end until the transaction ends. */
  lockUser: async (tx: Tx, userId: string): Promise<void> =>
    void (await tx.$queryRaw`select 1 from "user" where uuid = ${userId}::uuid for update`),

  /** The same for an account whose end date has passed. @returns false for every other account. */
  lockExpired: async (tx: Tx, userId: string): Promise<boolean> =>
    (
      await tx.$queryRaw<unknown[]>`
        select 1 from "user" where uuid = ${userId}::uuid and account_expires_at <= now() for update`
    ).length > 0,

  /** Revokes the sessions of other signing secrets. @returns the ids of their users. */
  revokeOfOtherSecrets: async (tx: Tx, secretId: string): Promise<string[]> => {
    const rows = await tx.$queryRaw<{ userId: string }[]>`
      with ended as (
        update refresh_token set revoked_at = now()
        where revoked_at is null and secret_id <> ${secretId} returning user_id, spent_at, expires_at)
      select distinct user_id as "userId" from ended where spent_at is null and expires_at > now()`;
    return rows.map((row) => row.userId);
  },

  alive: (db: Db | Tx, userId: string, bounds: Bounds): Promise<RefreshToken[]> =>
    db.refreshToken.findMany({
      where: { userId, spentAt: null, revokedAt: null, expiresAt: { gt: new Date() }, ...within(bounds) },
      orderBy: { createdAt: 'desc' },
    }),

  countOf: async (db: Db, authType: string, bounds: Bounds): Promise<{ accounts: number; sessions: number }> => {
    const rows = await db.$queryRaw<{ accounts: number; sessions: number }[]>`
      select count(distinct r.user_id)::int as accounts, count(distinct r.session_id)::int as sessions
      from refresh_token r join "user" u on u.uuid = r.user_id
      where u.auth_type = ${authType} and ${aliveIn(bounds)}`;
    return rows[0] ?? { accounts: 0, sessions: 0 };
  },
  holdersOf: (
    db: Db,
    authType: string,
    bounds: Bounds,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<{ userId: string; email: string }[]> => db.$queryRaw`
    select u.uuid as "userId", u.email from "user" u
    where u.auth_type = ${authType} and u.uuid > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid
      and exists (select 1 from refresh_token r where r.user_id = u.uuid and ${aliveIn(bounds)})
    order by u.uuid limit ${limit}`,

  /** The account behind a session, when the session is alive. */
  live: async (db: Db, userId: string, sessionId: string, bounds: Bounds): Promise<LiveSession | undefined> => {
    const rows = await db.$queryRaw<LiveSession[]>`
      select u.role, u.is_active as "isActive", u.approval_status as "approvalStatus",
             u.account_expires_at as "accountExpiresAt", u.must_change_password as "mustChangePassword",
             u.auth_type as "authType", u.allow_local_fallback as "allowLocalFallback",
             u.password_changed_at as "passwordChangedAt", u.created_at as "createdAt",
             u.password_hash is not null as "hasPassword"
      from "user" u
      where u.uuid = ${userId}::uuid and exists (
        select 1 from refresh_token r
        where r.session_id = ${sessionId}::uuid and r.user_id = u.uuid and ${aliveIn(bounds)})`;
    return rows[0];
  },

  /** Deletes tokens that are no longer needed, not even to detect a replay. */
  deleteOld: async (db: Db): Promise<number> =>
    (await db.refreshToken.deleteMany({ where: { absoluteExpiresAt: { lt: new Date() } } })).count,
};
