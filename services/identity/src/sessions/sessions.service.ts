import { randomUUID } from 'node:crypto';
import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { unauthenticated } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { AccessTokens } from './access-tokens.ts';
import { createGathering } from './gather.ts';
import type { Settings } from '../settings/settings.ts';
import { asRole, boundsOf, expiryOf, hashOf, isReplay, lifetimesOf, newRefreshToken, refusalOf } from './sessions.ts';
import type { Bounds, Issued, Lifetimes, Sessions } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';

const refused = () => unauthenticated('refresh_refused', 'The session has ended. Please sign in again.');

type Deps = { db: Db; outbox: Outbox; accessTokens: AccessTokens; settings: Settings };
type Family = { sessionId: string; sessionStartedAt: Date; absoluteExpiresAt: Date };

export const createSessions = ({ db, outbox, accessTokens, settings }: Deps): Sessions => {
  const lifetimes = (): Lifetimes => lifetimesOf(settings.current());
  const bounds = (): Bounds => boundsOf(new Date(), lifetimes());
  const gather = createGathering();
  const issue = async (tx: Tx, user: { id: string; role: string }, family: Family, client: Client): Promise<Issued> => {
    const now = new Date();
    const refreshToken = newRefreshToken();
    const expiresAt = expiryOf(now, family.absoluteExpiresAt, lifetimes());
    await sessionsStore.insert(tx, {
      ...family,
      userId: user.id,
      tokenHash: hashOf(refreshToken),
      createdAt: now,
      expiresAt,
      userAgent: client.userAgent,
      ipAddress: client.ip,
    });
    return {
      accessToken: accessTokens.sign({ userId: user.id, sessionId: family.sessionId, role: asRole(user.role) }),
      accessSeconds: accessTokens.lifetimeSeconds(),
      refreshToken,
      refreshSeconds: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)),
    };
  };

  const tellEnded = (tx: Tx, userId: string, sessionId: string | null, reason: string) =>
    outbox.add(tx, identityEvents.sessionRevoked, { userId, sessionId, reason });

  const endOne: Sessions['endOne'] = async (tx, userId, sessionId, reason) => {
    const ended = await sessionsStore.revoke(tx, { userId, sessionId });
    if (ended.length > 0) await tellEnded(tx, userId, sessionId, reason);
    return ended.length > 0;
  };

  /** Ends the whole family of a token that was used twice: one of the two users is not its owner. */
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
    throw refused();
  };

  return {
    open: (tx, user, client) => {
      const now = new Date();
      const absoluteExpiresAt = new Date(now.getTime() + lifetimes().absoluteSeconds * 1000);
      return issue(tx, user, { sessionId: randomUUID(), sessionStartedAt: now, absoluteExpiresAt }, client);
    },

    rotate: async (refreshToken, receivedAt, client) => {
      const tokenHash = hashOf(refreshToken);
      await gather(tokenHash);
      const issued = await db.$transaction(async (tx) => {
        const user = await sessionsStore.holderShared(tx, tokenHash);
        if (!user?.isActive) return undefined;
        const spent = await sessionsStore.spend(tx, tokenHash, new Date(), bounds());
        if (!spent) return undefined;
        const { sessionId, sessionStartedAt, absoluteExpiresAt } = spent;
        return issue(tx, user, { sessionId, sessionStartedAt, absoluteExpiresAt }, client);
      }, txOptions);
      return issued ?? refuseSpent(tokenHash, receivedAt, client);
    },

    endAll: async (tx, userId, reason, except) => {
      const ended = await sessionsStore.revoke(tx, { userId, ...(except ? { except } : {}) });
      if (!except && ended.length > 0) await tellEnded(tx, userId, null, reason);
      if (except) for (const sessionId of ended) await tellEnded(tx, userId, sessionId, reason);
      return ended.length;
    },

    endOne,

    alive: (userId) => sessionsStore.alive(db, userId, bounds()),

    resolve: async (accessToken) => {
      const claims = accessTokens.verify(accessToken);
      if (!claims) return null;
      const user = await sessionsStore.live(db, claims.sub, claims.sid, bounds());
      if (!user) return null;
      return {
        userId: claims.sub,
        sessionId: claims.sid,
        // The account's role counts, not the one in the token: a demotion works at once.
        role: asRole(user.role),
        refusal: refusalOf(user, new Date()),
        expiresAt: claims.exp * 1000,
      };
    },
  };
};
