import type { Outbox } from '@overtone/database';
import type { Db, Statements } from '../database.ts';
import { republishing } from '../orders/orders.ts';

const batch = 100;
const due = {
  name: 'republish-due',
  text: republishing(`
    select uuid from task where status = 'pending' and next_attempt_at <= now()
    order by next_attempt_at limit ${batch} for update skip locked`),
};
type Deps = { db: Db; statements: Statements; outbox: Pick<Outbox, 'headers'> };

/** Puts tasks whose pause is over on the bus again. Replicas share the work: each takes rows the others have not locked. */
export const createRetries = ({ db, statements, outbox }: Deps) => ({
  republishDue: async (): Promise<void> =>
    void (await statements.commit({ ...due, values: [JSON.stringify(outbox.headers())] })),

  /** Orders outside runs that are over; those of runs go with their run. */
  forgetOld: async (): Promise<void> =>
    void (await db.$executeRaw`
      delete from task where run_id is null and completed_at < now() - interval '7 days'`),
});
