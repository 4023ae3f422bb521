import type { AuthSettings } from '@overtone/contracts';
import { rateLimited, type Client, type Log } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { SessionEnds } from './session-ends.service.ts';
import { surplus, type Bounds } from './sessions.ts';
import { sessionsStore } from './sessions.store.ts';

type Deps = {
  db: Db;
  log: Log;
  settings: Settings<Pick<AuthSettings, 'max_concurrent_sessions' | 'concurrent_session_policy'>>;
  ends: SessionEnds;
  bounds: () => Bounds;
};

/** Ends the oldest sessions above the limit, or refuses the new one, depending on the settings. */
export function createSessionLimit({ db, log, settings, ends, bounds }: Deps) {
  /** Not in the transaction of the sign-in, which is rolled back; not awaited. */
  const auditRefusal = (userId: string, limit: number, client: Client): void => {
    const details = { limit };
    writeAudit(db, { event: 'auth.session.limit_exceeded', outcome: 'failure', userId, client, details }).catch(
      (err: unknown) => log.warn({ err: err as Error }, 'session limit audit record failed'),
    );
  };

  return async (tx: Tx, userId: string, client: Client): Promise<void> => {
    const { max_concurrent_sessions: max, concurrent_session_policy: policy } = settings.current();
    if (max === 0) return;
    await sessionsStore.lockUser(tx, userId);
    const alive = await sessionsStore.alive(tx, userId, bounds());
    const over = surplus(alive.length, max);
    if (over === 0) return;
    if (policy === 'reject') {
      auditRefusal(userId, max, client);
      throw rateLimited('too_many_sessions', `This account has ${max} sessions already. Please end one of them first.`);
    }
    const oldest = alive.toSorted((left, right) => left.sessionStartedAt.getTime() - right.sessionStartedAt.getTime());
    for (const { sessionId } of oldest.slice(0, over)) await ends.endOne(tx, userId, sessionId, 'too_many_sessions');
    const details = { limit: max, sessions_revoked: over };
    await writeAudit(tx, { event: 'auth.session.limit_exceeded', outcome: 'success', userId, client, details });
  };
}
