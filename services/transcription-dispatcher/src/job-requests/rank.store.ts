import type { Tx } from '../database.ts';
import type { QueuePosition } from './rank.ts';

/**
 * The queue position for one owner at one priority, as two columns of a statement; reads only indexes, however long the
 * queue is. The arguments are SQL; without a durable both columns are 0.
 */
export function queuePositionColumns(at: { durable: string; owner: string; priority: string }): string {
  return `
  coalesce(
    nullif((select max(rank) from task where durable = ${at.durable} and status = 'in_progress'), 0),
    (select min(head.rank) from generate_series(0, 2) p, lateral (
       select rank from task where durable = ${at.durable} and priority = p and rank > 0
         and status = 'pending' and next_attempt_at is null order by rank limit 1) head),
    0) as head,
  coalesce((select max(last.rank) from generate_series(0, ${at.priority}) p, lateral (
       select rank from task where durable = ${at.durable} and owner_id = ${at.owner} and priority = p
         and status in ('pending', 'in_progress') order by rank desc limit 1) last),
    0) as own`;
}

const statement = `select ${queuePositionColumns({ durable: '$1', owner: '$2::uuid', priority: '$3::integer' })}`;

export async function readQueuePosition(
  tx: Tx,
  { durable, ownerId, priority }: { durable: string; ownerId: string; priority: number },
): Promise<QueuePosition> {
  const [queuePosition] = await tx.$queryRawUnsafe<QueuePosition[]>(statement, durable, ownerId, priority);
  return queuePosition ?? { head: 0, own: 0 };
}
