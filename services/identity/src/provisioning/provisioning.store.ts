import { assertNever } from '@overtone/service-kit';
import { ask, type Pool, type Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { User } from '../generated/client.ts';
import type { Known } from './identity-of.ts';
import type { Assertion } from './assertion.ts';
import { knownColumns, seenColumns, type Seen } from './seen.ts';

/** Held until the end of the transaction: of two sign-ins of one person one comes first. */
const held = async (tx: Tx, where: Prisma.Sql): Promise<Known | null> => {
  const rows = await tx.$queryRaw<Known[]>`
    select ${Prisma.raw(knownColumns)} from "user" t where ${where} for update`;
  return rows[0] ?? null;
};

const isSubject = ({ source, subject }: Assertion): Prisma.Sql => {
  switch (source) {
    case 'ldap':
      return Prisma.sql`directory_id = ${subject.id}`;
    case 'oidc':
      return Prisma.sql`oidc_issuer = ${subject.issuer} and oidc_subject = ${subject.id}`;
    case 'pki':
      // Accounts from before issuers were kept are whoever's of that name comes first.
      return Prisma.sql`pki_subject_dn = ${subject.id} and (pki_issuer_dn = ${subject.issuer} or pki_issuer_dn is null)
                        order by pki_issuer_dn nulls last limit 1`;
    case 'proxy':
      return Prisma.sql`proxy_user = ${subject.id}`;
    default:
      return assertNever(source);
  }
};

export const provisioningStore = {
  bySubject: (tx: Tx, a: Assertion): Promise<Known | null> => held(tx, isSubject(a)),

  /** Whose identity it is, without waiting for anybody who changes the account at this moment. */
  glance: async (pool: Pool, a: Assertion): Promise<Seen | undefined> => {
    const { text, values } = Prisma.sql`
      select ${Prisma.raw(seenColumns(a.source))} from "user" t where ${isSubject(a)}`;
    return (await ask<Seen>(pool, { name: `provisioning: glance, ${a.source}`, text, values }))[0];
  },
  /** Holds everybody else with this name or address back until this transaction ends. */
  inTurn: async (tx: Tx, name: string): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(lower(${name.trim()}), 378))`),
  byLdapUid: (tx: Tx, login: string): Promise<Known | null> => held(tx, Prisma.sql`lower(ldap_uid) = lower(${login})`),
  byEmail: (tx: Tx, email: string): Promise<Known | null> => held(tx, Prisma.sql`lower(email) = lower(${email})`),

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
