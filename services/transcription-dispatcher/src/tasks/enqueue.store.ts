import { randomUUID } from 'node:crypto';
import { jobDurable, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { insertMessages, outboxTable, type Tx } from '../database.ts';
import type { JobContext, RunFacts, StageResult } from '../runs/runs.ts';
import { audioSecondsOf, inputFor, jobOf, sharesDurableWithEarlierStage } from './job-input.ts';
import { costOf, rankOf, urgencyOf, type QueuePosition } from './rank.ts';

/** The columns of a new task row. */
export type TaskRow = Record<string, unknown> & { uuid: string; stage: Stage };

/** The part of a statement that writes a job signal for each task of `from`; the arguments are SQL. */
export function insertSignals(message: { headers: string; from: string }): string {
  return insertMessages({ subject: 'subject', data: `jsonb_build_object('taskId', uuid)`, ...message });
}

/**
 * The parts of a statement that enqueue a stage: the task row, the stage's time of enqueueing and the job signal. `row` and
 * `headers` are SQL expressions of JSON; without a row in `from` nothing is written. An existing task changes nothing.
 */
export function enqueueParts({ row, headers, from = '' }: { row: string; headers: string; from?: string }): string {
  return `
  enqueued as (
    insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, max_failures, backoff_ms,
                      publications, published_at, priority, rank, cost_s, express)
    select o.uuid, o.run_id, o.file_id, o.owner_id, o.stage, o.subject, o.queue, o.input, o.max_failures, o.backoff_ms,
           1, now(), o.priority, o.rank, o.cost_s, o.express
    from ${from ? `${from}, ` : ''}jsonb_populate_record(null::task, ${row}) o where o.uuid is not null
    on conflict do nothing returning uuid, run_id, stage, subject
  ), enqueued_stage as (
    update stage s set ordered_at = now() from enqueued o where s.run_id = o.run_id and s.stage = o.stage
  ), signal as (${insertSignals({ headers, from: 'enqueued' })}
  )`;
}

const enqueueStatement = `with ${enqueueParts({ row: '$1::jsonb', headers: '$2::jsonb' })}
  select uuid::text, pg_notify('${outboxTable}', '') is null as notified from enqueued`;

/**
 * The queue position for one owner at one priority, as two columns of a statement; reads only indexes, however long the
 * queue is. The arguments are SQL; without a durable both columns are 0.
 */
export function queuePositionColumns(at: { durable: string; owner: string; priority: string }): string {
  return `
  coalesce(
    nullif((select max(rank) from task where durable = ${at.durable} and status = 'in_progress'), 0),
    (select min(head.rank) from generate_series(0, 2) p, lateral (
       select rank from task where durable = ${at.durable} and priority = p and rank > 0
         and status = 'pending' and next_attempt_at is null order by rank limit 1) head),
    0) as head,
  coalesce((select max(last.rank) from generate_series(0, ${at.priority}) p, lateral (
       select rank from task where durable = ${at.durable} and owner_id = ${at.owner} and priority = p
         and status in ('pending', 'in_progress') order by rank desc limit 1) last),
    0) as own`;
}

const positionStatement = `select ${queuePositionColumns({ durable: '$1', owner: '$2::uuid', priority: '$3::integer' })}`;

export async function readQueuePosition(
  tx: Tx,
  { durable, ownerId, priority }: { durable: string; ownerId: string; priority: number },
): Promise<QueuePosition> {
  const [queuePosition] = await tx.$queryRawUnsafe<QueuePosition[]>(positionStatement, durable, ownerId, priority);
  return queuePosition ?? { head: 0, own: 0 };
}

export type EnqueueDeps = {
  outbox: Pick<Outbox, 'headers'>;
  /** Recordings up to this length may use express slots. */
  expressMaxSeconds: number;
};

/** Enqueues jobs: the task row and its job signal are written in one transaction. */
export function createEnqueueStore({ outbox, expressMaxSeconds }: EnqueueDeps) {
  /** Builds the task row of a stage from the queue's current state. */
  const buildTaskRow = (
    stage: Stage,
    run: RunFacts,
    queuePosition: QueuePosition,
    done: StageResult[],
    context: JobContext = {},
  ): TaskRow => {
    const { subject, queue, policy } = jobOf(stage);
    const input = inputFor(stage, run, done, context);
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
      rank: rankOf(queuePosition, cost, sharesDurableWithEarlierStage(stage)),
      cost_s: cost,
      express: seconds !== null && seconds <= expressMaxSeconds,
    };
  };

  return {
    buildTaskRow,
    enqueue: async (
      tx: Tx,
      stage: Stage,
      run: RunFacts,
      done: StageResult[],
      context: JobContext = {},
    ): Promise<boolean> => {
      const durable = jobDurable(jobOf(stage));
      const queueKey = { durable, ownerId: run.ownerId, priority: urgencyOf(stage, run.priority) };
      const row = buildTaskRow(stage, run, await readQueuePosition(tx, queueKey), done, context);
      const headers = JSON.stringify(outbox.headers());
      return (await tx.$queryRawUnsafe<unknown[]>(enqueueStatement, JSON.stringify(row), headers)).length > 0;
    },
  };
}
