import type { AnswerOf, dispatcherRoutes, QueryOf } from '@overtone/contracts';
import { roleAtLeast } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { Prisma, type Run, type Task } from '../generated/client.ts';
import { titlesOf, type Files, type Reader } from '../ports/files.ts';
import type { Workers, WorkerState } from '../workers/workers.ts';
import { keptTasks, taskObjectOf, timelineOf, toAttemptObjects, type TaskObject } from './tasks.ts';

type Routes = typeof dispatcherRoutes;
type TaskFilter = Omit<QueryOf<Routes['listTasks']>, 'page' | 'page_size'>;
type Progress = { fractionOf: (runId: string, stage: string) => number };
export type DescribeTasks = (tasks: Task[], reader: Reader) => Promise<TaskObject[]>;

/** Adds the progress of the tasks and the titles of their files. */
export function createDescribeTasks({ files, fractionOf }: { files: Files } & Progress): DescribeTasks {
  return async (tasks, reader) => {
    const titles = await titlesOf(files, tasks, reader);
    return tasks.map((task) =>
      taskObjectOf(task, {
        fraction: task.runId ? fractionOf(task.runId, task.stage) : 0,
        title: titles.get(task.fileId) ?? null,
      }),
    );
  };
}

type Deps = { db: Db; files: Files; describe: DescribeTasks; workers: Pick<Workers, 'live'> };

/** Tasks as users see them: their own; administrators see all. */
export function createTasksReadModel({ db, files, describe, workers }: Deps) {
  return {
    list: async (
      filter: TaskFilter,
      page: number,
      size: number,
      reader: Reader,
    ): Promise<AnswerOf<Routes['listTasks']>> => {
      const others = filter.owner !== undefined && filter.owner !== reader.userId;
      if (others && !canReadAll(reader)) return { items: [], total: 0, page, page_size: size };
      const own = canReadAll(reader) ? filter : { ...filter, owner: reader.userId };
      const { rows, total } = await readPage(db, own, page, size);
      return { items: await describe(rows, reader), total, page, page_size: size };
    },

    /** One task with its attempts; null when the reader may not see it. */
    task: async (id: string, reader: Reader): Promise<AnswerOf<Routes['task']> | null> => {
      const task = await db.task.findUnique({ where: { id }, include: { attempts: true } });
      if (!task || (task.ownerId !== reader.userId && !canReadAll(reader))) return null;
      const { attempts, ...row } = task;
      const [object] = await describe([row], reader);
      return object ? { ...object, tries: toAttemptObjects(attempts) } : null;
    },
    timeline: createTimeline({ db, files, workers }),
  };
}

export type TasksReadModel = ReturnType<typeof createTasksReadModel>;

/** Stages of the file's latest run; null when the reader may not see it. */
function createTimeline({ db, files, workers }: Omit<Deps, 'describe'>) {
  const mayRead = async (run: Run, reader: Reader): Promise<boolean> =>
    run.ownerId === reader.userId ||
    canReadAll(reader) ||
    (await files.describe([run.fileId], reader)).get(run.fileId)?.readable === true;

  const pausedReason = async (run: Run): Promise<string | null> => {
    if (run.waitingFor !== 'paused') return null;
    const open = await db.task.findFirst({ where: { runId: run.id, status: 'pending' }, select: { queue: true } });
    return open ? ((await db.queuePause.findUnique({ where: { queue: open.queue } }))?.reason ?? null) : null;
  };

  return async (fileId: string, reader: Reader): Promise<AnswerOf<Routes['fileTimeline']> | null> => {
    const run = await db.run.findFirst({ where: { fileId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] });
    if (!run || !(await mayRead(run, reader))) return null;
    const [rows, tasks, reason] = await Promise.all([
      db.stageRow.findMany({ where: { runId: run.id } }),
      db.task.findMany({ where: { runId: run.id }, include: { attempts: true } }),
      pausedReason(run),
    ]);
    const speechModelPercent = run.waitingFor === 'engine' ? percentOf(workers.live()) : null;
    return timelineOf(run, rows, tasks, { pausedReason: reason, speechModelPercent });
  };
}

/** Of the worker that received most. */
function percentOf(workers: readonly WorkerState[] | null): number | null {
  const percents = (workers ?? []).flatMap(({ speechModelPercent: percent }) => percent ?? []);
  return percents.length === 0 ? null : Math.max(...percents);
}

function canReadAll({ role }: Reader): boolean {
  return roleAtLeast(role, 'admin');
}

/** A page of the task list, newest first, limited to the kept tasks. */
async function readPage(
  db: Db,
  filter: TaskFilter,
  page: number,
  size: number,
): Promise<{ total: number; rows: Task[] }> {
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
}

function conditions(filter: TaskFilter): Prisma.Sql {
  const like = `%${escapeLike(filter.q ?? '')}%`;
  const begins = `${escapeLike((filter.q ?? '').toLowerCase())}%`;
  const all = [
    Prisma.sql`true`,
    ...(filter.owner ? [Prisma.sql`owner_id = ${filter.owner}::uuid`] : []),
    ...(filter.status ? [Prisma.sql`status = ${filter.status}`] : []),
    ...(filter.task_type ? [Prisma.sql`stage = ${filter.task_type}`] : []),
    ...(filter.queue ? [Prisma.sql`queue = ${filter.queue}`] : []),
    ...(filter.file ? [Prisma.sql`file_id = ${filter.file}::uuid`] : []),
    ...(filter.q
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
