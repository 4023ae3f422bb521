import { randomUUID } from 'node:crypto';
import { jobDurable, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier } from '@overtone/service-kit';
import { outboxTable, type Tx } from '../database.ts';
import {
  audioSecondsOf,
  sharesDurableWithEarlierStage,
  inputFor,
  jobOf,
  type JobContext,
  type RunFacts,
  type StageResult,
} from './job-input.ts';
import { costOf, rankOf, urgencyOf, type QueuePosition } from './rank.ts';
import { readQueuePosition } from './rank.store.ts';

/** The columns of a new task row. */
export type TaskRow = Record<string, unknown> & { uuid: string; stage: Stage };
type Deps = {
  outbox: Outbox;
  /** Recordings up to this length may use express slots. */
  expressMaxSeconds: number;
};

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
  ), signal as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), ${headers}, gen_random_uuid() from enqueued
  )`;
}

const enqueueStatement = `with ${enqueueParts({ row: '$1::jsonb', headers: '$2::jsonb' })}
  select uuid::text, pg_notify('${outboxTable}', '') is null as notified from enqueued`;

/**
 * Publishes new job signals for waiting tasks whose backoff has ended or whose signal was lost.
 * @param which SQL that selects and locks their ids; its parameters start at $2. $1 are the message headers.
 */
export function republishStatement(which: string): string {
  return `
  with chosen as (${which}
  ), republished as (
    update task t set publications = publications + 1, published_at = now(), waiting_since = now(), next_attempt_at = null
    from chosen where t.uuid = chosen.uuid returning t.uuid, t.subject
  ), signal as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), $1::jsonb, gen_random_uuid() from republished
  )
  select uuid from republished`;
}

function durableOf(stage: Stage): string {
  return jobDurable(jobOf(stage));
}

/** Enqueues jobs: the task row and its job signal are written in one transaction. */
export function createJobRequests({ outbox, expressMaxSeconds }: Deps) {
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
    /** Enqueues a stage of a run; idempotent. @returns false when it was enqueued before. */
    enqueue: async (
      tx: Tx,
      stage: Stage,
      run: RunFacts,
      done: StageResult[],
      context: JobContext = {},
    ): Promise<boolean> => {
      const queueKey = { durable: durableOf(stage), ownerId: run.ownerId, priority: urgencyOf(stage, run.priority) };
      const row = buildTaskRow(stage, run, await readQueuePosition(tx, queueKey), done, context);
      const headers = JSON.stringify(outbox.headers());
      return (await tx.$queryRawUnsafe<unknown[]>(enqueueStatement, JSON.stringify(row), headers)).length > 0;
    },
    traceparent: (): string | null => carrier().traceparent ?? null,
  };
}

export type JobRequests = ReturnType<typeof createJobRequests>;
