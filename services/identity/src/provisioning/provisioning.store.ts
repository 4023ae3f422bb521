import { assertNever } from '@overtone/service-kit';
import { queryPrepared } from '@overtone/database';
import type { Pool, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { User } from '../generated/client.ts';
import { accountColumns, snapshotColumns, type Account, type AccountSnapshot } from './account.ts';
import type { Assertion } from './assertion.ts';

/** Locks the account until the transaction ends: this serializes the sign-ins of a person. */
async function lockAccount(tx: Tx, where: Prisma.Sql): Promise<Account | null> {
  const rows = await tx.$queryRaw<Account[]>`
    select ${Prisma.raw(accountColumns)} from "user" t where ${where} for update`;
  return rows[0] ?? null;
}

function isSubject({ source, subject }: Assertion): Prisma.Sql {
  switch (source) {
    case 'ldap':
      return Prisma.sql`directory_id = ${subject.id}`;
    case 'oidc':
      return Prisma.sql`oidc_issuer = ${subject.issuer} and oidc_subject = ${subject.id}`;
    case 'pki':
      // Accounts without a stored issuer belong to the first certificate with this subject.
      return Prisma.sql`pki_subject_dn = ${subject.id} and (pki_issuer_dn = ${subject.issuer} or pki_issuer_dn is null)
                        order by pki_issuer_dn nulls last limit 1`;
    case 'proxy':
      return Prisma.sql`proxy_user = ${subject.id}`;
    default:
      return assertNever(source);
  }
}

export const provisioningStore = {
  bySubject: (tx: Tx, assertion: Assertion): Promise<Account | null> => lockAccount(tx, isSubject(assertion)),

  /** Reads the account with this identity without waiting for a lock. */
  findSnapshot: async (pool: Pool, assertion: Assertion): Promise<AccountSnapshot | undefined> => {
    const { text, values } = Prisma.sql`
      select ${Prisma.raw(snapshotColumns(assertion.source))} from "user" t where ${isSubject(assertion)}`;
    return (
      await queryPrepared<AccountSnapshot>(pool, {
        name: `provisioning: find snapshot, ${assertion.source}`,
        text,
        values,
      })
    )[0];
  },
  /** Serializes sign-ins with this name or address until the transaction ends. */
  lockName: async (tx: Tx, name: string): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(lower(${name.trim()}), 378))`),
  byLdapUid: (tx: Tx, login: string): Promise<Account | null> =>
    lockAccount(tx, Prisma.sql`lower(ldap_uid) = lower(${login})`),
  byEmail: (tx: Tx, email: string): Promise<Account | null> =>
    lockAccount(tx, Prisma.sql`lower(email) = lower(${email})`),

  create: (tx: Tx, data: Prisma.UserUncheckedCreateInput): Promise<User> => tx.user.create({ data }),
  set: async (tx: Tx, id: string, data: Prisma.UserUncheckedUpdateManyInput): Promise<void> =>
    void (await tx.user.updateMany({ where: { id }, data })),
  update: (tx: Tx, id: string, data: Prisma.UserUncheckedUpdateInput): Promise<User> =>
    tx.user.update({ where: { id }, data }),
  isNameFree: async (tx: Tx, id: string, name: { email: string } | { ldapUid: string }): Promise<boolean> => {
    const where =
      'email' in name
        ? Prisma.sql`lower(email) = lower(${name.email})`
        : Prisma.sql`lower(ldap_uid) = lower(${name.ldapUid})`;
    const rows = await tx.$queryRaw<unknown[]>`select 1 from "user" where ${where} and uuid <> ${id}::uuid limit 1`;
    return rows.length === 0;
  },
};
