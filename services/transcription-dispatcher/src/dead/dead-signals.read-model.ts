import { queues } from '@overtone/contracts';
import type { Sample } from '@overtone/service-kit';
import type { Db } from '../database.ts';

/** What waits for a person, by queue, as the database has it: the same from every replica. */
export const personSignals = async (db: Db): Promise<Sample[]> => {
  const [dead, paused] = await Promise.all([
    db.$queryRaw<{ queue: string; count: number }[]>`
      select queue, count(*)::int as count from task
      where status = 'failed' and discarded_at is null and not superseded group by queue`,
    db.queuePause.findMany({ select: { queue: true } }),
  ]);
  return queues.flatMap((of) => [
    { name: 'transcription_dead_jobs', of, value: dead.find(({ queue }) => queue === of)?.count ?? 0 },
    { name: 'queue_paused', of, value: paused.some(({ queue }) => queue === of) ? 1 : 0 },
  ]);
};
