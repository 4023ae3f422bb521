import { queryPrepared } from '@overtone/database';
import type { Db, Pool, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { snapshotColumns } from '../provisioning/provisioning.ts';
import type { SignInAccount } from './sign-in.ts';

const selectAccounts = `
  select ${snapshotColumns('ldap')}, t.allow_local_fallback as "allowLocalFallback", t.password_hash as "passwordHash"
  from "user" t`;

export const signInStore = {
  /** Two accounts when the typed name is the address of one and the login of another. */
  findByLoginName: (pool: Pool, name: string): Promise<SignInAccount[]> => {
    const text = `${selectAccounts} where lower(email) = lower($1) or lower(ldap_uid) = lower($1) limit 2`;
    return queryPrepared<SignInAccount>(pool, { name: 'sign-in: find by login name', text, values: [name] });
  },

  /** Finds the account of a directory entry, by the strongest identifier first. */
  findByPerson: async (
    db: Db,
    person: { immutableId: string | null; login: string; email: string | null },
  ): Promise<SignInAccount | undefined> => {
    const rows = await db.$queryRaw<SignInAccount[]>`
      ${Prisma.raw(selectAccounts)}
      where directory_id = ${person.immutableId} or lower(ldap_uid) = lower(${person.login}) or lower(email) = lower(${person.email})
      order by (directory_id is not distinct from ${person.immutableId} and directory_id is not null) desc,
               (lower(ldap_uid) is not distinct from lower(${person.login})) desc
      limit 1`;
    return rows[0];
  },

  /** @returns false when the password is no longer the one that was checked. */
  recordSignIn: async (tx: Tx, userId: string, passwordHash: string): Promise<boolean> => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, passwordHash, isActive: true },
      data: { lastLoginAt: new Date() },
    });
    return count === 1;
  },
};
