import { notFound, type Caller, type Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { Sessions } from './sessions.ts';

/** Ends sessions for their owner, and audits it. */
export function createSignOut({ db, sessions }: { db: Db; sessions: Sessions }) {
  return {
    /** Ends a session, unless it has ended already. */
    signOut: ({ userId, sessionId }: Pick<Caller, 'userId' | 'sessionId'>, client: Client): Promise<void> =>
      db.$transaction(async (tx) => {
        if (await sessions.endOne(tx, userId, sessionId, 'logout'))
          await writeAudit(tx, { event: 'auth.logout', outcome: 'success', userId, client });
      }),

    /** @returns how many sessions ended. */
    signOutEverywhere: (userId: string, client: Client): Promise<number> =>
      db.$transaction(async (tx) => {
        const ended = await sessions.endAll(tx, userId, 'logout_all');
        const details = { sessions_revoked: ended };
        await writeAudit(tx, { event: 'auth.logout.all', outcome: 'success', userId, client, details });
        return ended;
      }),

    /** @throws AppError not_found. */
    endOwnSession: (userId: string, session: string, client: Client): Promise<void> =>
      db.$transaction(async (tx) => {
        if (!(await sessions.endOne(tx, userId, session, 'ended_by_user'))) throw notFound('There is no such session');
        const details = { session };
        await writeAudit(tx, { event: 'auth.session.terminated', outcome: 'success', userId, client, details });
      }),
  };
}

export type SignOut = ReturnType<typeof createSignOut>;
