import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { roleAtLeast } from '@overtone/contracts';
import type { Db } from '../database.ts';
import type { Run, Task } from '../generated/client.ts';
import { titlesOf, type Files, type Reader } from '../ports/files.ts';
import { keptTasks, taskObjectOf, timelineOf, toAttemptObjects, type TaskObject } from './tasks.ts';
import type { TaskFilter, TasksStore } from './tasks.store.ts';

type Deps = { db: Db; store: TasksStore; files: Files; fractionOf: (runId: string, stage: string) => number };
type Routes = typeof dispatcherRoutes;
const pruneBatch = 2_000;

/** Tasks as users see them: their own; administrators see all. */
export function createTasksReadModel({ db, store, files, fractionOf }: Deps) {
  const objectsOf = async (tasks: Task[], reader: Reader): Promise<TaskObject[]> => {
    const titles = await titlesOf(
      files,
      tasks.map((t) => t.fileId),
      reader,
    );
    return tasks.map((t) =>
      taskObjectOf(t, {
        fraction: t.runId ? fractionOf(t.runId, t.stage) : 0,
        title: titles.get(t.fileId) ?? null,
      }),
    );
  };

  const mayRead = async (run: Run, reader: Reader): Promise<boolean> =>
    run.ownerId === reader.userId ||
    canReadAll(reader) ||
    (await files.describe([run.fileId], reader)).get(run.fileId)?.readable === true;

  const pausedReason = async (run: Run): Promise<string | null> => {
    if (run.waitingFor !== 'paused') return null;
    const open = await db.task.findFirst({ where: { runId: run.id, status: 'pending' }, select: { queue: true } });
    return open ? ((await db.queuePause.findUnique({ where: { queue: open.queue } }))?.reason ?? null) : null;
  };

  return {
    objectsOf,

    list: async (
      filter: TaskFilter,
      page: number,
      size: number,
      reader: Reader,
    ): Promise<AnswerOf<Routes['listTasks']>> => {
      const others = filter.owner !== undefined && filter.owner !== reader.userId;
      if (others && !canReadAll(reader)) return { items: [], total: 0, page, page_size: size };
      const own = canReadAll(reader) ? filter : { ...filter, owner: reader.userId };
      const { rows, total } = await store.page(own, page, size);
      return { items: await objectsOf(rows, reader), total, page, page_size: size };
    },

    /** One task with its attempts; null when the reader may not see it. */
    task: async (id: string, reader: Reader): Promise<AnswerOf<Routes['task']> | null> => {
      const task = await db.task.findUnique({ where: { id }, include: { attempts: true } });
      if (!task || (task.ownerId !== reader.userId && !canReadAll(reader))) return null;
      const { attempts, ...row } = task;
      const [object] = await objectsOf([row], reader);
      return object ? { ...object, tries: toAttemptObjects(attempts) } : null;
    },

    /** Stages of the file's latest run; null when the reader may not see it. */
    timeline: async (fileId: string, reader: Reader): Promise<AnswerOf<Routes['fileTimeline']> | null> => {
      const run = await db.run.findFirst({ where: { fileId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] });
      if (!run || !(await mayRead(run, reader))) return null;
      const [rows, tasks, reason] = await Promise.all([
        db.stageRow.findMany({ where: { runId: run.id } }),
        db.task.findMany({ where: { runId: run.id }, include: { attempts: true } }),
        pausedReason(run),
      ]);
      return timelineOf(run, rows, tasks, reason);
    },

    /** Deletes all but the newest ended tasks. */
    prune: async (signal?: AbortSignal): Promise<void> => {
      while (!signal?.aborted && (await store.prune(keptTasks, pruneBatch)) === pruneBatch);
    },
  };
}

function canReadAll({ role }: Reader): boolean {
  return roleAtLeast(role, 'admin');
}

export type TasksReadModel = ReturnType<typeof createTasksReadModel>;
