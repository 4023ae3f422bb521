import { ask, type Db, type Pool, type Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { seenColumns } from '../provisioning/provisioning.ts';
import type { Candidate } from './sign-in.ts';

const candidates = `
  select ${seenColumns('ldap')}, t.allow_local_fallback as "allowLocalFallback", t.password_hash as "passwordHash"
  from "user" t`;

export const signInStore = {
  /** The accounts a typed name means, whatever its spelling: more than one when it is one's address and another's name. */
  meant: (pool: Pool, name: string): Promise<Candidate[]> => {
    const text = `${candidates} where lower(email) = lower($1) or lower(ldap_uid) = lower($1) limit 2`;
    return ask<Candidate>(pool, { name: 'sign-in: meant', text, values: [name] });
  },

  /** Finds the account of a directory entry, by the strongest identifier first. */
  ofPerson: async (
    db: Db,
    p: { immutableId: string | null; login: string; email: string | null },
  ): Promise<Candidate | undefined> => {
    const rows = await db.$queryRaw<Candidate[]>`
      ${Prisma.raw(candidates)}
      where directory_id = ${p.immutableId} or lower(ldap_uid) = lower(${p.login}) or lower(email) = lower(${p.email})
      order by (directory_id is not distinct from ${p.immutableId} and directory_id is not null) desc,
               (lower(ldap_uid) is not distinct from lower(${p.login})) desc
      limit 1`;
    return rows[0];
  },

  /** @returns false when the password is no longer the one that was checked. */
  signedIn: async (tx: Tx, userId: string, passwordHash: string): Promise<boolean> => {
    const { count } = await tx.user.updateMany({
      where: { id: userId, passwordHash, isActive: true },
      data: { lastLoginAt: new Date() },
    });
    return count === 1;
  },
};
