import { randomUUID } from 'node:crypto';
import type { Client } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import type { RefreshToken } from '../generated/client.ts';
import { asRole, expiryOf, newRefreshToken, type Lifetimes } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';
import type { Issued } from './token-cookies.ts';
import type { AccessTokens, SessionKeys } from './tokens.ts';

type Family = { sessionId: string; sessionStartedAt: Date; absoluteExpiresAt: Date };
type Owner = { id: string; role: string };
export type TokenRow = Omit<RefreshToken, 'id' | 'spentAt' | 'revokedAt'>;
type Deps = { accessTokens: AccessTokens; keys: SessionKeys; lifetimes: () => Lifetimes };

/** Creates the tokens of a session, and the row that makes them valid. */
export function createIssue({ accessTokens, keys, lifetimes }: Deps) {
  const tokensOf = (user: Owner, family: Family, client: Client): { row: TokenRow; issued: Issued } => {
    const now = new Date();
    const refreshToken = newRefreshToken();
    const expiresAt = expiryOf(now, family.absoluteExpiresAt, lifetimes());
    const row = {
      ...family,
      userId: user.id,
      tokenHash: keys.hashOf(refreshToken),
      secretId: keys.secretId,
      createdAt: now,
      expiresAt,
      userAgent: client.userAgent,
      ipAddress: client.ip,
    };
    const issued = {
      accessToken: accessTokens.sign({ userId: user.id, sessionId: family.sessionId, role: asRole(user.role) }),
      accessSeconds: accessTokens.lifetimeSeconds(),
      refreshToken,
      refreshSeconds: Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1000)),
      csrfToken: keys.csrfOf(family.sessionId),
    };
    return { row, issued };
  };

  return {
    tokensOf,
    newFamily: (): Family => {
      const now = new Date();
      const absoluteExpiresAt = new Date(now.getTime() + lifetimes().absoluteSeconds * 1000);
      return { sessionId: randomUUID(), sessionStartedAt: now, absoluteExpiresAt };
    },
    insert: async (tx: Tx, user: Owner, family: Family, client: Client): Promise<Issued> => {
      const { row, issued } = tokensOf(user, family, client);
      await sessionsStore.insert(tx, row);
      return issued;
    },
  };
}

export type Issue = ReturnType<typeof createIssue>;
