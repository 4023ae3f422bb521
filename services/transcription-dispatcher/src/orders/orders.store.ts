import { randomUUID } from 'node:crypto';
import type { JobDef, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier, inSpan } from '@overtone/service-kit';
import type { Json, Tx } from '../database.ts';
import { inputFor, jobOf, type OrderNotes, type RunFacts, type StageResult } from './order-input.ts';

type OpenTask = { id: string; runId: string | null; subject: string; stage: string; input: unknown };

/** Orders on the bus. The task row and its message are written in one transaction. */
export const createOrders = ({ outbox }: { outbox: Outbox }) => {
  const publish = async (tx: Tx, task: OpenTask): Promise<void> => {
    const job: JobDef = jobOf(task.stage as Stage);
    await outbox.order(tx, job, { taskId: task.id, input: task.input });
  };

  return {
    /** Orders a stage of a run; ordering it twice is one order. */
    place: async (
      tx: Tx,
      stage: Stage,
      run: RunFacts,
      done: StageResult[],
      notes: OrderNotes = {},
    ): Promise<boolean> => {
      const input = inputFor(stage, run, done, notes);
      const task = await insertTask(tx, { stage, runId: run.id, fileId: run.fileId, ownerId: run.ownerId, input });
      if (!task) return false;
      await tx.stageRow.updateMany({ where: { runId: run.id, stage }, data: { orderedAt: new Date() } });
      await publish(tx, task);
      return true;
    },
    /** Puts waiting tasks on the bus (again), each under a new message id and in its run's own trace. */
    republish: async (tx: Tx, tasks: OpenTask[], traceparents: Map<string, string | null>): Promise<void> => {
      for (const task of tasks) {
        await tx.task.update({
          where: { id: task.id },
          data: { publications: { increment: 1 }, publishedAt: new Date(), nextAttemptAt: null },
        });
        const traceparent = (task.runId && traceparents.get(task.runId)) ?? '';
        await inSpan('order again', { from: { traceparent } }, () => publish(tx, task));
      }
    },
    traceparent: (): string | null => carrier().traceparent ?? null,
  };
};
export type Orders = ReturnType<typeof createOrders>;

type NewTask = { id?: string; stage: Stage; runId: string | null; fileId: string; ownerId: string; input: unknown };

/** @returns undefined when this order stands already. */
const insertTask = async (tx: Tx, t: NewTask): Promise<OpenTask | undefined> => {
  const job = jobOf(t.stage);
  const id = t.id ?? randomUUID();
  const made = await tx.$executeRaw`
    insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms,
                      publications, published_at)
    values (${id}::uuid, ${t.runId}::uuid, ${t.fileId}::uuid, ${t.ownerId}::uuid, ${t.stage}, ${job.subject},
            ${job.queue}, ${JSON.stringify(t.input)}::jsonb, ${job.policy.attempts}, ${job.policy.backoffMs}, 1, now())
    on conflict do nothing`;
  return made === 1 ? { id, runId: t.runId, subject: job.subject, stage: t.stage, input: t.input as Json } : undefined;
};
