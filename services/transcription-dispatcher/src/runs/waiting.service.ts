import {
  jobDurable,
  stageJobs,
  stages,
  transcriptionEvents,
  workerJobs,
  type DataOf,
  type Stage,
  type waitingReasons,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db } from '../database.ts';
import type { WorkerState } from '../workers/workers.ts';

type WaitingReason = (typeof waitingReasons)[number];

/** Shorter waits (a restarting worker, a busy queue) are not reported. */
const reportAfterMs = 5_000;

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
/** Runs per call. */
const batchSize = 1_000;

/** Publishes why a healthy run makes no progress. A waiting file is never stuck and never fails. */
export function createWaiting({ db, outbox, workers }: WaitingDeps) {
  /** Writes all reasons in one transaction; skips runs that are locked, which the next call handles. */
  const writeReasons = (runs: Candidate[]): Promise<void> =>
    db.$transaction(async (tx) => {
      const changed = await tx.$queryRaw<DataOf<typeof transcriptionEvents.runWaiting>[]>`
        with locked_run as (
          select r.uuid, c.reason from run r
          join unnest(${runs.map((run) => run.id)}::uuid[], ${runs.map((run) => run.waiting)}::text[],
                      ${runs.map((run) => run.reason)}::text[]) as c (id, waiting, reason) on c.id = r.uuid
          where r.status = 'running' and r.waiting_for is not distinct from c.waiting
          order by r.uuid for update of r skip locked)
        update run r set waiting_for = s.reason from locked_run s where r.uuid = s.uuid
        returning r.uuid::text as "runId", r.file_id::text as "fileId", r.owner_id::text as "ownerId",
                  r.waiting_for as reason`;
      await outbox.addAll(tx, transcriptionEvents.runWaiting, changed);
    });

  return {
    update: async (): Promise<void> => {
      const fleet = workers();
      if (fleet === null) return;
      const paused = (await db.queuePause.findMany()).map(({ queue }) => queue);
      const reasons = stages.map((stage) => reasonFor(stage, fleet, paused));
      // Selects only runs whose reason has changed, so that a long queue is not read on every call.
      const candidates = await db.$queryRaw<Candidate[]>`
        select r.uuid::text as id, r.waiting_for as waiting, case when t.status = 'pending' then want.reason end as reason
        from task t
        join run r on r.uuid = t.run_id and r.status = 'running'
        join unnest(${[...stages]}::text[], ${reasons}::text[]) as want (stage, reason) on want.stage = t.stage
        where (t.status = 'pending' and t.next_attempt_at is null
            and r.waiting_for is distinct from want.reason
            and (want.reason is null or want.reason = 'paused'
              or t.published_at < now() - make_interval(secs => ${reportAfterMs / 1000})))
          -- Claimed while its waiting reason was written.
          or (t.status = 'in_progress' and r.waiting_for is not null)
        limit ${batchSize}`;
      if (candidates.length > 0) await writeReasons(candidates);
    },
  };
}

const speech = jobDurable(workerJobs.transcribe);

/**
 * Why a waiting stage cannot start, or null when a live worker takes such jobs (it may be busy).
 * `paused`: an administrator paused the queue. `engine`: workers are live, but none has a speech engine. `worker`: no
 * worker takes this kind of job.
 */
export function reasonFor(stage: Stage, workers: WorkerState[], paused: readonly string[] = []): WaitingReason | null {
  if (paused.includes(stageJobs[stage].queue)) return 'paused';
  const durable = jobDurable(stageJobs[stage]);
  const pulling = workers.filter((worker) => worker.pulls.includes(durable));
  if (durable !== speech) return pulling.length > 0 ? null : 'worker';
  const able = stage === 'transcribe' ? pulling.filter((worker) => worker.engine !== null) : pulling;
  if (able.length > 0) return null;
  return workers.some((worker) => worker.service === 'transcription-worker') ? 'engine' : 'worker';
}
