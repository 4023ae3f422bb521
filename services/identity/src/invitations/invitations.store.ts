import type { Db, Tx } from '../database.ts';
import { Prisma, type User } from '../generated/client.ts';
import { invitationHash, type Invitation } from './invitations.ts';

/** The account that a valid link is for. */
export type InvitedAccount = {
  id: string;
  email: string;
  fullName: string;
  passwordHash: string | null;
  expiresAt: Date;
};

/** The account `u` of the invitation `i` may set a password now, with the role it had when it was invited. */
const isUsable = Prisma.sql`
  i.expires_at > now() and u.role = i.role and u.auth_type = 'local' and u.is_active and u.approval_status = 'approved'
  and (u.account_expires_at is null or u.account_expires_at > now())`;
const columns = Prisma.sql`
  u.uuid as id, u.email, u.full_name as "fullName", u.password_hash as "passwordHash", i.expires_at as "expiresAt"`;

export const invitationsStore = {
  /** Replaces an earlier link of the account. */
  put: async (
    tx: Tx,
    { id: userId, role }: Pick<User, 'id' | 'role'>,
    { token, expiresAt }: Invitation,
    createdBy: string,
  ): Promise<void> => {
    const values = { tokenHash: invitationHash(token), role, createdBy, createdAt: new Date(), expiresAt };
    await tx.userInvitation.upsert({ where: { userId }, create: { userId, ...values }, update: values });
  },

  /** @returns whether the account had a link. */
  withdraw: async (tx: Tx, userId: string): Promise<boolean> =>
    (await tx.userInvitation.deleteMany({ where: { userId } })).count > 0,

  find: async (db: Db, token: string): Promise<InvitedAccount | undefined> => {
    const rows = await db.$queryRaw<InvitedAccount[]>`
      select ${columns} from user_invitation i join "user" u on u.uuid = i.user_id
      where i.token_hash = ${invitationHash(token)} and ${isUsable}`;
    return rows[0];
  },

  /**
   * Uses up the link. Of concurrent requests one gets the account: the others wait for its transaction and find no row.
   * The account must be locked by the transaction.
   */
  take: async (tx: Tx, token: string): Promise<InvitedAccount | undefined> => {
    const rows = await tx.$queryRaw<InvitedAccount[]>`
      delete from user_invitation i using "user" u
      where u.uuid = i.user_id and i.token_hash = ${invitationHash(token)} and ${isUsable}
      returning ${columns}`;
    return rows[0];
  },

  setPassword: (tx: Tx, id: string, passwordHash: string): Promise<User> =>
    tx.user.update({
      where: { id },
      data: { passwordHash, passwordChangedAt: new Date(), mustChangePassword: false },
    }),

  deleteOld: async (db: Db): Promise<void> =>
    void (await db.userInvitation.deleteMany({ where: { expiresAt: { lt: new Date() } } })),
};
