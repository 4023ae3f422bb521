import type { QueryOf, auditRoutes } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { Prisma } from '../generated/client.ts';

type Filter = Omit<QueryOf<typeof auditRoutes.exportAuditLogs>, 'export_format'>;
export type AuditRow = {
  id: string;
  time: Date;
  /** The time in microseconds: the next batch starts after it. */
  cursor: string;
  eventType: string;
  outcome: string;
  actor: string | null;
  actorName: string | null;
  userId: string | null;
  username: string | null;
  recipient: string | null;
  sourceIp: string | null;
  userAgent: string | null;
  requestId: string | null;
  errorCode: string | null;
  details: Record<string, unknown>;
};

function literally(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

function conditions(filter: Filter): Prisma.Sql[] {
  const like = `%${literally(filter.q ?? '')}%`;
  return [
    ...(filter.start_date ? [Prisma.sql`a.time >= ${filter.start_date}::timestamptz`] : []),
    ...(filter.end_date ? [Prisma.sql`a.time <= ${filter.end_date}::timestamptz`] : []),
    // A filter like `auth.login` matches every event with this prefix.
    ...(filter.event_type ? [Prisma.sql`a.event_type like ${`${literally(filter.event_type)}%`}`] : []),
    ...(filter.outcome ? [Prisma.sql`a.outcome = ${filter.outcome}`] : []),
    ...(filter.error_code ? [Prisma.sql`a.error_code = ${filter.error_code}`] : []),
    ...(filter.user_id
      ? [Prisma.sql`(a.user_id = ${filter.user_id}::uuid or a.actor = ${filter.user_id.toLowerCase()})`]
      : []),
    ...(filter.q
      ? [
          Prisma.sql`(a.username ilike ${like} or a.actor ilike ${like} or u.email ilike ${like}
                      or target.email ilike ${like} or reader.email ilike ${like} or readers.name ilike ${like} or a.source_ip ilike ${like} or a.event_type ilike ${like} or a.details::text ilike ${like})`,
        ]
      : []),
  ];
}

function where(all: Prisma.Sql[]): Prisma.Sql {
  return all.length > 0 ? Prisma.sql`where ${Prisma.join(all, ' and ')}` : Prisma.empty;
}

/** Of shares; other records have other values under these names. */
const recipientOf = Prisma.sql`case when a.event_type in ('file.share', 'file.unshare', 'collection.share', 'collection.unshare',
  'code_list.share', 'code_list.unshare', 'export_template.share', 'export_template.unshare')
  and coalesce(a.details ->> 'user', a.details ->> 'group') ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  then coalesce(a.details ->> 'user', a.details ->> 'group')::uuid end`;

const alone = Prisma.sql`from audit_log a`;
/** Joins the person who acted, and the account when the record itself has no name for it. */
const from = Prisma.sql`
  ${alone} left join "user" u
    on u.uuid = case when a.actor ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then a.actor::uuid end
  left join "user" target on target.uuid = a.user_id and a.username is null and a.actor is distinct from a.user_id::text
  left join "user" reader on reader.uuid = ${recipientOf}
  left join user_group readers on readers.uuid = ${recipientOf}`;
const columns = Prisma.sql`
  a.uuid as id, a.time, a.time::text as cursor, a.event_type as "eventType", a.outcome, a.actor,
  u.email as "actorName", a.user_id as "userId", coalesce(a.username, target.email) as username, coalesce(reader.email, readers.name) as recipient, a.source_ip as "sourceIp", a.user_agent as "userAgent",
  a.request_id as "requestId", a.error_code as "errorCode", a.details`;

export const auditStore = {
  page: async (db: Db, filter: Filter, page: number, size: number): Promise<{ rows: AuditRow[]; total: number }> => {
    const wanted = where(conditions(filter));
    const rows = await db.$queryRaw<AuditRow[]>`
      select ${columns} ${from} ${wanted}
      order by a.time desc, a.uuid desc limit ${size} offset ${(page - 1) * size}`;
    const counted = await db.$queryRaw<{ total: number }[]>`
      select count(*)::int as total ${filter.q ? from : alone} ${wanted}`;
    return { rows, total: counted[0]?.total ?? 0 };
  },

  /** The records that follow `last` in the same order. */
  batch: (db: Db, filter: Filter, last: AuditRow | undefined, size: number): Promise<AuditRow[]> => {
    const after = last ? [Prisma.sql`(a.time, a.uuid) < (${last.cursor}::timestamptz, ${last.id}::uuid)`] : [];
    return db.$queryRaw<AuditRow[]>`
      select ${columns} ${from} ${where([...conditions(filter), ...after])}
      order by a.time desc, a.uuid desc limit ${size}`;
  },

  /** Deletes records past the retention time. @returns how many were deleted; `atMost` means that there may be more. */
  deleteOld: async (db: Db, atMost: number): Promise<number> => {
    const rows = await db.$queryRaw<{ deleted: number }[]>`select delete_old_audit_records(${atMost}::int) as deleted`;
    return rows[0]?.deleted ?? 0;
  },
};
