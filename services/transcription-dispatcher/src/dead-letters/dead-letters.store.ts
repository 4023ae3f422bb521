import type { dispatcherRoutes, BodyOf, Stage } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type Run, type Task } from '../generated/client.ts';
import { runsStore } from '../runs/runs.ts';
import { stagesAfter } from './dead-letters.ts';

export type Kind = BodyOf<typeof dispatcherRoutes.retryDead>;
export type KindRow = {
  queue: string;
  stage: string;
  errorCode: string | null;
  count: number;
  newest: Date;
  oldest: Date;
};

/** Queries on dead jobs. */
export function createDeadLettersStore({ db }: { db: Db }) {
  return {
    find: (id: string): Promise<Task | null> => db.task.findUnique({ where: { id } }),
    count: (kind: Kind): Promise<number> => db.task.count({ where: deadJobFilter(kind) }),
    page: (kind: Kind, page: number, size: number): Promise<Task[]> =>
      db.task.findMany({
        where: deadJobFilter(kind),
        orderBy: [{ completedAt: 'desc' }, { id: 'desc' }],
        skip: (page - 1) * size,
        take: size,
      }),
    oldest: (kind: Kind, limit: number): Promise<Task[]> =>
      db.task.findMany({ where: deadJobFilter(kind), orderBy: [{ completedAt: 'asc' }, { id: 'asc' }], take: limit }),
    kinds: (): Promise<KindRow[]> =>
      db.$queryRaw<KindRow[]>`
      select queue, stage, error_code as "errorCode", count(*)::int as count,
             max(coalesce(completed_at, created_at)) as newest, min(coalesce(completed_at, created_at)) as oldest
      from task where status = 'failed' and discarded_at is null and not superseded
      group by queue, stage, error_code order by count(*) desc, queue, stage, error_code`,

    discard: async (tx: Tx, id: string): Promise<boolean> =>
      (await tx.task.updateMany({ where: { id, ...deadJobFilter({}) }, data: { discardedAt: new Date() } })).count > 0,
    discardAll: async (tx: Tx, kind: Kind): Promise<number> =>
      (await tx.task.updateMany({ where: deadJobFilter(kind), data: { discardedAt: new Date() } })).count,

    /** Whether a newer index task outside a run waits for the file. */
    isReplaced: async (tx: Tx, task: Task): Promise<boolean> =>
      task.runId === null &&
      (await tx.task.count({ where: { fileId: task.fileId, runId: null, status: 'pending', id: { not: task.id } } })) >
        0,

    /**
     * Resets the task to pending with no failures and a new token, which makes results of an earlier holder stale. The
     * retry loop publishes it like a task whose backoff has ended.
     */
    revive: async (tx: Tx, id: string): Promise<void> =>
      void (await tx.task.update({
        where: { id },
        data: {
          status: 'pending',
          token: { increment: 1 },
          failures: 0,
          infraRequeues: 0,
          worker: null,
          claimId: null,
          claimedAt: null,
          startedAt: null,
          completedAt: null,
          errorCode: null,
          errorMessage: null,
          waitingSince: new Date(),
          nextAttemptAt: new Date(),
        },
      })),

    /** Resets the stage to pending. In a run that stays ended it keeps `startedAt`, so that no event is repeated. */
    reviveStage: (tx: Tx, runId: string, stage: string, reopened: boolean) =>
      tx.stageRow.updateMany({
        where: { runId, stage },
        data: { status: 'pending', completedAt: null, ...(reopened ? { startedAt: null } : {}) },
      }),

    /** Sets the run to running again, resets the stages after `stage` and marks their tasks as superseded. */
    reopen: async (tx: Tx, run: Run, stage: Stage, warnings: string[]): Promise<void> => {
      const later = { runId: run.id, stage: { in: stagesAfter(stage) } };
      await tx.task.updateMany({ where: { ...later, superseded: false }, data: { superseded: true } });
      await tx.stageRow.updateMany({
        where: later,
        data: {
          status: 'pending',
          artefact: null,
          output: Prisma.DbNull,
          engineSeconds: null,
          orderedAt: null,
          startedAt: null,
          completedAt: null,
        },
      });
      await tx.run.update({
        where: { id: run.id },
        data: { status: 'running', completedAt: null, waitingFor: null, remindedAt: null, warnings },
      });
      await tx.pipelineTiming.updateMany({ where: { runId: run.id }, data: { completedAt: null, totalS: null } });
    },

    /** Locks the file's events, then the run, then the task. */
    lock: async (tx: Tx, task: Task): Promise<{ task: Task | null; run: Run | null; latestRunId: string | null }> => {
      await runsStore.lockFile(tx, task.fileId);
      const run = task.runId ? await runsStore.lock(tx, task.runId) : null;
      await tx.$executeRaw`select 1 from task where uuid = ${task.id}::uuid for update`;
      const [current, latest] = [
        await tx.task.findUnique({ where: { id: task.id } }),
        await runsStore.latest(tx, task.fileId),
      ];
      return { task: current, run, latestRunId: latest?.id ?? null };
    },
  };
}

function deadJobFilter(kind: Kind): Prisma.TaskWhereInput {
  return {
    status: 'failed',
    discardedAt: null,
    superseded: false,
    ...(kind.queue ? { queue: kind.queue } : {}),
    ...(kind.task_type ? { stage: kind.task_type } : {}),
    ...(kind.error_code ? { errorCode: kind.error_code } : {}),
  };
}

export type DeadLettersStore = ReturnType<typeof createDeadLettersStore>;
