import { txOptions, type Db } from '../database.ts';
import type { Orders } from '../orders/orders.ts';

const batch = 100;

/** Puts tasks whose pause is over on the bus again. Replicas share the work: each takes rows the others have not locked. */
export const createRetries = ({ db, orders }: { db: Db; orders: Orders }) => ({
  republishDue: async (): Promise<number> =>
    db.$transaction(async (tx) => {
      const due = await tx.$queryRaw<{ id: string; subject: string }[]>`
        select uuid::text as id, subject from task
        where status = 'pending' and next_attempt_at <= now()
        order by next_attempt_at limit ${batch} for update skip locked`;
      if (due.length === 0) return 0;
      await orders.republish(tx, due);
      return due.length;
    }, txOptions),

  /** Orders outside runs that are over; those of runs go with their run. */
  forgetOld: async (): Promise<void> =>
    void (await db.$executeRaw`
      delete from task where run_id is null and completed_at < now() - interval '7 days'`),
});
