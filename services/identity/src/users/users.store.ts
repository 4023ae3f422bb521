import type { QueryOf, userRoutes } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type User } from '../generated/client.ts';
import { withGroups, type LockedAccount, type UserWithGroups } from './rules.ts';

type Filter = QueryOf<typeof userRoutes.users>;
export type NewUser = {
  email: string;
  fullName: string;
  passwordHash: string | null;
  role: string;
  authType: string;
  mustChangePassword: boolean;
  approvalStatus: string;
  passwordChangedAt: Date | null;
  approvedAt?: Date;
  approvedBy?: string;
};

/** Escapes text for a LIKE pattern. */
function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

const sortings = {
  full_name: Prisma.sql`lower(u.full_name)`,
  email: Prisma.sql`lower(u.email)`,
  created_at: Prisma.sql`u.created_at`,
  last_login_at: Prisma.sql`u.last_login_at`,
};
const directions = { asc: Prisma.sql`asc nulls last`, desc: Prisma.sql`desc nulls last` };

function conditions(filter: Filter): Prisma.Sql {
  const like = `%${escapeLike(filter.q ?? '')}%`;
  const all = [
    ...(filter.q ? [Prisma.sql`(u.email ilike ${like} or u.full_name ilike ${like} or u.ldap_uid ilike ${like})`] : []),
    ...(filter.role ? [Prisma.sql`u.role = ${filter.role}`] : []),
    ...(filter.auth_type ? [Prisma.sql`u.auth_type = ${filter.auth_type}`] : []),
    ...(filter.is_active === undefined ? [] : [Prisma.sql`u.is_active = ${filter.is_active}`]),
    ...(filter.approval_status ? [Prisma.sql`u.approval_status = ${filter.approval_status}`] : []),
    ...(filter.locked === undefined ? [] : [Prisma.sql`coalesce(u.locked_until > now(), false) = ${filter.locked}`]),
  ];
  return all.length > 0 ? Prisma.sql`where ${Prisma.join(all, ' and ')}` : Prisma.empty;
}

const heldColumns = Prisma.sql`
  uuid as id, email, role, is_active as "isActive", approval_status as "approvalStatus",
  account_expires_at as "accountExpiresAt", auth_type as "authType", allow_local_fallback as "allowLocalFallback"`;

export const usersStore = {
  page: async (db: Db, filter: Filter): Promise<{ users: UserWithGroups[]; total: number }> => {
    const where = conditions(filter);
    const rows = await db.$queryRaw<{ id: string }[]>`
      select u.uuid as id from "user" u ${where}
      order by ${sortings[filter.sort_by]} ${directions[filter.sort_order]}, u.uuid
      limit ${filter.page_size} offset ${(filter.page - 1) * filter.page_size}`;
    const counted = await db.$queryRaw<{ total: number }[]>`select count(*)::int as total from "user" u ${where}`;
    return {
      users: await inOrder(
        db,
        rows.map((row) => row.id),
      ),
      total: counted[0]?.total ?? 0,
    };
  },

  find: (db: Db | Tx, id: string): Promise<UserWithGroups | null> =>
    db.user.findUnique({ where: { id }, include: withGroups }),

  /** People to share with: accounts that can sign in, without the caller. */
  findOthers: (db: Db, text: string, caller: string): Promise<{ id: string; fullName: string; email: string }[]> => {
    const like = `%${escapeLike(text)}%`;
    return db.$queryRaw`
      select uuid as id, full_name as "fullName", email from "user"
      where is_active and approval_status = 'approved' and uuid <> ${caller}::uuid
        and (account_expires_at is null or account_expires_at > now())
        and (full_name ilike ${like} or email ilike ${like})
      order by lower(full_name), uuid limit 20`;
  },

  /** Locks these accounts in a fixed order until the transaction ends; with `superAdmins` every super_admin too. */
  lock: (tx: Tx, ids: string[], superAdmins: boolean): Promise<LockedAccount[]> => tx.$queryRaw<LockedAccount[]>`
    select ${heldColumns} from "user"
    where uuid = any(${ids}::uuid[]) or (${superAdmins} and role = 'super_admin')
    order by uuid for update`,

  create: (tx: Tx, user: NewUser): Promise<User> => tx.user.create({ data: user }),
  update: (tx: Tx, id: string, data: Prisma.UserUpdateInput): Promise<User> => tx.user.update({ where: { id }, data }),
  delete: async (tx: Tx, id: string): Promise<void> => void (await tx.user.delete({ where: { id } })),
  keepEarlierPassword: async (tx: Tx, userId: string, passwordHash: string): Promise<void> =>
    void (await tx.passwordHistory.create({ data: { userId, passwordHash } })),
};

async function inOrder(db: Db, ids: string[]): Promise<UserWithGroups[]> {
  const found = await db.user.findMany({ where: { id: { in: ids } }, include: withGroups });
  const byId = new Map(found.map((user) => [user.id, user]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
