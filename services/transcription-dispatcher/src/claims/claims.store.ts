import { transcriptionEvents, type tryOutcomes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Task } from '../generated/client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';

type TryOutcome = (typeof tryOutcomes)[number];

export const claimsStore = {
  /** The task, locked until the transaction ends; lock its run first. */
  lock: async (tx: Tx, taskId: string): Promise<Task | null> => {
    await tx.$executeRaw`select 1 from task where uuid = ${taskId}::uuid for update`;
    return tx.task.findUnique({ where: { id: taskId } });
  },
  runOf: async (tx: Tx, taskId: string): Promise<string | null | undefined> =>
    (await tx.task.findUnique({ where: { id: taskId }, select: { runId: true } }))?.runId,

  /** What became of the try that is under way. */
  endTry: async (
    tx: Tx,
    task: Pick<Task, 'id' | 'token'>,
    outcome: Exclude<TryOutcome, 'running'>,
    error?: { code: string; message: string },
  ): Promise<void> =>
    void (await tx.taskAttempt.updateMany({
      where: { taskId: task.id, token: task.token, outcome: 'running' },
      data: { outcome, endedAt: new Date(), errorCode: error?.code ?? null, errorMessage: error?.message ?? null },
    })),

  /** The run shows that it no longer waits for anything. */
  stopWaiting: (db: Db, outbox: Outbox, runId: string): Promise<void> =>
    db.$transaction(async (tx) => {
      const waited = await tx.run.updateManyAndReturn({
        where: { id: runId, waitingFor: { not: null } },
        data: { waitingFor: null },
      });
      for (const { fileId, ownerId } of waited)
        await outbox.add(tx, transcriptionEvents.runWaiting, { runId, fileId, ownerId, reason: null });
    }, txOptions),

  /**
   * Back to waiting. An order outside a run gives way to a newer one for the same file.
   * @returns false when it gave way.
   */
  toPending: async (tx: Tx, task: Task, data: Parameters<Tx['task']['update']>[0]['data']): Promise<boolean> => {
    const newer =
      task.runId === null &&
      (await tx.task.count({ where: { fileId: task.fileId, runId: null, status: 'pending' } })) > 0;
    const status = newer ? 'cancelled' : 'pending';
    await tx.task.update({
      where: { id: task.id },
      data: { ...data, status, worker: null, claimedAt: null, ...(newer ? { nextAttemptAt: null } : {}) },
    });
    return !newer;
  },
};
