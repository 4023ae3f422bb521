import type { QueryOf, dispatcherRoutes } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { taskObjectOf, timelineOf } from './tasks.ts';

type ListQuery = QueryOf<typeof dispatcherRoutes.listTasks>;

type Deps = { db: Db; fractionOf: (runId: string, stage: string) => number };

/** What people may see of tasks. `ownerId` null: an administrator's view. */
export const createTasksReadModel = ({ db, fractionOf }: Deps) => ({
  list: async (q: ListQuery, ownerId: string | null) => {
    const where = {
      ...(ownerId ? { ownerId } : {}),
      ...(q.status ? { status: q.status } : {}),
      ...(q.task_type ? { stage: q.task_type } : {}),
      ...(q.file ? { fileId: q.file } : {}),
    };
    const [total, rows] = await Promise.all([
      db.task.count({ where }),
      db.task.findMany({
        where,
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        skip: (q.page - 1) * q.page_size,
        take: q.page_size,
      }),
    ]);
    return {
      items: rows.map((t) => taskObjectOf(t, t.runId ? fractionOf(t.runId, t.stage) : 0)),
      total,
      page: q.page,
      page_size: q.page_size,
    };
  },

  /** Stages of the file's latest run; null when there is none that this caller may see. */
  timeline: async (fileId: string, ownerId: string | null) => {
    const run = await db.run.findFirst({
      where: { fileId, ...(ownerId ? { ownerId } : {}) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    if (!run) return null;
    const [rows, tasks] = await Promise.all([
      db.stageRow.findMany({ where: { runId: run.id } }),
      db.task.findMany({ where: { runId: run.id } }),
    ]);
    const attempts = (stage: string) => {
      const task = tasks.find((t) => t.stage === stage);
      return task ? taskObjectOf(task).attempt : 0;
    };
    return timelineOf(
      run,
      rows.map((r) => ({ ...r, attempts: attempts(r.stage) })),
    );
  },
});
export type TasksReadModel = ReturnType<typeof createTasksReadModel>;
