import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { RefreshToken } from '../generated/client.ts';
import { invitationsStore } from '../invitations/invitations.store.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { NewPasswords } from '../passwords/passwords.ts';
import { mayUseLocalPassword } from '../provisioning/provisioning.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { withLockedAccount, publishUserUpdated } from './account-changes.service.ts';
import {
  checkMayResetPassword,
  checkNotLastSuperAdmin,
  checkNotOwn,
  checkReach,
  type LockedAccount,
  type RequestContext,
} from './rules.ts';
import { usersStore } from './users.store.ts';

type Deps = { db: Db; outbox: Outbox; lockout: Lockout; newPasswords: NewPasswords; sessions: Sessions };

/** Grants and revokes rights and sessions. */
export function createPrivileges(deps: Deps) {
  return { ...createRights(deps), ...createPasswordResets(deps), ...createSessionAdministration(deps) };
}

function createRights({ db, outbox, sessions }: Pick<Deps, 'db' | 'outbox' | 'sessions'>) {
  return {
    changeRole: (id: string, role: Role, context: RequestContext): Promise<{ old: Role }> =>
      withLockedAccount(
        db,
        { context, targetId: id, needed: 'super_admin', superAdmins: true },
        async (tx, accounts) => {
          const { actor, target, superAdmins, recordEvent } = accounts;
          checkNotOwn(actor, target, 'change your own role');
          const old = target.role as Role;
          if (old === role) return { old };
          if (old === 'super_admin') checkNotLastSuperAdmin(superAdmins, target);
          const user = await usersStore.update(tx, id, { role });
          await invitationsStore.withdraw(tx, id);
          const ended = await sessions.endAll(tx, id, 'role_changed');
          await outbox.add(tx, identityEvents.roleChanged, { userId: id, from: old, to: role, actor: actor.id });
          await publishUserUpdated(outbox, tx, user);
          await recordEvent('admin.role.change', { from: old, to: role, sessions_revoked: ended });
          return { old };
        },
      ),

    /** Deletes an account; services that store data of its owner receive the event and delete it too. */
    remove: (id: string, context: RequestContext): Promise<void> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin', superAdmins: true }, async (tx, accounts) => {
        const { actor, target, superAdmins, recordEvent } = accounts;
        checkNotOwn(actor, target, 'delete your own account');
        checkNotLastSuperAdmin(superAdmins, target);
        const ended = await sessions.endAll(tx, id, 'account_deleted');
        const { role, authType: auth_type } = target;
        await recordEvent('admin.user.delete', { role, auth_type, sessions_revoked: ended });
        await usersStore.delete(tx, id);
        await outbox.add(tx, identityEvents.userDeleted, { userId: id });
      }),
  };
}

function createPasswordResets({ db, outbox, lockout, newPasswords, sessions }: Deps) {
  return {
    resetPassword: async (
      id: string,
      next: { password: string; forceChange: boolean },
      context: RequestContext,
    ): Promise<number> => {
      const [before, by] = await Promise.all([usersStore.find(db, id), usersStore.find(db, context.caller.userId)]);
      if (!before || !by) throw notFound('There is no such account');
      // Before the password is compared with earlier ones: an admin without rights must not learn about them.
      checkMayResetPassword(by, before);
      checkLocal(before);
      const { email, fullName, passwordHash } = before;
      const owner = { email, fullName, account: { id, passwordHash } };
      const hash = await newPasswords.hash(next.password, owner, 'new_password');
      return withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, accounts) => {
        const { actor, target, recordEvent } = accounts;
        checkMayResetPassword(actor, target);
        checkNotOwn(actor, target, 'reset your own password; change it with the current one');
        checkLocal(target);
        const user = await usersStore.update(tx, id, {
          passwordHash: hash,
          passwordChangedAt: new Date(),
          mustChangePassword: next.forceChange,
        });
        if (passwordHash) await usersStore.keepEarlierPassword(tx, id, passwordHash);
        await invitationsStore.withdraw(tx, id);
        await lockout.unlock(id, tx);
        const ended = await sessions.endAll(tx, id, 'password_reset');
        await publishUserUpdated(outbox, tx, user);
        await recordEvent('admin.password.reset', { force_change: next.forceChange, sessions_revoked: ended });
        return ended;
      });
    },

    unlock: (id: string, context: RequestContext): Promise<boolean> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { recordEvent }) => {
        const wasLocked = await lockout.unlock(id, tx);
        await recordEvent('auth.account.unlock', { was_locked: wasLocked });
        return wasLocked;
      }),
  };
}

function createSessionAdministration({ db, sessions }: Pick<Deps, 'db' | 'sessions'>) {
  return {
    sessionsOf: async (id: string, context: RequestContext): Promise<RefreshToken[]> => {
      const [target, actor] = await Promise.all([usersStore.find(db, id), usersStore.find(db, context.caller.userId)]);
      if (!target || !actor) throw notFound('There is no such account');
      checkReach(actor, target);
      return sessions.alive(id);
    },

    endSessions: (id: string, context: RequestContext): Promise<number> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { recordEvent }) => {
        const ended = await sessions.endAll(tx, id, 'ended_by_administrator');
        await recordEvent('auth.session.terminated', { sessions_revoked: ended });
        return ended;
      }),

    endSession: (id: string, sessionId: string, context: RequestContext): Promise<void> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { recordEvent }) => {
        if (!(await sessions.endOne(tx, id, sessionId, 'ended_by_administrator')))
          throw notFound('There is no such session');
        await recordEvent('auth.session.terminated', { session: sessionId });
      }),
  };
}

/** @throws AppError conflict: an account with an external password gets no local one. */
function checkLocal(target: Pick<LockedAccount, 'authType' | 'allowLocalFallback'>): void {
  if (!mayUseLocalPassword(target))
    throw conflict('password_not_local', 'The password of this account is kept elsewhere');
}

export type Privileges = ReturnType<typeof createPrivileges>;
