import { unauthenticated, type Client } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Issue } from './issue.ts';
import { createRequestBatching } from './request-batching.ts';
import type { SessionEnds } from './session-ends.service.ts';
import { isReplay, type Bounds, type Sessions } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';
import type { SessionKeys } from './tokens.ts';

type Deps = { db: Db; keys: SessionKeys; issue: Issue; ends: SessionEnds; bounds: () => Bounds };

/** Exchanges a refresh token for the next one of its session. */
export function createRefresh({ db, keys, issue, ends, bounds }: Deps): Sessions['rotate'] {
  const waitForBatch = createRequestBatching();

  /** Ends the session of a refresh token that was used twice: one of the two clients is not the owner. */
  const endReplayed = async (tokenHash: string, receivedAt: Date, client: Client): Promise<void> => {
    const row = await sessionsStore.byHash(db, tokenHash);
    if (!row?.spentAt || row.revokedAt || !isReplay(row.spentAt, receivedAt)) return;
    const { userId, sessionId } = row;
    await db.$transaction(async (tx) => {
      if (!(await ends.endOne(tx, userId, sessionId, 'refresh_token_reused'))) return;
      const by = { actor: 'refresh_token_reuse', errorCode: 'REFRESH_REUSED' } as const;
      await auditEnd(tx, { ...by, userId, client, details: { session: sessionId } });
    });
  };

  /** Ends the sessions of an account whose end date has passed: the next request has to sign in again. */
  const endExpired = (userId: string, client: Client): Promise<void> =>
    db.$transaction(async (tx) => {
      if (!(await sessionsStore.lockExpired(tx, userId))) return;
      const ended = await ends.endAll(tx, userId, 'account_expired');
      if (ended === 0) return;
      const details = { reason: 'account_expired', sessions_revoked: ended };
      await auditEnd(tx, { actor: 'account_end_date', userId, client, details });
    });

  return async (refreshToken, receivedAt, client) => {
    const tokenHash = keys.hashOf(refreshToken);
    await waitForBatch(tokenHash);
    const { issued, expiredUserId } = await db.$transaction(async (tx) => {
      const user = await sessionsStore.lockTokenHolder(tx, tokenHash);
      if (!user?.isActive) return {};
      if (user.expired) return { expiredUserId: user.id };
      const spent = await sessionsStore.spend(tx, tokenHash, new Date(), bounds());
      if (!spent) return {};
      const { sessionId, sessionStartedAt, absoluteExpiresAt } = spent;
      return { issued: await issue.insert(tx, user, { sessionId, sessionStartedAt, absoluteExpiresAt }, client) };
    });
    if (issued) return issued;
    if (expiredUserId) await endExpired(expiredUserId, client);
    else await endReplayed(tokenHash, receivedAt, client);
    throw unauthenticated('refresh_refused', 'The session has ended. Please sign in again.');
  };
}

function auditEnd(tx: Tx, record: Omit<AuditRecord, 'event' | 'outcome'>): Promise<void> {
  return writeAudit(tx, { event: 'auth.session.terminated', outcome: 'success', ...record });
}
