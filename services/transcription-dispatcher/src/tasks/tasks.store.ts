import type { Stage, tryOutcomes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Statements, Tx } from '../database.ts';
import type { Task } from '../generated/client.ts';
import { createAcceptStore } from './accept.store.ts';
import { createAgeing } from './ageing.store.ts';
import { createClaimStore } from './claim.store.ts';
import { deadJobFilter, type DeadJobs } from './dead-letters.ts';
import { createEnqueueStore } from './enqueue.store.ts';
import { createRequeueStore } from './requeue.store.ts';
import { createTaskStateStore } from './task-state.store.ts';

type Deps = { db: Db; statements: Statements; outbox: Pick<Outbox, 'headers'>; expressMaxSeconds: number };

/**
 * The table `task`; nothing else writes it. Each step of a task's life is one statement in a file of its own: enqueue,
 * claim, accept, requeue. Methods with a `tx` work in the caller's transaction.
 */
export function createTaskStore({ db, statements, outbox, expressMaxSeconds }: Deps) {
  return {
    ...createEnqueueStore({ outbox, expressMaxSeconds }),
    ...createClaimStore({ statements, outbox }),
    ...createTaskStateStore({ statements }),
    ...createAcceptStore({ statements, outbox }),
    ...createRequeueStore({ statements, outbox }),
    ...createAgeing({ db }),
    ...createTaskCleanup({ db }),
    ...taskEnds,
    ...deadJobs,
  };
}

export type TaskStore = ReturnType<typeof createTaskStore>;
type AttemptOutcome = (typeof tryOutcomes)[number];

const taskEnds = {
  lockTask: async (tx: Tx, id: string): Promise<Task | null> => {
    await tx.$executeRaw`select 1 from task where uuid = ${id}::uuid for update`;
    return tx.task.findUnique({ where: { id } });
  },

  /** Fails a task and its current attempt. A lost task gets a new token, because its worker may still send results. */
  fail: async (
    tx: Tx,
    { id, token }: Pick<Task, 'id' | 'token'>,
    outcome: AttemptOutcome & ('failed' | 'lost'),
    { code, message }: { code: string; message: string },
  ): Promise<void> => {
    const error = { errorCode: code, errorMessage: message };
    await tx.taskAttempt.updateMany({
      where: { taskId: id, token, outcome: 'running' },
      data: { outcome, endedAt: new Date(), ...error },
    });
    const counted =
      outcome === 'lost'
        ? { token: { increment: 1 }, infraRequeues: { increment: 1 } }
        : { failures: { increment: 1 } };
    await tx.task.update({
      where: { id },
      data: { status: 'failed', ...counted, ...error, completedAt: new Date() },
    });
  },

  cancelTasksOfRun: async (tx: Tx, runId: string): Promise<string[]> => {
    const stopped = await tx.$queryRaw<{ uuid: string }[]>`
      with stopped as (
        update task set status = 'cancelled', token = token + 1, completed_at = now(), next_attempt_at = null
        where run_id = ${runId}::uuid and status in ('pending', 'in_progress') returning uuid
      ), ended as (
        update task_attempt a set outcome = 'cancelled', ended_at = now() from stopped
        where a.task_id = stopped.uuid and a.outcome = 'running')
      select uuid::text as uuid from stopped`;
    return stopped.map(({ uuid }) => uuid);
  },

  cancelStandaloneTasks: async (tx: Tx, fileId: string): Promise<void> =>
    void (await tx.task.updateMany({
      where: { fileId, runId: null, status: { in: ['pending', 'in_progress'] } },
      data: { status: 'cancelled', token: { increment: 1 }, completedAt: new Date(), nextAttemptAt: null },
    })),
};

const deadJobs = {
  /** @returns the number of discarded jobs. */
  discardDead: async (tx: Tx, jobs: DeadJobs & { id?: string }): Promise<number> =>
    (await tx.task.updateMany({ where: deadJobFilter(jobs), data: { discardedAt: new Date() } })).count,

  discardDeadOfFile: async (tx: Tx, fileId: string): Promise<void> =>
    void (await tx.task.updateMany({
      where: { fileId, status: 'failed', discardedAt: null },
      data: { discardedAt: new Date() },
    })),

  supersede: async (tx: Tx, runId: string, stages: Stage[]): Promise<void> =>
    void (await tx.task.updateMany({
      where: { runId, stage: { in: stages }, superseded: false },
      data: { superseded: true },
    })),

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
};

/** Deletes old tasks. */
export function createTaskCleanup({ db }: { db: Db }) {
  return {
    /** Deletes ended tasks beyond the newest `keep`, at most `batchSize` per call; tasks of a running run stay. */
    prune: (keep: number, batchSize: number): Promise<number> => db.$executeRaw`
    delete from task where uuid in (
      select t.uuid from task t left join run r on r.uuid = t.run_id
      where t.status in ('completed', 'failed', 'cancelled') and r.status is distinct from 'running'
        and coalesce(t.completed_at, t.created_at) <= (
          select coalesce(completed_at, created_at) from task where status in ('completed', 'failed', 'cancelled')
          order by coalesce(completed_at, created_at) desc offset ${keep} limit 1)
      order by coalesce(t.completed_at, t.created_at) limit ${batchSize})`,

    /** Deletes ended tasks outside runs; the others are deleted with their run. */
    deleteOldStandalone: async (): Promise<void> =>
      void (await db.$executeRaw`
      delete from task where run_id is null and completed_at < now() - interval '7 days'`),
  };
}
