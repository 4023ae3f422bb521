import { transcriptionEvents, type tryOutcomes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Run, Task } from '../generated/client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { runsStore } from '../runs/runs.ts';

type AttemptOutcome = (typeof tryOutcomes)[number];

export const claimsStore = {
  /** Runs `work` with run and task locked, in this order, if `token` is still the task's latest. */
  withLockedTask: <T>(
    db: Db,
    { taskId, token }: { taskId: string; token: number },
    work: (tx: Tx, task: Task, run: Run | null) => Promise<T>,
  ): Promise<T | 'stale'> =>
    db.$transaction(async (tx) => {
      const found = await tx.task.findUnique({ where: { id: taskId }, select: { runId: true } });
      if (!found) return 'stale';
      const run = found.runId ? await runsStore.lock(tx, found.runId) : null;
      await tx.$executeRaw`select 1 from task where uuid = ${taskId}::uuid for update`;
      const task = await tx.task.findUnique({ where: { id: taskId } });
      return task?.token === token ? work(tx, task, run) : 'stale';
    }, txOptions),

  /** Records the outcome of the current attempt. */
  endAttempt: async (
    tx: Tx,
    task: Pick<Task, 'id' | 'token'>,
    outcome: Exclude<AttemptOutcome, 'running'>,
    error?: { code: string; message: string },
  ): Promise<void> =>
    void (await tx.taskAttempt.updateMany({
      where: { taskId: task.id, token: task.token, outcome: 'running' },
      data: { outcome, endedAt: new Date(), errorCode: error?.code ?? null, errorMessage: error?.message ?? null },
    })),

  /** Clears the run's waiting reason and publishes the change. */
  stopWaiting: (db: Db, outbox: Outbox, runId: string): Promise<void> =>
    db.$transaction(async (tx) => {
      const waited = await tx.run.updateManyAndReturn({
        where: { id: runId, waitingFor: { not: null } },
        data: { waitingFor: null },
      });
      for (const { fileId, ownerId } of waited)
        await outbox.add(tx, transcriptionEvents.runWaiting, { runId, fileId, ownerId, reason: null });
    }, txOptions),
};
