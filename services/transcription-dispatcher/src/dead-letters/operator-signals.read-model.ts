import { queues } from '@overtone/contracts';
import type { Sample } from '@overtone/service-kit';
import type { Db } from '../database.ts';

/** Dead jobs and paused queues from the database; every replica reports the same values. */
export async function operatorSignals(db: Db): Promise<Sample[]> {
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
}
