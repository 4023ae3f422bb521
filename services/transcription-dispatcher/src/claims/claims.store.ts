import { transcriptionEvents, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Task } from '../generated/client.ts';
import type { Tx } from '../database.ts';

export const claimsStore = {
  /** The task, locked until the transaction ends; lock its run first. */
  lock: async (tx: Tx, taskId: string): Promise<Task | null> => {
    await tx.$executeRaw`select 1 from task where uuid = ${taskId}::uuid for update`;
    return tx.task.findUnique({ where: { id: taskId } });
  },
  runOf: async (tx: Tx, taskId: string): Promise<string | null | undefined> =>
    (await tx.task.findUnique({ where: { id: taskId }, select: { runId: true } }))?.runId,

  /** The one statement that hands a task out; the token it returns is the holder's proof. */
  take: async (tx: Tx, task: Task, workerId: string): Promise<Task> => {
    const lost = task.status === 'in_progress' && task.worker !== workerId;
    const now = new Date();
    return tx.task.update({
      where: { id: task.id },
      data: {
        token: { increment: 1 },
        status: 'in_progress',
        worker: workerId,
        claimedAt: now,
        startedAt: task.startedAt ?? now,
        nextAttemptAt: null,
        infraRequeues: { increment: lost ? 1 : 0 },
      },
    });
  },

  /** The run shows that its stage is under way, and that it no longer waits for anything. */
  markStarted: async (tx: Tx, outbox: Outbox, task: Task & { runId: string }): Promise<void> => {
    const ids = { runId: task.runId, fileId: task.fileId, ownerId: task.ownerId };
    const stage = task.stage as Stage;
    const first = await tx.stageRow.updateMany({
      where: { runId: task.runId, stage, startedAt: null },
      data: { status: 'running', startedAt: new Date() },
    });
    if (first.count === 1) await outbox.add(tx, transcriptionEvents.stageStarted, { ...ids, stage });
    const waited = await tx.run.updateMany({
      where: { id: task.runId, waitingFor: { not: null } },
      data: { waitingFor: null },
    });
    if (waited.count === 1) await outbox.add(tx, transcriptionEvents.runWaiting, { ...ids, reason: null });
  },

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
