import { Prisma } from '../generated/client.ts';
import type { Tx } from '../database.ts';
import type { Standing } from './rank.ts';

/** How the queue of a durable stands for one owner at one priority. Four looks into indexes, whatever waits there. */
export const standingOf = async (
  tx: Tx,
  at: { durable: string; ownerId: string; priority: number },
): Promise<Standing> => {
  const lastOf = (priority: number) => Prisma.sql`
    (select rank from task where durable = ${at.durable} and owner_id = ${at.ownerId}::uuid and priority = ${priority}
       and status in ('pending', 'in_progress') order by rank desc limit 1)`;
  const own = [0, 1, 2].filter((p) => p <= at.priority).map(lastOf);
  const [standing] = await tx.$queryRaw<Standing[]>`
    select coalesce(
        nullif((select max(rank) from task where durable = ${at.durable} and status = 'in_progress'), 0),
        (select min(head.rank) from generate_series(0, 2) p, lateral (
           select rank from task where durable = ${at.durable} and priority = p and rank > 0
             and status = 'pending' and next_attempt_at is null order by rank limit 1) head),
        0) as head,
      coalesce(greatest(${Prisma.join(own)}), 0) as own`;
  return standing ?? { head: 0, own: 0 };
};
