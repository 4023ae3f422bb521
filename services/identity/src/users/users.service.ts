import { identityEvents, type BodyOf, type QueryOf, type userRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { AppError, conflict, forbidden, invalid, notFound } from '@overtone/service-kit';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { newInvitation, type Invitation } from '../invitations/invitations.ts';
import { invitationsStore } from '../invitations/invitations.store.ts';
import { passwordRejected, type NewPasswords } from '../passwords/passwords.ts';
import { hasNoLocalPassword, mayUseLocalPassword, signupMethods } from '../provisioning/provisioning.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import {
  withLockedAccount,
  recordAuditEvent,
  publishUserUpdated,
  type LockedAccounts,
} from './account-changes.service.ts';
import { checkActor, checkNotLastSuperAdmin, checkNotOwn, type UserWithGroups, type RequestContext } from './rules.ts';
import { usersStore } from './users.store.ts';

type Deps = { db: Db; outbox: Outbox; newPasswords: NewPasswords; sessions: Sessions; telemetry: Telemetry };
type NewUser = BodyOf<typeof userRoutes.createUser>;
type Change = BodyOf<typeof userRoutes.updateUser>;

export function createUsers(deps: Deps) {
  const { db, outbox, newPasswords, sessions, telemetry } = deps;
  const find = async (id: string): Promise<UserWithGroups> => {
    const user = await usersStore.find(db, id);
    if (!user) throw notFound('There is no such account');
    return user;
  };

  return {
    page: (filter: QueryOf<typeof userRoutes.users>) => usersStore.page(db, filter),
    find,
    findOthers: (text: string, callerId: string) => usersStore.findOthers(db, text, callerId),

    create: async (
      user: NewUser,
      context: RequestContext,
    ): Promise<{ user: UserWithGroups; invitation: Invitation | null }> => {
      checkPasswordGiven(user);
      const invitation = user.invite ? newInvitation() : null;
      const owner = { email: user.email, fullName: nameOf(user.full_name, user.email) };
      const hash = user.password === undefined ? null : await newPasswords.hash(user.password, owner);
      const id = await db
        .$transaction((tx) => insertUser(deps, tx, { ...user, passwordHash: hash, invitation }, context))
        .catch((error: unknown) => {
          throw isUniqueViolation(error) ? emailTaken() : error;
        });
      telemetry.signups.inc({ method: signupMethods[user.auth_type] });
      return { user: await find(id), invitation };
    },

    update: async (id: string, change: Change, context: RequestContext): Promise<UserWithGroups> => {
      await withLockedAccount(
        db,
        { context, targetId: id, needed: 'admin', superAdmins: true },
        async (tx, accounts) => {
          checkChange(change, accounts);
          const user = await usersStore.update(tx, id, columnsOf(change));
          const switched = change.is_active !== undefined && change.is_active !== user.isActive;
          if (change.is_active !== undefined && switched)
            await switchActivity(deps, tx, { ...accounts, active: change.is_active }, context);
          await recordAuditEvent(tx, context, user, {
            event: 'admin.user.update',
            details: { changed: Object.keys(change).join(', ') },
          });
          // An end date in the past is effective immediately.
          if (user.accountExpiresAt && user.accountExpiresAt <= new Date())
            await sessions.closeOpen(tx, [id], 'account_expired');
          await publishUserUpdated(outbox, tx, { ...user, isActive: change.is_active ?? user.isActive });
        },
      ).catch((error: unknown) => {
        throw isUniqueViolation(error) ? emailTaken() : error;
      });
      return find(id);
    },
  };
}

async function insertUser(
  { outbox }: Deps,
  tx: Tx,
  account: NewUser & { passwordHash: string | null; invitation: Invitation | null },
  context: RequestContext,
): Promise<string> {
  const { email, role, auth_type: authType, passwordHash, must_change_password } = account;
  const [actor] = await usersStore.lock(tx, [context.caller.userId], false);
  checkActor(actor, 'admin');
  if (role !== 'user' && actor?.role !== 'super_admin')
    throw forbidden('role_required', 'This needs the role super_admin');
  const user = await usersStore.create(tx, {
    email,
    fullName: nameOf(account.full_name, email),
    passwordHash,
    role,
    authType,
    mustChangePassword: passwordHash !== null && must_change_password,
    approvalStatus: 'approved',
    passwordChangedAt: passwordHash === null ? null : new Date(),
    approvedAt: new Date(),
    approvedBy: context.caller.userId,
  });
  await outbox.add(tx, identityEvents.userCreated, { userId: user.id, role, method: signupMethods[authType] });
  await recordAuditEvent(tx, context, user, { event: 'admin.user.create', details: { role, auth_type: authType } });
  if (account.invitation) {
    await invitationsStore.put(tx, user, account.invitation, context.caller.userId);
    const details = { expires_at: account.invitation.expiresAt.toISOString() };
    await recordAuditEvent(tx, context, user, { event: 'admin.user.invite', details });
  }
  return user.id;
}

async function switchActivity(
  { outbox, sessions }: Deps,
  tx: Tx,
  { target, active }: { target: LockedAccounts['target']; active: boolean },
  context: RequestContext,
): Promise<void> {
  await usersStore.update(tx, target.id, activity(active));
  if (!active) await invitationsStore.withdraw(tx, target.id);
  const ended = active ? 0 : await sessions.endAll(tx, target.id, 'account_disabled');
  const disabled = { userId: target.id, by: 'administrator', reason: 'disabled_by_administrator' } as const;
  if (!active) await outbox.add(tx, identityEvents.userDisabled, disabled);
  await recordAuditEvent(tx, context, target, {
    event: active ? 'auth.account.enabled' : 'auth.account.disabled',
    details: { sessions_revoked: ended },
  });
}

/** Disabling records its actor, to distinguish the directory from an administrator. */
function activity(active: boolean) {
  return active
    ? { isActive: true, disabledBy: null, disabledAt: null }
    : { isActive: false, disabledBy: 'administrator', disabledAt: new Date() };
}

function nameOf(given: string | undefined, email: string): string {
  return given ?? email.split('@')[0] ?? email;
}

/** Only local accounts get a password: a first one, or the one that the invited person sets. */
function checkPasswordGiven({ auth_type, password, invite }: NewUser): void {
  if (auth_type === 'local' && password === undefined && !invite)
    throw passwordRejected('password', ['A local account needs a password or an invitation.']);
  if (password !== undefined && invite) throw passwordRejected('password', ['An invited person sets the password.']);
  if (auth_type !== 'local' && (password !== undefined || invite))
    throw new AppError('invalid', 'password_not_local', 'The password of such an account is stored elsewhere');
}

function emailTaken() {
  return conflict('email_taken', 'Another account has this e-mail address');
}

function checkChange(change: Change, { actor, target, superAdmins }: LockedAccounts): void {
  const after = { ...target, allowLocalFallback: change.allow_local_fallback ?? target.allowLocalFallback };
  if (change.allow_local_fallback && hasNoLocalPassword(target)) {
    const message = 'Accounts of a directory or proxy sign in there only.';
    throw invalid('local_fallback_refused', message, { errors: [{ path: 'allow_local_fallback', message }] });
  }
  if (change.must_change_password && !mayUseLocalPassword(after))
    throw conflict('password_not_local', 'The password of this account is stored elsewhere');
  if (change.is_active === false) checkNotOwn(actor, target, 'disable your own account');
  if (change.is_active === false || change.account_expires_at) checkNotLastSuperAdmin(superAdmins, target);
}

function columnsOf(change: Change) {
  return {
    ...(change.email === undefined ? {} : { email: change.email }),
    ...(change.full_name === undefined ? {} : { fullName: change.full_name }),
    ...(change.allow_local_fallback === undefined ? {} : { allowLocalFallback: change.allow_local_fallback }),
    ...(change.must_change_password === undefined ? {} : { mustChangePassword: change.must_change_password }),
    ...(change.account_expires_at === undefined
      ? {}
      : { accountExpiresAt: change.account_expires_at && new Date(change.account_expires_at) }),
  };
}

export type Users = ReturnType<typeof createUsers>;
