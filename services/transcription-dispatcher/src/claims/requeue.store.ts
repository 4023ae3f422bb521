import { transcriptionEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { QueryConfig } from 'pg';
import { outboxTable, type Statements, type Tx } from '../database.ts';
import { front } from '../job-requests/job-requests.ts';

/** Code of a task that met a full storage: retries cannot help until an administrator makes room. */
export const storageFullCode = 'storage_full';

/**
 * A claimed task to retry. A failed one counts a failure, except on a full storage, and waits for its backoff; a released
 * or lost one moves to the head of the queue. A lost one gets a new token, because its worker may still send results.
 */
export type Requeue = { id: string; token: number } & (
  | { outcome: 'failed'; error: { code: string; message: string }; pauseMs: number }
  | { outcome: 'lost'; error: { code: string; message: string } }
  | { outcome: 'released' }
);

/** Code of a task that exceeded its time limit. */
export const timeoutCode = 'job_timeout';

/** A task outside a run is cancelled when a newer one for the same file waits. */
const text = `
  with candidate as (
    select uuid, run_id is null and exists (
      select 1 from task o where o.file_id = t.file_id and o.run_id is null and o.status = 'pending') as replaced
    from task t where uuid = $1::uuid
  ), requeued as (
    update task t set
      status = case when replaced then 'cancelled' else 'pending' end, worker = null, claimed_at = null,
      token = t.token + ($3 = 'lost')::integer,
      failures = failures + ($3 = 'failed' and $4 <> '${storageFullCode}')::integer,
      infra_requeues = infra_requeues + ($3 = 'lost')::integer,
      error_code = case when $3 = 'failed' then $4 else error_code end,
      error_message = case when $3 = 'failed' then $5 else error_message end,
      priority = case when $3 = 'failed' then priority else ${front.priority} end,
      rank = case when $3 = 'failed' then rank else ${front.rank} end,
      next_attempt_at = case when replaced then null else now() + $6::float8 * interval '1 millisecond' end,
      publications = publications + ($6::float8 is null and not replaced)::integer,
      published_at = case when $6::float8 is null then now() else published_at end,
      waiting_since = case when $6::float8 is null then now() else waiting_since end
    from candidate where t.uuid = $1::uuid and t.token = $2::integer and t.status = 'in_progress'
    returning t.uuid, t.subject, t.status, t.run_id, t.file_id, t.owner_id, t.stage
  ), attempt as (
    update task_attempt a set outcome = $3, ended_at = now(), error_code = $4, error_message = $5 from requeued
    where a.task_id = $1::uuid and a.token = $2::integer and a.outcome = 'running'
  ), signal as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select subject, jsonb_build_object('taskId', uuid), $7::jsonb, gen_random_uuid()
    from requeued where status = 'pending' and $6::float8 is null
  ), stuck as (
    select b.* from requeued b join run r on r.uuid = b.run_id and r.status = 'running' where $8::boolean
  ), reset as (
    update stage s set status = 'pending', started_at = null from stuck where s.run_id = stuck.run_id and s.stage = stuck.stage
  ), published as (
    insert into ${outboxTable} (subject, data, headers, message_id)
    select $9, jsonb_build_object('runId', run_id, 'fileId', file_id, 'ownerId', owner_id, 'stage', stage), $7::jsonb,
           gen_random_uuid()
    from stuck
  )
  select uuid::text from requeued`;

/** Requeues claimed tasks in one round trip and one commit. @returns false when the task is not claimed under this token. */
export function createRequeueStore(d: { statements: Statements; outbox: Pick<Outbox, 'headers'> }) {
  const values = (request: Requeue): unknown[] => {
    const error = 'error' in request ? request.error : undefined;
    const pauseMs = 'pauseMs' in request ? request.pauseMs : null;
    const headers = JSON.stringify(d.outbox.headers());
    const reset = [isStuck(request), transcriptionEvents.stageReset.subject];
    return [
      request.id,
      request.token,
      request.outcome,
      error?.code ?? null,
      error?.message ?? null,
      pauseMs,
      headers,
      ...reset,
    ];
  };
  return {
    requeue: async (request: Requeue): Promise<boolean> => {
      const statement: QueryConfig = { name: 'requeue', text, values: values(request) };
      return (await d.statements.commit(statement)).rowCount === 1;
    },
    /** For a task that waits for its backoff, in the caller's transaction; publishes nothing. */
    requeueIn: async (tx: Tx, request: Requeue & { outcome: 'failed' }): Promise<void> =>
      void (await tx.$queryRawUnsafe(text, ...values(request))),
  };
}

/** Lost and overdue tasks are stuck; failures and releases are not. */
function isStuck(request: Requeue): boolean {
  return request.outcome === 'lost' || (request.outcome === 'failed' && request.error.code === timeoutCode);
}

export type RequeueStore = ReturnType<typeof createRequeueStore>;
