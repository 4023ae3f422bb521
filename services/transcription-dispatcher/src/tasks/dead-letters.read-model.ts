import type { Db, Tx } from '../database.ts';
import type { Task } from '../generated/client.ts';
import { deadJobFilter, type DeadJobs } from './dead-letters.ts';

export type KindRow = {
  queue: string;
  stage: string;
  errorCode: string | null;
  count: number;
  newest: Date;
  oldest: Date;
};

/** Queries on dead jobs. */
export function createDeadLettersReadModel({ db }: { db: Db }) {
  return {
    find: (id: string): Promise<Task | null> => db.task.findUnique({ where: { id } }),
    count: (jobs: DeadJobs): Promise<number> => db.task.count({ where: deadJobFilter(jobs) }),
    page: (jobs: DeadJobs, page: number, size: number): Promise<Task[]> =>
      db.task.findMany({
        where: deadJobFilter(jobs),
        orderBy: [{ completedAt: 'desc' }, { id: 'desc' }],
        skip: (page - 1) * size,
        take: size,
      }),
    oldest: (jobs: DeadJobs, limit: number): Promise<Task[]> =>
      db.task.findMany({ where: deadJobFilter(jobs), orderBy: [{ completedAt: 'asc' }, { id: 'asc' }], take: limit }),
    kinds: (): Promise<KindRow[]> =>
      db.$queryRaw<KindRow[]>`
      select queue, stage, error_code as "errorCode", count(*)::int as count,
             max(coalesce(completed_at, created_at)) as newest, min(coalesce(completed_at, created_at)) as oldest
      from task where status = 'failed' and discarded_at is null and not superseded
      group by queue, stage, error_code order by count(*) desc, queue, stage, error_code`,

    /** Whether a newer index task outside a run waits for the file. */
    isReplaced: async (tx: Tx, task: Task): Promise<boolean> =>
      task.runId === null &&
      (await tx.task.count({ where: { fileId: task.fileId, runId: null, status: 'pending', id: { not: task.id } } })) >
        0,
  };
}

export type DeadLettersReadModel = ReturnType<typeof createDeadLettersReadModel>;
