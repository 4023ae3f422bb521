import { transcriptionEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { QueryConfig } from 'pg';
import { insertMessages, type Statements, type Tx } from '../database.ts';
import { stageOfTask } from './claim.store.ts';
import { insertSignals } from './enqueue.store.ts';
import { front } from './rank.ts';

/** Code of a task that met a full storage: retries cannot help until an administrator makes room. */
export const storageFullCode = 'storage_full';

/**
 * A claimed task to retry. A failed one counts a failure, except on a full storage, and waits for its backoff; a released
 * or lost one moves to the head of the queue, unless it keeps its position. A lost one gets a new token, because its worker may still send results.
 */
export type Requeue = { id: string; token: number } & (
  | { outcome: 'failed'; error: { code: string; message: string }; pauseMs: number }
  | { outcome: 'lost'; error: { code: string; message: string } }
  | { outcome: 'released'; keepsPosition: boolean }
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
      priority = case when $3 = 'failed' or $10::boolean then priority else ${front.priority} end,
      rank = case when $3 = 'failed' or $10::boolean then rank else ${front.rank} end,
      next_attempt_at = case when replaced then null else now() + $6::float8 * interval '1 millisecond' end,
      publications = publications + ($6::float8 is null and not replaced)::integer,
      published_at = case when $6::float8 is null then now() else published_at end,
      waiting_since = case when $6::float8 is null then now() else waiting_since end
    from candidate where t.uuid = $1::uuid and t.token = $2::integer and t.status = 'in_progress'
    returning t.uuid, t.subject, t.status, t.run_id, t.file_id, t.owner_id, t.stage
  ), attempt as (
    update task_attempt a set outcome = $3, ended_at = now(), error_code = $4, error_message = $5 from requeued
    where a.task_id = $1::uuid and a.token = $2::integer and a.outcome = 'running'
  ), signal as (${insertSignals({ headers: '$7::jsonb', from: `requeued where status = 'pending' and $6::float8 is null` })}
  ), stuck as (
    select b.* from requeued b join run r on r.uuid = b.run_id and r.status = 'running' where $8::boolean
  ), reset as (
    update stage s set status = 'pending', started_at = null from stuck where s.run_id = stuck.run_id and s.stage = stuck.stage
  ), published as (${insertMessages({ subject: '$9', data: stageOfTask, headers: '$7::jsonb', from: 'stuck' })}
  )
  select uuid::text from requeued`;

/**
 * Publishes new job signals for waiting tasks.
 * @param which SQL that selects and locks their ids; its parameters start at $2. $1 are the message headers.
 */
function republishStatement(which: string): string {
  return `
  with chosen as (${which}
  ), republished as (
    update task t set publications = publications + 1, published_at = now(), waiting_since = now(), next_attempt_at = null
    from chosen where t.uuid = chosen.uuid returning t.uuid, t.subject
  ), signal as (${insertSignals({ headers: '$1::jsonb', from: 'republished' })}
  )
  select uuid from republished`;
}

const dueBatchSize = 100;
const republishDue = {
  name: 'republish-due',
  text: republishStatement(`
    select uuid from task where status = 'pending' and next_attempt_at <= now()
    order by next_attempt_at limit ${dueBatchSize} for update skip locked`),
};
const nextRetry = {
  name: 'next-retry',
  text: `
    select (extract(epoch from min(next_attempt_at) - clock_timestamp()) * 1000)::float8 as "inMs" from task
    where status = 'pending' and next_attempt_at is not null`,
};
const republishWaiting = {
  name: 'republish-waiting',
  text: republishStatement(`
    select uuid from task
    where durable = $2 and status = 'pending' and next_attempt_at is null and published_at <= $3::timestamptz
    order by published_at limit $4 for update skip locked`),
};

type Deps = { statements: Statements; outbox: Pick<Outbox, 'headers'> };

/** Requeues tasks and publishes their job signals again, in one round trip and one commit. */
export function createRequeueStore({ statements, outbox }: Deps) {
  const headers = (): string => JSON.stringify(outbox.headers());
  const values = (request: Requeue): unknown[] => {
    const error = 'error' in request ? request.error : undefined;
    return [
      request.id,
      request.token,
      request.outcome,
      error?.code ?? null,
      error?.message ?? null,
      'pauseMs' in request ? request.pauseMs : null,
      headers(),
      isStuck(request),
      transcriptionEvents.stageReset.subject,
      'keepsPosition' in request && request.keepsPosition,
    ];
  };
  return {
    /** @returns false when the task is not claimed under this token. */
    requeue: async (request: Requeue): Promise<boolean> => {
      const statement: QueryConfig = { name: 'requeue', text, values: values(request) };
      return (await statements.commit(statement)).rowCount === 1;
    },
    /** For a task that waits for its backoff, in the caller's transaction; publishes nothing. */
    requeueIn: async (tx: Tx, request: Requeue & { outcome: 'failed' }): Promise<void> =>
      void (await tx.$queryRawUnsafe(text, ...values(request))),

    /** Publishes tasks whose backoff has ended. Replicas share the work: each takes rows the others have not locked. */
    republishDue: async (): Promise<void> => void (await statements.commit({ ...republishDue, values: [headers()] })),
    /** When the next backoff ends. */
    nextRetry: async (): Promise<Date | null> => {
      const { rows } = await statements.read<{ inMs: number | null }>(nextRetry);
      const inMs = rows[0]?.inMs ?? null;
      return inMs === null ? null : new Date(Date.now() + inMs);
    },
    /**
     * Publishes new job signals for a durable's waiting tasks that were published before `cutoff`.
     * @returns the number of tasks, at most `limit`.
     */
    republishWaiting: async (durable: string, cutoff: Date, limit: number): Promise<number> => {
      const { rows } = await statements.commit({ ...republishWaiting, values: [headers(), durable, cutoff, limit] });
      return rows.length;
    },
  };
}

/** Lost and overdue tasks are stuck; failures and releases are not. */
function isStuck(request: Requeue): boolean {
  return request.outcome === 'lost' || (request.outcome === 'failed' && request.error.code === timeoutCode);
}
