import type { Outbox } from '@overtone/database';
import { conflict } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { User } from '../generated/client.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { withLockedAccount, publishUserUpdated, type UserWithGroups, type RequestContext } from '../users/users.ts';
import { approvalsStore } from './approvals.store.ts';

type Deps = { db: Db; outbox: Outbox; sessions: Sessions };

/** The queue of accounts that wait for an administrator. */
export function createApprovals({ db, outbox, sessions }: Deps) {
  const decided = (user: User | undefined): User => {
    if (!user) throw conflict('approval_not_pending', 'This account does not wait for approval');
    return user;
  };

  return {
    waiting: (page: number, size: number): Promise<{ users: UserWithGroups[]; total: number }> =>
      approvalsStore.waiting(db, page, size),

    /** Approves an account: its existing sessions work from the next request on. */
    approve: (id: string, context: RequestContext): Promise<User> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { actor, recordEvent }) => {
        const user = decided(await approvalsStore.approve(tx, id, actor.id));
        await publishUserUpdated(outbox, tx, user);
        await recordEvent('admin.user.approve');
        return user;
      }),

    reject: (id: string, reason: string, context: RequestContext): Promise<User> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { recordEvent }) => {
        const user = decided(await approvalsStore.reject(tx, id, reason));
        await sessions.endAll(tx, id, 'account_rejected');
        await publishUserUpdated(outbox, tx, user);
        await recordEvent('admin.user.reject', reason ? { reason } : {});
        return user;
      }),
  };
}
