import { randomUUID } from 'node:crypto';
import { jobDurable, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier } from '@overtone/service-kit';
import { outboxTable, type Tx } from '../database.ts';
import {
  audioSecondsOf,
  carriesOn,
  inputFor,
  jobOf,
  type OrderNotes,
  type RunFacts,
  type StageResult,
} from './order-input.ts';
import { costOf, rankOf, urgencyOf, type Standing } from './rank.ts';
import { standingOf } from './rank.store.ts';

/** A task's columns, as its order writes them. */
export type OrderRow = Record<string, unknown> & { uuid: string; stage: Stage };
type Deps = {
  outbox: Outbox;
  /** Recordings up to this length may use the places that long ones are kept from. */
  expressMaxSeconds: number;
};

/**
 * The parts of a statement that order a stage: its task, when it was ordered, its ticket. `row` and `headers` are SQL of
 * JSON; `from` says what must be there for it. An order that stands already changes nothing.
 */
export const orderParts = ({ row, headers, from = '' }: { row: string; headers: string; from?: string }): string => `
  ordered as (
    insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms,
                      publications, published_at, priority, rank, cost_s, express)
    select o.uuid, o.run_id, o.file_id, o.owner_id, o.stage, o.subject, o.queue, o.input, o.max_failures, o.backoff_ms,
           1, now(), o.priority, o.rank, o.cost_s, o.express
    from ${from ? `${from}, ` : ''}jsonb_populate_record(null::task, ${row}) o where o.uuid is not null
    on conflict do nothing returning uuid, run_id, stage, subject
  ), awaited as (
    update stage s set ordered_at = now() from ordered o where s.run_id = o.run_id and s.stage = o.stage
  ), ticket as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), ${headers}, gen_random_uuid() from ordered
  )`;

const placing = `with ${orderParts({ row: '$1::jsonb', headers: '$2::jsonb' })}
  select uuid::text, pg_notify('${outboxTable}', '') is null as told from ordered`;

/**
 * Gives new tickets to tasks that wait again, or whose own are gone: one statement.
 * @param which SQL that selects their ids, locked; it has its parameters from $2 on. $1 are the messages' headers.
 */
export const republishing = (which: string): string => `
  with chosen as (${which}
  ), again as (
    update task t set publications = publications + 1, published_at = now(), waiting_since = now(), next_attempt_at = null
    from chosen where t.uuid = chosen.uuid returning t.uuid, t.subject
  ), ticket as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), $1::jsonb, gen_random_uuid() from again
  )
  select uuid from again`;

const durableOf = (stage: Stage): string => jobDurable(jobOf(stage));

/** Orders on the bus. The task row and its ticket are written in one transaction. */
export const createOrders = ({ outbox, expressMaxSeconds }: Deps) => {
  /** What is to be written for a stage of a run, as the queue of its durable stands. */
  const rowFor = (
    stage: Stage,
    run: RunFacts,
    standing: Standing,
    done: StageResult[],
    notes: OrderNotes = {},
  ): OrderRow => {
    const { subject, queue, policy } = jobOf(stage);
    const input = inputFor(stage, run, done, notes);
    const seconds = audioSecondsOf(input);
    const cost = costOf(seconds);
    return {
      uuid: randomUUID(),
      run_id: run.id,
      file_id: run.fileId,
      owner_id: run.ownerId,
      stage,
      subject,
      queue,
      input,
      max_failures: policy.attempts,
      backoff_ms: policy.backoffMs,
      priority: urgencyOf(stage, run.priority),
      rank: rankOf(standing, cost, carriesOn(stage)),
      cost_s: cost,
      express: seconds !== null && seconds <= expressMaxSeconds,
    };
  };

  return {
    rowFor,
    /** Orders a stage of a run; ordering it twice is one order. */
    place: async (
      tx: Tx,
      stage: Stage,
      run: RunFacts,
      done: StageResult[],
      notes: OrderNotes = {},
    ): Promise<boolean> => {
      const at = { durable: durableOf(stage), ownerId: run.ownerId, priority: urgencyOf(stage, run.priority) };
      const row = rowFor(stage, run, await standingOf(tx, at), done, notes);
      const headers = JSON.stringify(outbox.headers());
      return (await tx.$queryRawUnsafe<unknown[]>(placing, JSON.stringify(row), headers)).length > 0;
    },
    traceparent: (): string | null => carrier().traceparent ?? null,
  };
};
export type Orders = ReturnType<typeof createOrders>;
