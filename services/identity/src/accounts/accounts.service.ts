import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { User } from '../generated/client.ts';
import type { Lockout } from '../lockout/lockout.ts';
import { mustChange, passwordRejected, type NewPasswords, type PasswordHasher } from '../passwords/passwords.ts';
import { mayUseLocalPassword } from '../provisioning/provisioning.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import { accountsStore } from './accounts.store.ts';

type Deps = {
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
};

export function createAccounts(deps: Deps): Accounts {
  const { db, outbox, hasher, newPasswords, lockout, sessions, settings } = deps;
  const me = async (userId: string): Promise<User> => {
    const user = await accountsStore.byId(db, userId);
    if (!user) throw notFound('There is no such account');
    return user;
  };

  const publishUpdated = (tx: Tx, u: User) =>
    outbox.add(tx, identityEvents.userUpdated, { userId: u.id, role: u.role as Role, active: u.isActive });

  /** Wrong values of the current password count as failed sign-ins. */
  const checkCurrent = async (user: User, hash: string, password: string): Promise<void> => {
    const good = await lockout.runExclusively(user.id, async () => {
      const attempt = await lockout.reserve(user.id);
      if (!attempt || !(await hasher.verify(hash, password))) return false;
      await lockout.clear(attempt);
      return true;
    });
    if (!good) throw passwordRejected('current_password', ['The current password is wrong.']);
  };

  const changePassword = async (
    caller: Caller,
    user: User,
    next: { currentPassword: string | undefined; password: string },
    client: Client,
  ) => {
    const hash = user.passwordHash;
    if (!hash || !mayUseLocalPassword(user))
      throw conflict('password_not_local', 'The password of this account is stored elsewhere');
    if (next.currentPassword === undefined)
      throw passwordRejected('current_password', ['The current password is needed to set a new one.']);
    await checkCurrent(user, hash, next.currentPassword);
    const { email, fullName, id } = user;
    const newHash = await newPasswords.hash(next.password, { email, fullName, account: { id, passwordHash: hash } });
    await db.$transaction(async (tx) => {
      if (!(await accountsStore.setPassword(tx, user.id, hash, newHash)))
        throw passwordRejected('current_password', ['The current password is wrong.']);
      const ended = await sessions.endAll(tx, user.id, 'password_changed', caller.sessionId);
      // Invalidates the remaining session in the cache of the edge: the account may be usable again from now on.
      await publishUpdated(tx, user);
      await writeAudit(tx, {
        event: 'auth.password.change',
        outcome: 'success',
        userId: user.id,
        username: user.email,
        client,
        details: { sessions_revoked: ended },
      });
    }, txOptions);
  };

  return {
    me,
    mustChangePassword: (user) =>
      mustChange({ ...user, hasPassword: user.passwordHash !== null }, new Date(), settings.current()),
    change: async (caller, change, client) => {
      const user = await me(caller.userId);
      const { fullName, currentPassword, password } = change;
      if (password !== undefined) await changePassword(caller, user, { currentPassword, password }, client);
      if (fullName !== undefined)
        await db.$transaction(
          async (tx) => publishUpdated(tx, await accountsStore.rename(tx, user.id, fullName)),
          txOptions,
        );
      return me(caller.userId);
    },
    names: async (userIds) =>
      (await accountsStore.names(db, userIds)).map((u) => ({ userId: u.id, email: u.email, fullName: u.fullName })),
  };
}
