import { queues } from '@overtone/contracts';
import type { Sample } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { QueuePause, Task } from '../generated/client.ts';
import type { QueueCounts } from './queues.ts';

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

    pause: (tx: Tx, queue: string, reason: string, pausedBy: string): Promise<QueuePause> => {
      const data = { reason, pausedBy, pausedAt: new Date() };
      return tx.queuePause.upsert({ where: { queue }, create: { queue, ...data }, update: data });
    },
    /** @returns false when the queue was not paused. */
    resume: async (tx: Tx, queue: string): Promise<boolean> =>
      (await tx.queuePause.deleteMany({ where: { queue } })).count > 0,

    /** Dead jobs and paused queues for the metrics; every replica reports the same values. */
    samples: async (): Promise<Sample[]> => {
      const [dead, paused] = await Promise.all([
        db.$queryRaw<{ queue: string; count: number }[]>`
      select queue, count(*)::int as count from task
      where status = 'failed' and discarded_at is null and not superseded group by queue`,
        db.queuePause.findMany({ select: { queue: true } }),
      ]);
      return queues.flatMap((name) => [
        { name: 'transcription_dead_jobs', of: name, value: dead.find(({ queue }) => queue === name)?.count ?? 0 },
        { name: 'queue_paused', of: name, value: paused.some(({ queue }) => queue === name) ? 1 : 0 },
      ]);
    },
  };
}

export type QueuesStore = ReturnType<typeof createQueuesStore>;
