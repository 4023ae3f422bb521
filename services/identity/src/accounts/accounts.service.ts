import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller, type Client } from '@overtone/service-kit';
import type { PasswordHasher } from '@overtone/service-kit/argon2';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { User } from '../generated/client.ts';
import { invitationsStore } from '../invitations/invitations.store.ts';
import type { Lockout } from '../lockout/lockout.ts';
import { mustChange, passwordRejected, type NewPasswords } from '../passwords/passwords.ts';
import { mayUseLocalPassword } from '../provisioning/provisioning.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import { accountsStore } from './accounts.store.ts';

type AccountsDeps = {
  db: Db;
  outbox: Outbox;
  hasher: PasswordHasher;
  newPasswords: NewPasswords;
  lockout: Lockout;
  sessions: Sessions;
  settings: Settings;
};
type AccountChange = {
  fullName?: string | undefined;
  currentPassword?: string | undefined;
  password?: string | undefined;
};
export type Accounts = {
  me: (userId: string) => Promise<User>;
  /** Whether the account must change its password before anything else. */
  mustChangePassword: (user: User) => boolean;
  change: (caller: Caller, change: AccountChange, client: Client) => Promise<User>;
  names: (userIds: string[]) => Promise<{ userId: string; email: string; fullName: string }[]>;
  /** Active accounts by e-mail address or directory user name. */
  find: (names: string[]) => Promise<{ name: string; userId: string }[]>;
};

export function createAccounts(deps: AccountsDeps): Accounts {
  const { db, outbox, settings } = deps;
  const me = async (userId: string): Promise<User> => {
    const user = await accountsStore.byId(db, userId);
    if (!user) throw notFound('There is no such account');
    return user;
  };

  return {
    me,
    mustChangePassword: (user) =>
      mustChange({ ...user, hasPassword: user.passwordHash !== null }, new Date(), settings.current()),
    change: async (caller, change, client) => {
      const user = await me(caller.userId);
      const { fullName, currentPassword, password } = change;
      if (password !== undefined) await changePassword(deps, { caller, client, user }, { currentPassword, password });
      if (fullName !== undefined)
        await db.$transaction(async (tx) =>
          publishUpdated(outbox, tx, await accountsStore.rename(tx, user.id, fullName)),
        );
      return me(caller.userId);
    },
    names: async (userIds) =>
      (await accountsStore.names(db, userIds)).map((name) => ({
        userId: name.id,
        email: name.email,
        fullName: name.fullName,
      })),
    find: (names) => accountsStore.findActive(db, names),
  };
}

async function changePassword(
  deps: AccountsDeps,
  { caller, client, user }: { caller: Caller; client: Client; user: User },
  { currentPassword, password }: Pick<AccountChange, 'currentPassword'> & { password: string },
): Promise<void> {
  const { db, outbox, newPasswords, sessions } = deps;
  const { email, fullName, id, passwordHash } = user;
  if (!passwordHash || !mayUseLocalPassword(user))
    throw conflict('password_not_local', 'The password of this account is stored elsewhere');
  if (currentPassword === undefined)
    throw passwordRejected('current_password', ['The current password is needed to set a new one.']);
  if (!(await isCurrentPassword(deps, id, passwordHash, currentPassword))) throw wrongPassword();
  const newHash = await newPasswords.hash(password, { email, fullName, account: { id, passwordHash } });
  await db.$transaction(async (tx) => {
    if (!(await accountsStore.setPassword(tx, id, passwordHash, newHash))) throw wrongPassword();
    await invitationsStore.withdraw(tx, id);
    const ended = await sessions.endAll(tx, id, 'password_changed', caller.sessionId);
    // Invalidates the remaining session in the cache of the edge: the account may be usable again from now on.
    await publishUpdated(outbox, tx, user);
    const by = { userId: id, username: email, client };
    const details = { sessions_revoked: ended };
    await writeAudit(tx, { event: 'auth.password.change', outcome: 'success', ...by, details });
  });
}

/** Wrong values of the current password count as failed sign-ins. */
function isCurrentPassword(
  { lockout, hasher }: AccountsDeps,
  userId: string,
  hash: string,
  password: string,
): Promise<boolean> {
  return lockout.runExclusively(userId, async () => {
    const attempt = await lockout.reserve(userId);
    if (!attempt || !(await hasher.verify(hash, password))) return false;
    await lockout.clear(attempt);
    return true;
  });
}

function publishUpdated(outbox: Outbox, tx: Tx, { id: userId, role, isActive: active }: User): Promise<void> {
  return outbox.add(tx, identityEvents.userUpdated, { userId, role: role as Role, active });
}

function wrongPassword() {
  return passwordRejected('current_password', ['The current password is wrong.']);
}
