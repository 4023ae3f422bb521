import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { rateLimited, unauthenticated, type Log, type Part } from '@overtone/service-kit';
import { toAuditRow, writeAudit } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Pool, type Tx } from '../database.ts';
import type { AccessTokens } from './access-tokens.ts';
import { openSession } from './open-session.store.ts';
import { createRequestBatching } from './request-batching.ts';
import { createIssue, type Family } from './issue.ts';
import type { Settings } from '../live-settings.ts';
import type { SessionKeys } from './session-keys.ts';
import { asRole, boundsOf, isReplay, lifetimesOf, refusalOf, surplus } from './sessions.ts';
import type { Bounds, Lifetimes, Sessions } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';

type Deps = {
  db: Db;
  pool: Pool;
  outbox: Outbox;
  accessTokens: AccessTokens;
  keys: SessionKeys;
  settings: Settings;
  log: Log;
};

export function createSessions(deps: Deps): Sessions & { part: Part } {
  const { db, pool, outbox, accessTokens, keys, settings, log } = deps;
  const lifetimes = (): Lifetimes => lifetimesOf(settings.current());
  const bounds = (): Bounds => boundsOf(new Date(), lifetimes());
  const waitForBatch = createRequestBatching();
  const { newFamily, issue } = createIssue({ accessTokens, keys, lifetimes });
  const insert = async (tx: Tx, user: { id: string; role: string }, family: Family, client: Client) => {
    const { row, issued } = issue(user, family, client);
    await sessionsStore.insert(tx, row);
    return issued;
  };

  const publishRevoked = (tx: Tx, userId: string, sessionId: string, reason: string) =>
    outbox.add(tx, identityEvents.sessionRevoked, { userId, sessionId, reason });

  const closeOpen: Sessions['closeOpen'] = (tx, userIds, reason) => {
    const revocations = userIds.map((userId) => ({ userId, sessionId: null, reason }));
    return outbox.addAll(tx, identityEvents.sessionRevoked, revocations);
  };

  const endAllOf: Sessions['endAllOf'] = async (tx, userIds, reason) => {
    if (userIds.length === 0) return new Map();
    const ended = await sessionsStore.revokeAll(tx, userIds);
    await closeOpen(tx, [...ended.keys()], reason);
    return ended;
  };

  const endOne: Sessions['endOne'] = async (tx, userId, sessionId, reason) => {
    const ended = await sessionsStore.revoke(tx, { userId, sessionId });
    if (ended.length > 0) await publishRevoked(tx, userId, sessionId, reason);
    return ended.length > 0;
  };

  /** Ends the session of a refresh token that was used twice: one of the two clients is not the owner. */
  const refuseSpent = async (tokenHash: string, receivedAt: Date, client: Client): Promise<never> => {
    const row = await sessionsStore.byHash(db, tokenHash);
    if (row?.spentAt && !row.revokedAt && isReplay(row.spentAt, receivedAt)) {
      await db.$transaction(async (tx) => {
        if (!(await endOne(tx, row.userId, row.sessionId, 'refresh_token_reused'))) return;
        await writeAudit(tx, {
          event: 'auth.session.terminated',
          outcome: 'success',
          actor: 'refresh_token_reuse',
          userId: row.userId,
          errorCode: 'REFRESH_REUSED',
          client,
          details: { session: row.sessionId },
        });
      }, txOptions);
    }
    throw createRefreshRefused();
  };

  /** Ends the sessions of an account whose end date has passed: the next request has to sign in again. */
  const refuseExpired = async (userId: string, client: Client): Promise<never> => {
    await db.$transaction(async (tx) => {
      if (!(await sessionsStore.lockExpired(tx, userId))) return;
      const ended = (await endAllOf(tx, [userId], 'account_expired')).get(userId) ?? 0;
      if (ended === 0) return;
      await writeAudit(tx, {
        event: 'auth.session.terminated',
        outcome: 'success',
        actor: 'account_end_date',
        userId,
        client,
        details: { reason: 'account_expired', sessions_revoked: ended },
      });
    }, txOptions);
    throw createRefreshRefused();
  };

  /** Not in the transaction of the sign-in, which is rolled back; not awaited. */
  const auditSessionLimit = (userId: string, limit: number, client: Client): void => {
    const details = { limit };
    writeAudit(db, { event: 'auth.session.limit_exceeded', outcome: 'failure', userId, client, details }).catch(
      (err: unknown) => log.warn({ err: err as Error }, 'session limit audit record failed'),
    );
  };

  /** Ends the oldest sessions above the limit, or refuses the new one, depending on the settings. */
  const enforceSessionLimit = async (tx: Tx, userId: string, client: Client): Promise<void> => {
    const { max_concurrent_sessions: max, concurrent_session_policy: policy } = settings.current();
    if (max === 0) return;
    await sessionsStore.lockUser(tx, userId);
    const alive = await sessionsStore.alive(tx, userId, bounds());
    const over = surplus(alive.length, max);
    if (over === 0) return;
    if (policy === 'reject') {
      auditSessionLimit(userId, max, client);
      throw rateLimited('too_many_sessions', `This account has ${max} sessions already. Please end one of them first.`);
    }
    const oldest = alive.toSorted((a, b) => a.sessionStartedAt.getTime() - b.sessionStartedAt.getTime());
    for (const { sessionId } of oldest.slice(0, over)) await endOne(tx, userId, sessionId, 'too_many_sessions');
    await writeAudit(tx, {
      event: 'auth.session.limit_exceeded',
      outcome: 'success',
      userId,
      client,
      details: { limit: max, sessions_revoked: over },
    });
  };

  return {
    part: {
      name: 'sessions',
      // A new signing secret ends the sessions of the previous one, including their sockets.
      start: async () =>
        db.$transaction(async (tx) => {
          const ended = await sessionsStore.revokeOfOtherSecrets(tx, keys.secretId);
          await closeOpen(tx, ended, 'signing_secret_changed');
        }, txOptions),
      stop: async () => {},
    },

    open: async (tx, user, client) => {
      await enforceSessionLimit(tx, user.id, client);
      return insert(tx, user, newFamily(), client);
    },

    openSessionIfUnchanged: async ({ user, client, audit, forgives }) => {
      // With a session limit the account must be locked while its sessions are counted.
      if (settings.current().max_concurrent_sessions > 0) return undefined;
      const { row, issued } = issue(user, newFamily(), client);
      const entry = { stamp: user.stamp, token: row, audit: toAuditRow(audit), forgives };
      return (await openSession(pool, entry)) ? issued : undefined;
    },

    rotate: async (refreshToken, receivedAt, client) => {
      const tokenHash = keys.hashOf(refreshToken);
      await waitForBatch(tokenHash);
      let expired: string | undefined;
      const issued = await db.$transaction(async (tx) => {
        const user = await sessionsStore.lockTokenHolder(tx, tokenHash);
        if (!user?.isActive) return undefined;
        expired = user.expired ? user.id : undefined;
        if (expired) return undefined;
        const spent = await sessionsStore.spend(tx, tokenHash, new Date(), bounds());
        if (!spent) return undefined;
        const { sessionId, sessionStartedAt, absoluteExpiresAt } = spent;
        return insert(tx, user, { sessionId, sessionStartedAt, absoluteExpiresAt }, client);
      }, txOptions);
      if (expired) return refuseExpired(expired, client);
      return issued ?? refuseSpent(tokenHash, receivedAt, client);
    },

    endAllOf,

    endAll: async (tx, userId, reason, except) => {
      if (except === undefined) return (await endAllOf(tx, [userId], reason)).get(userId) ?? 0;
      const ended = await sessionsStore.revoke(tx, { userId, except });
      for (const sessionId of ended) await publishRevoked(tx, userId, sessionId, reason);
      return ended.length;
    },

    endOne,

    closeOpen,

    alive: (userId) => sessionsStore.alive(db, userId, bounds()),

    countOf: (authType) => sessionsStore.countOf(db, authType, bounds()),
    holdersOf: (authType, after, limit) => sessionsStore.holdersOf(db, authType, bounds(), { after, limit }),

    resolve: async (accessToken) => {
      const claims = accessTokens.verify(accessToken);
      if (!claims) return null;
      const user = await sessionsStore.live(db, claims.sub, claims.sid, bounds());
      if (!user) return null;
      return {
        userId: claims.sub,
        sessionId: claims.sid,
        // The role of the account, not of the token: a demotion is effective immediately.
        role: asRole(user.role),
        refusal: refusalOf(user, new Date(), settings.current()),
        expiresAt: claims.exp * 1000,
        csrfToken: keys.csrfOf(claims.sid),
      };
    },

    ownerOf: (refreshToken) => sessionsStore.byHash(db, keys.hashOf(refreshToken)),
    isCsrfOf: keys.isCsrfOf,
  };
}

function createRefreshRefused() {
  return unauthenticated('refresh_refused', 'The session has ended. Please sign in again.');
}
