import type { Task } from '../generated/client.ts';
import type { Db, Statements } from '../database.ts';
import type { OpenCount } from './loss.ts';

/** A running task; `claimedAt` is converted to this process's clock. */
export type RunningTask = Pick<Task, 'id' | 'token' | 'stage' | 'worker' | 'claimedAt' | 'costS' | 'infraRequeues'>;

const running = {
  name: 'running-tasks',
  text: `
    select uuid as id, token, stage, worker, cost_s as "costS", infra_requeues as "infraRequeues",
           (extract(epoch from clock_timestamp() - claimed_at) * 1000)::float8 as "heldMs"
    from task where status = 'in_progress'`,
};
type RunningRow = Omit<RunningTask, 'claimedAt'> & { heldMs: number | null };

/** Queries on open tasks for their recovery, served by the partial index over open tasks. */
export function createOpenTasks({ db, statements }: { db: Db; statements: Statements }) {
  return {
    running: async (): Promise<RunningTask[]> => {
      const { rows } = await statements.read<RunningRow>(running);
      const now = Date.now();
      return rows.map(({ heldMs, ...task }) => ({
        ...task,
        claimedAt: heldMs === null ? null : new Date(now - heldMs),
      }));
    },

    /** The time `ms` ago by the database's clock, which also wrote `published_at`. */
    timeBeforeNow: async (ms: number): Promise<Date> => {
      const [row] = await db.$queryRaw<{ at: Date }[]>`select now() - make_interval(secs => ${ms / 1000}) as at`;
      return row?.at ?? new Date(0);
    },

    /** Open tasks by durable published at least `graceMs` ago, minus those whose signal is still in the outbox. */
    openByDurable: (graceMs: number): Promise<OpenCount[]> =>
      db.$queryRaw<OpenCount[]>`
      with unsent as (
        select split_part(subject, '.', 2) || '-' || split_part(subject, '.', 3) as durable, count(*)::int as signals
        from transcription_dispatcher_outbox where sent_at is null and subject like 'job.%' group by 1
      )
      select t.durable, (count(*) - coalesce(max(u.signals), 0))::int as open
      from task t left join unsent u using (durable)
      where (t.status = 'in_progress' or (t.status = 'pending' and t.next_attempt_at is null))
        and t.published_at <= now() - make_interval(secs => ${graceMs / 1000})
      group by t.durable`,

    /** Number of files with an open task that lost at least `threshold` workers. */
    countInfraRequeuedFiles: async (threshold: number): Promise<number> => {
      const [row] = await db.$queryRaw<{ files: number }[]>`
      select count(distinct file_id)::int as files from task
      where status in ('pending', 'in_progress') and infra_requeues >= ${threshold}`;
      return row?.files ?? 0;
    },
  };
}

export type OpenTasks = ReturnType<typeof createOpenTasks>;
