import type { Db } from '../database.ts';

/** A due file taken by one instance is available to others after this time. */
const leaseMinutes = 10;
/** Files whose vectors fail permanently are indexed again no more often than this. */
const vectorRetryMinutes = 5;
export type DueFile = { fileId: string; dueAt: Date; attempts: number };
export type DueFiles = ReturnType<typeof createDueFiles>;

/** Files that must be indexed again: rows with `due_at`. */
export function createDueFiles({ db }: { db: Db }) {
  return {
    /** Marks a file for indexing after a pause; further edits within the pause have no effect. */
    mark: async (fileId: string, ownerId: string, pauseMs: number): Promise<void> => {
      await db.$executeRaw`
      insert into index_state (file_id, owner_id, due_at)
      values (${fileId}::uuid, ${ownerId}::uuid, now() + make_interval(secs => ${pauseMs / 1000}::float8))
      on conflict (file_id) do update set due_at = least(index_state.due_at, excluded.due_at), attempts = 0`;
    },
    /** Takes due files and leases them to the caller. */
    take: (limit: number): Promise<DueFile[]> => db.$queryRaw<DueFile[]>`
      update index_state s set due_at = now() + make_interval(mins => ${leaseMinutes}::int), attempts = s.attempts + 1
      from (select file_id from index_state where due_at <= now() order by due_at limit ${limit} for update skip locked) d
      where s.file_id = d.file_id
      returning s.file_id::text as "fileId", s.due_at as "dueAt", s.attempts`,
    /** When the next file is due. */
    nextDue: async (): Promise<Date | null> => {
      const next = await db.indexState.findFirst({
        where: { dueAt: { not: null } },
        orderBy: { dueAt: 'asc' },
        select: { dueAt: true },
      });
      return next?.dueAt ?? null;
    },
    /** Marks a file as done, unless it was edited again since it was taken. */
    settle: async ({ fileId, dueAt }: DueFile): Promise<void> => {
      await db.indexState.updateMany({ where: { fileId, dueAt: { gte: dueAt } }, data: { dueAt: null, attempts: 0 } });
    },
    postpone: async ({ fileId, dueAt }: DueFile, pauseMs: number, error: string): Promise<void> => {
      await db.indexState.updateMany({
        where: { fileId, dueAt: { gte: dueAt } },
        data: { dueAt: new Date(Date.now() + pauseMs), error: error.slice(0, 500) },
      });
    },
    /** Marks files whose rows are not in this build. */
    markLost: (build: string): Promise<number> => db.$executeRaw`
      update index_state set due_at = now()
      where due_at is null and generation is not null and generation <> ${build}`,
    /** Marks files that were indexed without vectors, those that wait the longest first. */
    markKeywordOnly: (limit: number): Promise<number> => db.$executeRaw`
      update index_state set due_at = now() where file_id in (
        select file_id from index_state
        where not semantic and chunks > 0 and due_at is null
          and indexed_at < now() - make_interval(mins => ${vectorRetryMinutes}::int)
        order by indexed_at limit ${limit})`,
  };
}
