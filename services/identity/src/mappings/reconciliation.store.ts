import type { Role } from '@overtone/contracts';
import type { Tx } from '../database.ts';

type Account = {
  email: string;
  role: Role;
  authType: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
  isActive: boolean;
};

export const reconciliationStore = {
  /** The current account, locked until the transaction ends: this serializes the sign-ins of a person and the sweep. */
  lockAccount: async (tx: Tx, userId: string): Promise<Account | undefined> => {
    const rows = await tx.$queryRaw<Account[]>`
      select email, role, auth_type as "authType", is_active as "isActive" from "user"
      where uuid = ${userId}::uuid for update`;
    return rows[0];
  },
  setRole: async (tx: Tx, id: string, role: Role): Promise<void> =>
    void (await tx.user.update({ where: { id }, data: { role }, select: { id: true } })),
};
