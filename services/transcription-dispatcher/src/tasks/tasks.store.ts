import type { dispatcherRoutes, QueryOf } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { Prisma, type Task } from '../generated/client.ts';
import { keptTasks } from './tasks.ts';

export type TaskFilter = Omit<QueryOf<typeof dispatcherRoutes.listTasks>, 'page' | 'page_size'>;

/** Queries of the task list, newest first, limited to the kept tasks. */
export function createTasksStore({ db }: { db: Db }) {
  return {
    page: async (filter: TaskFilter, page: number, size: number): Promise<{ total: number; rows: Task[] }> => {
      const wanted = conditions(filter);
      const offset = (page - 1) * size;
      const limit = Math.max(0, Math.min(size, keptTasks - offset));
      const [counted, ids] = await Promise.all([
        db.$queryRaw<{ total: number }[]>`
        select count(*)::int as total from (select 1 from task where ${wanted} limit ${keptTasks}) as fitting`,
        db.$queryRaw<{ id: string }[]>`
        select uuid::text as id from task where ${wanted}
        order by created_at desc, uuid desc limit ${limit} offset ${Math.min(offset, keptTasks)}`,
      ]);
      const rows = await db.task.findMany({
        where: { id: { in: ids.map(({ id }) => id) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return { total: counted[0]?.total ?? 0, rows };
    },

    /** Deletes ended tasks beyond the newest `keep`, at most `batchSize` per call; tasks of a running run stay. */
    prune: (keep: number, batchSize: number): Promise<number> => db.$executeRaw`
    delete from task where uuid in (
      select t.uuid from task t left join run r on r.uuid = t.run_id
      where t.status in ('completed', 'failed', 'cancelled') and r.status is distinct from 'running'
        and coalesce(t.completed_at, t.created_at) <= (
          select coalesce(completed_at, created_at) from task where status in ('completed', 'failed', 'cancelled')
          order by coalesce(completed_at, created_at) desc offset ${keep} limit 1)
      order by coalesce(t.completed_at, t.created_at) limit ${batchSize})`,
  };
}

function conditions(f: TaskFilter): Prisma.Sql {
  const like = `%${escapeLike(f.q ?? '')}%`;
  const begins = `${escapeLike((f.q ?? '').toLowerCase())}%`;
  const all = [
    Prisma.sql`true`,
    ...(f.owner ? [Prisma.sql`owner_id = ${f.owner}::uuid`] : []),
    ...(f.status ? [Prisma.sql`status = ${f.status}`] : []),
    ...(f.task_type ? [Prisma.sql`stage = ${f.task_type}`] : []),
    ...(f.queue ? [Prisma.sql`queue = ${f.queue}`] : []),
    ...(f.file ? [Prisma.sql`file_id = ${f.file}::uuid`] : []),
    ...(f.q
      ? [
          Prisma.sql`(error_message ilike ${like} or error_code ilike ${like} or worker ilike ${like}
                      or uuid::text like ${begins} or file_id::text like ${begins})`,
        ]
      : []),
  ];
  return Prisma.join(all, ' and ');
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

export type TasksStore = ReturnType<typeof createTasksStore>;
