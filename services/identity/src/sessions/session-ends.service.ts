import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Tx } from '../database.ts';
import type { Sessions } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';

export type SessionEnds = Pick<Sessions, 'closeOpen' | 'endAllOf' | 'endAll' | 'endOne'>;

/** Ends sessions, and publishes it. */
export function createSessionEnds({ outbox }: { outbox: Outbox }): SessionEnds {
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

  return {
    closeOpen,
    endAllOf,
    endAll: async (tx, userId, reason, except) => {
      if (except === undefined) return (await endAllOf(tx, [userId], reason)).get(userId) ?? 0;
      const ended = await sessionsStore.revoke(tx, { userId, except });
      for (const sessionId of ended) await publishRevoked(tx, userId, sessionId, reason);
      return ended.length;
    },
    endOne: async (tx, userId, sessionId, reason) => {
      const ended = await sessionsStore.revoke(tx, { userId, sessionId });
      if (ended.length > 0) await publishRevoked(tx, userId, sessionId, reason);
      return ended.length > 0;
    },
  };
}
