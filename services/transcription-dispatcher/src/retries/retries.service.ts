import type { Outbox } from '@overtone/database';
import type { Db, Statements } from '../database.ts';
import { republishStatement } from '../job-requests/job-requests.ts';

const batchSize = 100;
const due = {
  name: 'republish-due',
  text: republishStatement(`
    select uuid from task where status = 'pending' and next_attempt_at <= now()
    order by next_attempt_at limit ${batchSize} for update skip locked`),
};
type Deps = { db: Db; statements: Statements; outbox: Pick<Outbox, 'headers'> };

/** Publishes tasks whose backoff has ended. Replicas share the work: each takes rows the others have not locked. */
export function createRetries({ db, statements, outbox }: Deps) {
  return {
    republishDue: async (): Promise<void> =>
      void (await statements.commit({ ...due, values: [JSON.stringify(outbox.headers())] })),

    /** Deletes ended tasks outside runs; the others are deleted with their run. */
    deleteOld: async (): Promise<void> =>
      void (await db.$executeRaw`
      delete from task where run_id is null and completed_at < now() - interval '7 days'`),
  };
}
