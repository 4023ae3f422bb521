import { transcriptionEvents, type dispatcherRpc, type RequestOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { insertMessages, type Statements } from '../database.ts';

type Request = RequestOf<typeof dispatcherRpc.claim>;
/** The result of one claim statement. */
export type ClaimResult = {
  paused: boolean;
  /** Whether a task waits on the durable that no other claim has locked. */
  waiting: boolean;
  task: { id: string; runId: string | null; subject: string; input: unknown; token: number; attempt: number } | null;
  traceparent: string | null;
  /** The waiting reason that the run still shows; the claim makes it obsolete. */
  waitedFor: string | null;
};

/** The data of an event about a task's stage, from the task's columns. */
export const stageOfTask = `jsonb_build_object('runId', run_id, 'fileId', file_id, 'ownerId', owner_id, 'stage', stage)`;
const waits = `status = 'pending' and next_attempt_at is null`;
/** An express claim searches this many tasks at the head of the queue. */
const expressSearchDepth = 200;

const next = `
  select uuid from task where durable = $1 and ${waits} and subject = any($5) and uuid <> all($8::uuid[])
    and not exists (select 1 from earlier_claim) and not (select on_hold from hold)
  order by priority, rank limit 1 for update skip locked`;
/** Only short tasks, and only of an owner without a running task on this durable. */
const nextExpress = `
  select t.uuid from task t
  join (select uuid, owner_id from task where durable = $1 and ${waits} and express
        order by priority, rank limit ${expressSearchDepth}) first using (uuid)
  where ${waits} and t.subject = any($5) and t.uuid <> all($8::uuid[])
    and not exists (select 1 from earlier_claim) and not (select on_hold from hold)
    and not exists (select 1 from task r where r.durable = $1 and r.owner_id = first.owner_id and r.status = 'in_progress')
  order by t.priority, t.rank limit 1 for update of t skip locked`;

const texts = {
  normal: { name: 'claim-next', text: statementFor(next) },
  express: { name: 'claim-next-express', text: statementFor(nextExpress) },
} as const;

type Row = Omit<ClaimResult, 'waiting' | 'task'> &
  Omit<NonNullable<ClaimResult['task']>, 'id'> & { id: string | null; waiting: boolean | null };

/** Claims the next waiting task for a worker that holds a job signal, in one round trip and one commit. */
export function createClaimStore({ statements, outbox }: { statements: Statements; outbox: Pick<Outbox, 'headers'> }) {
  return {
    claimNext: async ({ durable, workerId, claimId, lane, subjects, except = [] }: Request): Promise<ClaimResult> => {
      const { rows } = await statements.commit<Row>({
        ...texts[lane],
        values: [
          durable,
          durable.slice(0, durable.indexOf('-')),
          workerId,
          claimId,
          subjects,
          transcriptionEvents.stageStarted.subject,
          JSON.stringify(outbox.headers()),
          except,
        ],
      });
      const [row] = rows;
      if (!row) throw new Error('the claim statement returned no row');
      const { id, runId, subject, input, token, attempt, paused, traceparent, waitedFor } = row;
      const task = id === null ? null : { id, runId, subject, input, token, attempt };
      return { paused, waiting: row.waiting ?? false, task, traceparent, waitedFor };
    },
  };
}

/**
 * Claims a task and writes its attempt, its stage and the stage's event in one statement. The returned token identifies
 * this claim. Rows are locked in the order task, stage, here and everywhere else; the run is only read.
 */
function statementFor(pick: string): string {
  return `
  with earlier_claim as (
    select uuid from task where claim_id = $4 and status = 'in_progress'
  ), hold as (
    select exists (select 1 from queue_pause where queue = $2) as on_hold
  ), pick as (${pick}
  ), claimed as (
    update task t set status = 'in_progress', token = token + 1, worker = $3, claim_id = $4, claimed_at = now(),
           started_at = coalesce(started_at, now())
    where t.uuid = (select uuid from pick)
    returning t.uuid, run_id, file_id, owner_id, stage, subject, input, token, failures
  ), attempt as (
    insert into task_attempt (task_id, token, attempt, worker)
    select uuid, token, failures + 1, $3 from claimed
  ), started_stage as (
    update stage s set status = 'running', started_at = now()
    where s.run_id = (select run_id from claimed) and s.stage = (select stage from claimed) and s.started_at is null
    returning s.run_id
  ), published as (${insertMessages({
    subject: '$6',
    data: stageOfTask,
    headers: '$7::jsonb',
    from: 'claimed where exists (select 1 from started_stage)',
  })}
  ), handed_out as (
    select uuid, run_id, subject, input, token, failures from claimed
    union all
    select t.uuid, t.run_id, t.subject, t.input, t.token, t.failures from task t join earlier_claim using (uuid)
  )
  select hold.on_hold as paused, handed_out.uuid as id, handed_out.run_id as "runId", handed_out.subject, handed_out.input, handed_out.token,
         handed_out.failures + 1 as attempt, run.traceparent, run.waiting_for as "waitedFor",
         case when handed_out.uuid is null then (
           select true from task where durable = $1 and ${waits} order by priority, rank limit 1) end as waiting
  from hold left join handed_out on true left join run on run.uuid = handed_out.run_id`;
}
