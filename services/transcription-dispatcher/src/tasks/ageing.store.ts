import type { Db, Tx } from '../database.ts';
import type { Priority } from '../runs/runs.ts';
import { readQueuePosition } from './enqueue.store.ts';
import { ageingMs, moreUrgent, rankOf } from './rank.ts';

type Waiting = { id: string; durable: string; ownerId: string; priority: Priority; cost: number };
/** Rows per transaction. */
const batchSize = 500;

/** Moves long-waiting tasks to the next priority; they keep their order among themselves. */
export function createAgeing({ db }: { db: Db }) {
  const ageBatch = (): Promise<number> =>
    db.$transaction(async (tx) => {
      const tasks = await selectDueTasks(tx);
      const ranks: number[] = [];
      let last: Waiting | undefined;
      let queuePosition = { head: 0, own: 0 };
      for (const task of tasks) {
        const { durable, ownerId, cost } = task;
        const priority = moreUrgent(task.priority);
        if (last?.durable !== durable || last.ownerId !== ownerId || last.priority !== task.priority)
          queuePosition = await readQueuePosition(tx, { durable, ownerId, priority });
        queuePosition.own = rankOf(queuePosition, cost, false);
        ranks.push(queuePosition.own);
        last = task;
      }
      if (tasks.length > 0)
        await tx.$executeRaw`
          update task t set priority = t.priority - 1, rank = aged.rank, waiting_since = now()
          from unnest(${tasks.map((task) => task.id)}::uuid[], ${ranks}::float8[]) as aged (uuid, rank)
          where t.uuid = aged.uuid`;
      return tasks.length;
    });

  return {
    age: async (): Promise<void> => {
      while ((await ageBatch()) === batchSize);
    },
  };
}

function selectDueTasks(tx: Tx): Promise<Waiting[]> {
  return tx.$queryRaw<Waiting[]>`
    select uuid::text as id, durable, owner_id::text as "ownerId", priority::int as priority, cost_s as cost from task
    where status = 'pending' and priority > 0 and next_attempt_at is null
      and waiting_since < now() - make_interval(secs => ${ageingMs / 1000})
    order by durable, owner_id, priority, rank limit ${batchSize} for update skip locked`;
}
