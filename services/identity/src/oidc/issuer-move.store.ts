import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';

export type IssuerCount = { issuer: string; accounts: number; superAdmins: number };
/** An account that is linked to an issuer. */
export type LinkedAccount = {
  id: string;
  email: string;
  role: string;
  isActive: boolean;
  approvalStatus: string;
  subject: string;
};
export type LeftAccount = { id: string; email: string; takenBy: string | null };
/** From one issuer to another; `ownId`: the one super_admin whose account may move, because its owner has tested. */
export type Move = { from: string; to: string; ownId: string | null };

const columns = Prisma.sql`
  u.uuid as id, u.email, u.role, u.is_active as "isActive", u.approval_status as "approvalStatus",
  u.oidc_subject as subject`;

function takenAt(to: string): Prisma.Sql {
  return Prisma.sql`exists (select 1 from "user" o where o.oidc_issuer = ${to} and o.oidc_subject = u.oidc_subject)`;
}

/** The accounts `u` that move: of this issuer, with a subject that is free at the other one, and no other super_admin. */
function movable({ from, to, ownId }: Move): Prisma.Sql {
  return Prisma.sql`u.oidc_issuer = ${from} and u.oidc_subject is not null and not ${takenAt(to)}
    and (u.role <> 'super_admin' or u.uuid is not distinct from ${ownId}::uuid)`;
}

export const issuerMoveStore = {
  issuers: (db: Db): Promise<IssuerCount[]> => db.$queryRaw<IssuerCount[]>`
    select oidc_issuer as issuer, count(*)::int as accounts,
           (count(*) filter (where role = 'super_admin'))::int as "superAdmins"
    from "user" where oidc_issuer is not null and oidc_subject is not null
    group by oidc_issuer order by count(*) desc, oidc_issuer limit 100`,

  hasAccounts: async (db: Db, issuer: string): Promise<boolean> =>
    (await db.user.findFirst({ where: { oidcIssuer: issuer, oidcSubject: { not: null } }, select: { id: true } })) !==
    null,

  findLinked: async (db: Db | Tx, issuer: string, subject: string): Promise<LinkedAccount | undefined> =>
    (
      await db.$queryRaw<LinkedAccount[]>`
        select ${columns} from "user" u where u.oidc_issuer = ${issuer} and u.oidc_subject = ${subject}`
    )[0],

  countMovable: async (db: Db, move: Move): Promise<number> =>
    (await db.$queryRaw<{ total: number }[]>`select count(*)::int as total from "user" u where ${movable(move)}`)[0]
      ?.total ?? 0,

  left: async (db: Db, move: Move): Promise<{ accounts: LeftAccount[]; total: number }> => {
    const where = Prisma.sql`u.oidc_issuer = ${move.from} and u.oidc_subject is not null and not (${movable(move)})`;
    const accounts = await db.$queryRaw<LeftAccount[]>`
      select u.uuid as id, u.email, o.email as "takenBy" from "user" u
      left join "user" o on o.oidc_issuer = ${move.to} and o.oidc_subject = u.oidc_subject
      where ${where} order by lower(u.email) limit 100`;
    const counted = await db.$queryRaw<{ total: number }[]>`select count(*)::int as total from "user" u where ${where}`;
    return { accounts, total: counted[0]?.total ?? 0 };
  },

  /** Serializes moves until the transaction ends. */
  lockMoves: async (tx: Tx): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('oidc issuer move', 28))`),

  /** Locks the next accounts that move, without the tester, in the order of their ids. */
  lockBatch: (tx: Tx, move: Move, testerId: string, limit: number): Promise<LinkedAccount[]> => tx.$queryRaw<
    LinkedAccount[]
  >`
    select ${columns} from "user" u where ${movable(move)} and u.uuid <> ${testerId}::uuid
    order by u.uuid limit ${limit} for update of u`,

  move: async (tx: Tx, { from, to }: Move, ids: readonly string[]): Promise<void> =>
    void (await tx.user.updateMany({ where: { id: { in: [...ids] }, oidcIssuer: from }, data: { oidcIssuer: to } })),
};
