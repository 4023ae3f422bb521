import { transcriptionEvents, type dispatcherRpc, type RequestOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { outboxTable, type Statements } from '../database.ts';

type Request = RequestOf<typeof dispatcherRpc.claim>;
/** What became of a ticket, as one statement finds it. */
export type Taken = {
  paused: boolean;
  /** Whether anything waits on the durable that nobody else is just being given. */
  waiting: boolean;
  task: { id: string; runId: string | null; subject: string; input: unknown; token: number; attempt: number } | null;
  traceparent: string | null;
  /** The run shows that it waits for something, and does not any more. */
  waitedFor: string | null;
};

const waits = `status = 'pending' and next_attempt_at is null`;
/** So many of the first in line are looked at for one that may go ahead of them. */
const expressLook = 200;

const next = `
  select uuid from task where durable = $1 and ${waits} and subject = any($5)
    and not exists (select 1 from again) and not (select on_hold from hold)
  order by priority, rank limit 1 for update skip locked`;
/** Only what is short, and of an owner for whom nothing is done on this durable. */
const nextExpress = `
  select t.uuid from task t
  join (select uuid, owner_id from task where durable = $1 and ${waits} and express
        order by priority, rank limit ${expressLook}) first using (uuid)
  where ${waits} and t.subject = any($5)
    and not exists (select 1 from again) and not (select on_hold from hold)
    and not exists (select 1 from task r where r.durable = $1 and r.owner_id = first.owner_id and r.status = 'in_progress')
  order by t.priority, t.rank limit 1 for update of t skip locked`;

/**
 * The one statement that hands a task out, with its try, its stage and the event of it. The token it returns is the
 * holder's proof. Rows are locked in the order task, stage (and nowhere the other way round); the run is only read.
 */
const statementFor = (pick: string): string => `
  with again as (
    select uuid from task where claim_id = $4 and status = 'in_progress'
  ), hold as (
    select exists (select 1 from queue_pause where queue = $2) as on_hold
  ), pick as (${pick}
  ), taken as (
    update task t set status = 'in_progress', token = token + 1, worker = $3, claim_id = $4, claimed_at = now(),
           started_at = coalesce(started_at, now())
    where t.uuid = (select uuid from pick)
    returning t.uuid, run_id, file_id, owner_id, stage, subject, input, token, failures
  ), tried as (
    insert into task_attempt (task_id, token, attempt, worker)
    select uuid, token, failures + 1, $3 from taken
  ), begun as (
    update stage s set status = 'running', started_at = now()
    where s.run_id = (select run_id from taken) and s.stage = (select stage from taken) and s.started_at is null
    returning s.run_id
  ), told as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select $6, jsonb_build_object('runId', run_id, 'fileId', file_id, 'ownerId', owner_id, 'stage', stage), $7::jsonb,
           gen_random_uuid()
    from taken where exists (select 1 from begun)
  ), mine as (
    select uuid, run_id, subject, input, token, failures from taken
    union all
    select t.uuid, t.run_id, t.subject, t.input, t.token, t.failures from task t join again using (uuid)
  )
  select hold.on_hold as paused, mine.uuid as id, mine.run_id as "runId", mine.subject, mine.input, mine.token,
         mine.failures + 1 as attempt, run.traceparent, run.waiting_for as "waitedFor",
         case when mine.uuid is null then (
           select true from task where durable = $1 and ${waits} order by priority, rank limit 1) end as waiting
  from hold left join mine on true left join run on run.uuid = mine.run_id`;

const texts = {
  normal: { name: 'claim-next', text: statementFor(next) },
  express: { name: 'claim-next-express', text: statementFor(nextExpress) },
} as const;

type Row = {
  paused: boolean;
  waiting: boolean | null;
  id: string | null;
  runId: string | null;
  subject: string;
  input: unknown;
  token: number;
  attempt: number;
  traceparent: string | null;
  waitedFor: string | null;
};

/** Hands waiting tasks out to whoever holds a ticket. One round trip, one commit. */
export const createClaimStore = (d: { statements: Statements; outbox: Pick<Outbox, 'headers'> }) => ({
  take: async ({ durable, workerId, claimId, lane, subjects }: Request): Promise<Taken> => {
    const { rows } = await d.statements.commit<Row>({
      ...texts[lane],
      values: [
        durable,
        durable.slice(0, durable.indexOf('-')),
        workerId,
        claimId,
        subjects,
        transcriptionEvents.stageStarted.subject,
        JSON.stringify(d.outbox.headers()),
      ],
    });
    const [row] = rows;
    if (!row) throw new Error('a claim has one answer');
    const { id, runId, subject, input, token, attempt, paused, traceparent, waitedFor } = row;
    const task = id === null ? null : { id, runId, subject, input, token, attempt };
    return { paused, waiting: row.waiting ?? false, task, traceparent, waitedFor };
  },
});
export type ClaimStore = ReturnType<typeof createClaimStore>;
