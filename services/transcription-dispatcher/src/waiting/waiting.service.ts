import { transcriptionEvents, type Stage } from '@overtone/contracts';
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
  fileId: string;
  ownerId: string;
  waiting: WaitingReason | null;
  stage: Stage;
  patient: boolean;
};

/** Tells why a run makes no progress although nothing is wrong. A waiting file is never stuck and never fails. */
export const createWaiting = ({ db, outbox, workers }: WaitingDeps) => {
  const set = (run: Candidate, reason: WaitingReason | null): Promise<void> =>
    db.$transaction(async (tx) => {
      const changed = await tx.run.updateMany({
        where: { id: run.id, status: 'running', waitingFor: run.waiting },
        data: { waitingFor: reason },
      });
      if (changed.count === 0) return;
      const ids = { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
      await outbox.add(tx, transcriptionEvents.runWaiting, { ...ids, reason });
    }, txOptions);

  return {
    look: async (): Promise<void> => {
      const fleet = workers();
      if (fleet === null) return;
      const candidates = await db.$queryRaw<Candidate[]>`
        select r.uuid::text as id, r.file_id::text as "fileId", r.owner_id::text as "ownerId",
               r.waiting_for as waiting, t.stage, t.published_at < now() - make_interval(secs => ${patienceMs / 1000}) as patient
        from run r join task t on t.run_id = r.uuid and t.status = 'pending' and t.next_attempt_at is null
        where r.status = 'running'`;
      for (const run of candidates) {
        const reason = reasonFor(run.stage, fleet);
        if (reason !== run.waiting && (reason === null || run.patient)) await set(run, reason);
      }
    },
  };
};
