import { stages, transcriptionEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { txOptions, type Db } from '../database.ts';
import type { WorkerState } from '../leases/leases.ts';
import { patienceMs, reasonFor, type WaitingReason } from './waiting.ts';

export type WaitingDeps = {
  db: Db;
  outbox: Outbox;
  /** Live workers, or null while that is not known. */
  workers: () => WorkerState[] | null;
};
type Candidate = {
  id: string;
  waiting: WaitingReason | null;
  reason: WaitingReason | null;
};
/** Told of in one turn; the next turn takes the rest. */
const batch = 1_000;

/** Tells why a run makes no progress although nothing is wrong. A waiting file is never stuck and never fails. */
export const createWaiting = ({ db, outbox, workers }: WaitingDeps) => {
  /** All of them in one transaction; a run that somebody changes at this moment is looked at again. */
  const set = (runs: Candidate[]): Promise<void> =>
    db.$transaction(async (tx) => {
      const told = await tx.$queryRaw<DataOf<typeof transcriptionEvents.runWaiting>[]>`
        with standing as (
          select r.uuid, c.reason from run r
          join unnest(${runs.map((r) => r.id)}::uuid[], ${runs.map((r) => r.waiting)}::text[],
                      ${runs.map((r) => r.reason)}::text[]) as c (id, waiting, reason) on c.id = r.uuid
          where r.status = 'running' and r.waiting_for is not distinct from c.waiting
          order by r.uuid for update of r skip locked)
        update run r set waiting_for = s.reason from standing s where r.uuid = s.uuid
        returning r.uuid::text as "runId", r.file_id::text as "fileId", r.owner_id::text as "ownerId",
                  r.waiting_for as reason`;
      await outbox.addAll(tx, transcriptionEvents.runWaiting, told);
    }, txOptions);

  return {
    look: async (): Promise<void> => {
      const fleet = workers();
      if (fleet === null) return;
      const paused = (await db.queuePause.findMany()).map(({ queue }) => queue);
      const reasons = stages.map((stage) => reasonFor(stage, fleet, paused));
      // Only runs of which something else was told last; a long queue is not read again and again.
      const candidates = await db.$queryRaw<Candidate[]>`
        select r.uuid::text as id, r.waiting_for as waiting, case when t.status = 'pending' then want.reason end as reason
        from task t
        join run r on r.uuid = t.run_id and r.status = 'running'
        join unnest(${[...stages]}::text[], ${reasons}::text[]) as want (stage, reason) on want.stage = t.stage
        where (t.status = 'pending' and t.next_attempt_at is null
            and r.waiting_for is distinct from want.reason
            and (want.reason is null or want.reason = 'paused'
              or t.published_at < now() - make_interval(secs => ${patienceMs / 1000})))
          -- Begun while it was being told that it waits.
          or (t.status = 'in_progress' and r.waiting_for is not null)
        limit ${batch}`;
      if (candidates.length > 0) await set(candidates);
    },
  };
};
