import { randomUUID } from 'node:crypto';
import { jobDurable, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier } from '@overtone/service-kit';
import type { Tx } from '../database.ts';
import {
  audioSecondsOf,
  carriesOn,
  inputFor,
  jobOf,
  type OrderNotes,
  type RunFacts,
  type StageResult,
} from './order-input.ts';
import { costOf, rankOf, urgencyOf } from './rank.ts';
import { standingOf } from './rank.store.ts';

type OpenTask = { id: string; subject: string };
type Deps = {
  outbox: Outbox;
  /** Recordings up to this length may use the places that long ones are kept from. */
  expressMaxSeconds: number;
};

/** Orders on the bus. The task row and its ticket are written in one transaction. */
export const createOrders = ({ outbox, expressMaxSeconds }: Deps) => {
  /** @returns undefined when this order stands already. */
  const insert = async (tx: Tx, stage: Stage, run: RunFacts, input: unknown): Promise<OpenTask | undefined> => {
    const { subject, queue, domain, policy } = jobOf(stage);
    const durable = jobDurable({ queue, domain });
    const seconds = audioSecondsOf(input);
    const cost = costOf(seconds);
    const { ownerId } = run;
    const priority = urgencyOf(stage, run.priority);
    const rank = rankOf(await standingOf(tx, { durable, ownerId, priority }), cost, carriesOn(stage));
    const express = seconds !== null && seconds <= expressMaxSeconds;
    const id = randomUUID();
    const made = await tx.$executeRaw`
      insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms,
                        publications, published_at, priority, rank, cost_s, express)
      values (${id}::uuid, ${run.id}::uuid, ${run.fileId}::uuid, ${ownerId}::uuid, ${stage}, ${subject}, ${queue},
              ${JSON.stringify(input)}::jsonb, ${policy.attempts}, ${policy.backoffMs}, 1, now(), ${priority},
              ${rank}, ${cost}, ${express})
      on conflict do nothing`;
    return made === 1 ? { id, subject } : undefined;
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
      const task = await insert(tx, stage, run, inputFor(stage, run, done, notes));
      if (!task) return false;
      await tx.stageRow.updateMany({ where: { runId: run.id, stage }, data: { orderedAt: new Date() } });
      await outbox.tickets(tx, [task]);
      return true;
    },
    /** Tickets for tasks that wait again, or whose own are gone. */
    republish: async (tx: Tx, tasks: readonly OpenTask[]): Promise<void> => {
      const now = new Date();
      await tx.task.updateMany({
        where: { id: { in: tasks.map((t) => t.id) } },
        data: { publications: { increment: 1 }, publishedAt: now, waitingSince: now, nextAttemptAt: null },
      });
      await outbox.tickets(tx, tasks);
    },
    traceparent: (): string | null => carrier().traceparent ?? null,
  };
};
export type Orders = ReturnType<typeof createOrders>;
