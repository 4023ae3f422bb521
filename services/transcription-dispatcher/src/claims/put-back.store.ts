import { transcriptionEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { QueryConfig } from 'pg';
import { outboxTable, type Statements, type Tx } from '../database.ts';
import { front } from '../orders/orders.ts';

/** Code of a task that met a full storage: an administrator has to make room, and no number of attempts helps. */
export const storageFullCode = 'storage_full';

/**
 * A held task that is to be tried again. One that failed counts a failure, except on a full storage, and pauses; one
 * that was released or lost its worker did nothing wrong and is next. One that was lost gets a new token, because its
 * worker may still speak.
 */
export type PutBack = { id: string; token: number } & (
  | { outcome: 'failed'; error: { code: string; message: string }; pauseMs: number }
  | { outcome: 'lost'; error: { code: string; message: string } }
  | { outcome: 'released' }
);

/** Code of a task that exceeded its time limit. */
export const timeoutCode = 'job_timeout';
/** Stuck recovery takes a task back; an ordinary failure or a release is not stuck. */
const isStuck = (p: PutBack): boolean =>
  p.outcome === 'lost' || (p.outcome === 'failed' && p.error.code === timeoutCode);

/** An order outside a run gives way to a newer one for the same file. */
const text = `
  with held as (
    select uuid, run_id is null and exists (
      select 1 from task o where o.file_id = t.file_id and o.run_id is null and o.status = 'pending') as outdone
    from task t where uuid = $1::uuid
  ), back as (
    update task t set
      status = case when outdone then 'cancelled' else 'pending' end, worker = null, claimed_at = null,
      token = t.token + ($3 = 'lost')::integer,
      failures = failures + ($3 = 'failed' and $4 <> '${storageFullCode}')::integer,
      infra_requeues = infra_requeues + ($3 = 'lost')::integer,
      error_code = case when $3 = 'failed' then $4 else error_code end,
      error_message = case when $3 = 'failed' then $5 else error_message end,
      priority = case when $3 = 'failed' then priority else ${front.priority} end,
      rank = case when $3 = 'failed' then rank else ${front.rank} end,
      next_attempt_at = case when outdone then null else now() + $6::float8 * interval '1 millisecond' end,
      publications = publications + ($6::float8 is null and not outdone)::integer,
      published_at = case when $6::float8 is null then now() else published_at end,
      waiting_since = case when $6::float8 is null then now() else waiting_since end
    from held where t.uuid = $1::uuid and t.token = $2::integer and t.status = 'in_progress'
    returning t.uuid, t.subject, t.status, t.run_id, t.file_id, t.owner_id, t.stage
  ), tried as (
    update task_attempt a set outcome = $3, ended_at = now(), error_code = $4, error_message = $5 from back
    where a.task_id = $1::uuid and a.token = $2::integer and a.outcome = 'running'
  ), ticket as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), $7::jsonb, gen_random_uuid()
    from back where status = 'pending' and $6::float8 is null
  ), stuck as (
    select b.* from back b join run r on r.uuid = b.run_id and r.status = 'running' where $8::boolean
  ), reset as (
    update stage s set status = 'pending', started_at = null from stuck where s.run_id = stuck.run_id and s.stage = stuck.stage
  ), notified as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select $9, jsonb_build_object('runId', run_id, 'fileId', file_id, 'ownerId', owner_id, 'stage', stage), $7::jsonb,
           gen_random_uuid()
    from stuck
  )
  select uuid::text from back`;

/** Puts held tasks back. One round trip, one commit. @returns false when the task is not held under this token. */
export const createPutBackStore = (d: { statements: Statements; outbox: Pick<Outbox, 'headers'> }) => {
  const values = (p: PutBack): unknown[] => {
    const error = 'error' in p ? p.error : undefined;
    const pauseMs = 'pauseMs' in p ? p.pauseMs : null;
    const headers = JSON.stringify(d.outbox.headers());
    const reset = [isStuck(p), transcriptionEvents.stageReset.subject];
    return [p.id, p.token, p.outcome, error?.code ?? null, error?.message ?? null, pauseMs, headers, ...reset];
  };
  return {
    putBack: async (p: PutBack): Promise<boolean> => {
      const statement: QueryConfig = { name: 'put-back', text, values: values(p) };
      return (await d.statements.commit(statement)).rowCount === 1;
    },
    /** In the caller's transaction, for what pauses: nothing goes out for it. */
    pauseIn: async (tx: Tx, p: PutBack & { outcome: 'failed' }): Promise<void> =>
      void (await tx.$queryRawUnsafe(text, ...values(p))),
  };
};
export type PutBackStore = ReturnType<typeof createPutBackStore>;
