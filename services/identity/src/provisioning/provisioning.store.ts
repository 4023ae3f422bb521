import { assertNever } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { User } from '../generated/client.ts';
import type { Known } from './identity-of.ts';
import type { Assertion } from './provisioning.ts';

/** Held until the end of the transaction: of two sign-ins of one person one comes first. */
const held = async (tx: Tx, where: Prisma.Sql): Promise<Known | null> => {
  const rows = await tx.$queryRaw<Known[]>`
    select uuid as id, email, full_name as "fullName", role, is_active as "isActive",
           approval_status as "approvalStatus", auth_type as "authType", ldap_uid as "ldapUid",
           directory_id as "directoryId", oidc_issuer as "oidcIssuer", oidc_subject as "oidcSubject",
           pki_subject_dn as "pkiSubjectDn", proxy_user as "proxyUser"
    from "user" where ${where} for update`;
  return rows[0] ?? null;
};

export const provisioningStore = {
  bySubject: (tx: Tx, { source, subject }: Assertion): Promise<Known | null> => {
    switch (source) {
      case 'ldap':
        return held(tx, Prisma.sql`directory_id = ${subject.id}`);
      case 'oidc':
        return held(tx, Prisma.sql`oidc_issuer = ${subject.issuer} and oidc_subject = ${subject.id}`);
      case 'pki':
        return held(tx, Prisma.sql`pki_subject_dn = ${subject.id}`);
      case 'proxy':
        return held(tx, Prisma.sql`proxy_user = ${subject.id}`);
      default:
        return assertNever(source);
    }
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
