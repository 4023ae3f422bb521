import type { Db, Tx } from '../database.ts';
import type { QueuePause, Task, WorkerSeen } from '../generated/client.ts';
import type { WorkerState } from '../leases/leases.ts';
import { showOfflineMs, type QueueCounts } from './queues.ts';

/** Upper bound of concurrently running tasks. */
const maxRunning = 2_000;

export function createQueuesStore({ db }: { db: Db }) {
  return {
    counts: async (): Promise<QueueCounts> => {
      const rows = await db.$queryRaw<{ queue: string; retrying: number; dead: number }[]>`
      select queue, count(*) filter (where status = 'pending')::int as retrying,
             count(*) filter (where status = 'failed')::int as dead
      from task
      where (status = 'pending' and next_attempt_at is not null)
         or (status = 'failed' and discarded_at is null and not superseded)
      group by queue`;
      return new Map(rows.map(({ queue, ...counts }) => [queue, counts]));
    },
    pauses: (): Promise<QueuePause[]> => db.queuePause.findMany(),
    isPaused: async (queue: string): Promise<boolean> => (await db.queuePause.count({ where: { queue } })) > 0,
    running: (): Promise<Task[]> =>
      db.task.findMany({ where: { status: 'in_progress' }, orderBy: { claimedAt: 'asc' }, take: maxRunning }),
    recordedWorkers: (): Promise<WorkerSeen[]> => db.workerSeen.findMany(),

    pause: (tx: Tx, queue: string, reason: string, pausedBy: string): Promise<QueuePause> => {
      const data = { reason, pausedBy, pausedAt: new Date() };
      return tx.queuePause.upsert({ where: { queue }, create: { queue, ...data }, update: data });
    },
    /** @returns false when the queue was not paused. */
    resume: async (tx: Tx, queue: string): Promise<boolean> =>
      (await tx.queuePause.deleteMany({ where: { queue } })).count > 0,

    /** One statement ordered by id, so that replicas do not deadlock. */
    recordWorkers: async (live: readonly (readonly [string, WorkerState])[]): Promise<void> => {
      const rows = live.map(([id, w]) => ({
        id,
        service: w.service,
        pulls: w.pulls,
        engine: w.engine,
        note: w.engineNote,
      }));
      await db.$executeRaw`
      insert into worker_seen (id, service, pulls, engine, engine_note)
      select w.id, w.service, array(select jsonb_array_elements_text(w.pulls)), w.engine, w.note
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id text, service text, pulls jsonb, engine jsonb, note text)
      order by w.id
      on conflict (id) do update set service = excluded.service, pulls = excluded.pulls, engine = excluded.engine,
        engine_note = excluded.engine_note, last_seen_at = now()`;
    },
    deleteOldWorkers: async (): Promise<void> =>
      void (await db.$executeRaw`
      delete from worker_seen where last_seen_at < now() - make_interval(secs => ${showOfflineMs / 1000})`),
  };
}

export type QueuesStore = ReturnType<typeof createQueuesStore>;
