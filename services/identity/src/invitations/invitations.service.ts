import type { Outbox } from '@overtone/database';
import { conflict, type Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { NewPasswords } from '../passwords/passwords.ts';
import type { Sessions } from '../sessions/sessions.ts';
import {
  checkMayResetPassword,
  checkNotOwn,
  publishUserUpdated,
  withLockedAccount,
  type LockedAccount,
  type RequestContext,
} from '../users/users.ts';
import { usersStore } from '../users/users.store.ts';
import { invitationInvalid, newInvitation, type Invitation } from './invitations.ts';
import { invitationsStore, type InvitedAccount } from './invitations.store.ts';

export type InvitationsDeps = {
  db: Db;
  outbox: Outbox;
  lockout: Lockout;
  newPasswords: NewPasswords;
  sessions: Sessions;
};

/** Links by which people set their password: made by an administrator, valid once and for some days. */
export function createInvitations(deps: InvitationsDeps) {
  const { db } = deps;

  /** Refuses a link; what it was for is not known any more. */
  const refuse = async (client: Client): Promise<Error> => {
    const event = { event: 'auth.invitation.accept', outcome: 'failure', errorCode: 'INVITATION_INVALID' } as const;
    await db.$transaction((tx) => writeAudit(tx, { ...event, client }));
    return invitationInvalid();
  };

  return {
    invite: (id: string, context: RequestContext): Promise<Invitation> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { actor, target, recordEvent }) => {
        checkMayResetPassword(actor, target);
        checkNotOwn(actor, target, 'invite yourself; change your password with the current one');
        checkInvitable(target);
        const invitation = newInvitation();
        await invitationsStore.put(tx, target, invitation, actor.id);
        await recordEvent('admin.user.invite', { expires_at: invitation.expiresAt.toISOString() });
        return invitation;
      }),

    withdraw: (id: string, context: RequestContext): Promise<void> =>
      withLockedAccount(db, { context, targetId: id, needed: 'admin' }, async (tx, { recordEvent }) => {
        if (await invitationsStore.withdraw(tx, id)) await recordEvent('admin.user.invite.withdraw');
      }),

    open: async (token: string, client: Client): Promise<InvitedAccount> => {
      const invited = await invitationsStore.find(db, token);
      if (!invited) throw await refuse(client);
      return invited;
    },

    accept: async (token: string, password: string, client: Client): Promise<{ email: string }> => {
      const invited = await invitationsStore.find(db, token);
      if (!invited) throw await refuse(client);
      const { id, email, fullName, passwordHash } = invited;
      const hash = await deps.newPasswords.hash(password, { email, fullName, account: { id, passwordHash } });
      if (!(await usePassword(deps, { token, hash, id }, client))) throw await refuse(client);
      return { email };
    },
  };
}

/** @returns false when the link was used or withdrawn while the password was hashed. */
function usePassword(
  { db, outbox, lockout, sessions }: InvitationsDeps,
  { token, hash, id }: { token: string; hash: string; id: string },
  client: Client,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    // In the order of an administrator's change, which locks the account before it withdraws a link.
    await usersStore.lock(tx, [id], false);
    const invited = await invitationsStore.take(tx, token);
    if (!invited) return false;
    const user = await invitationsStore.setPassword(tx, id, hash);
    if (invited.passwordHash !== null) await usersStore.keepEarlierPassword(tx, id, invited.passwordHash);
    await lockout.unlock(id, tx);
    const ended = await sessions.endAll(tx, id, 'password_reset');
    await publishUserUpdated(outbox, tx, user);
    const by = { userId: id, username: user.email, client, details: { sessions_revoked: ended } };
    await writeAudit(tx, { event: 'auth.invitation.accept', outcome: 'success', ...by });
    return true;
  });
}

/** @throws AppError conflict: the person could not sign in with the password. */
function checkInvitable({ authType, isActive, approvalStatus, accountExpiresAt }: LockedAccount): void {
  if (authType !== 'local') throw conflict('password_not_local', 'The password of this account is kept elsewhere');
  const hasEnded = accountExpiresAt !== null && accountExpiresAt <= new Date();
  if (!isActive || approvalStatus !== 'approved' || hasEnded)
    throw conflict('invitation_impossible', 'This account is disabled, expired or not approved');
}
