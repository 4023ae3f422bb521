import type { Task } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { messageGraceMs, reminderMs, type SubjectCount } from './loss.ts';

/** Reads of the reconciler; all small, by the partial index over open tasks. */
export const createRecoveryStore = ({ db }: { db: Db }) => ({
  running: (): Promise<Task[]> => db.task.findMany({ where: { status: 'in_progress' } }),

  /** Open orders by subject, not counting those whose message the outbox has still to send. */
  openBySubject: (): Promise<Omit<SubjectCount, 'messages'>[]> =>
    db.$queryRaw<Omit<SubjectCount, 'messages'>[]>`
      select t.subject, count(*)::int as open from task t
      where (t.status = 'in_progress' or (t.status = 'pending' and t.next_attempt_at is null))
        and t.published_at < now() - make_interval(secs => ${messageGraceMs / 1000})
        and not exists (
          select 1 from transcription_dispatcher_outbox o
          where o.sent_at is null and o.data ->> 'taskId' = t.uuid::text)
      group by t.subject`,

  /** Waiting orders of these subjects that were put on the bus before `cutoff`, locked; at most `limit` of them. */
  waiting: async (tx: Tx, subjects: string[], cutoff: Date, limit: number) => {
    const rows = await tx.$queryRaw<{ uuid: string }[]>`
      select t.uuid::text as uuid from task t
      where t.status = 'pending' and t.next_attempt_at is null and t.subject = any(${subjects})
        and t.published_at <= ${cutoff}
        and not exists (
          select 1 from transcription_dispatcher_outbox o
          where o.sent_at is null and o.data ->> 'taskId' = t.uuid::text)
      order by t.published_at limit ${limit} for update skip locked`;
    return tx.task.findMany({
      where: { id: { in: rows.map((r) => r.uuid) } },
      include: { run: { select: { traceparent: true } } },
    });
  },

  /** Running runs whose assembled transcript nobody has stored yet, or told us of. */
  unheard: (): Promise<{ id: string }[]> =>
    db.$queryRaw<{ id: string }[]>`
      select r.uuid::text as id from run r
      join stage a on a.run_id = r.uuid and a.stage = 'assemble' and a.status = 'completed'
      where r.status = 'running'
        and not exists (select 1 from task t where t.run_id = r.uuid and t.stage = 'index')
        and coalesce(r.reminded_at, a.completed_at) < now() - make_interval(secs => ${reminderMs / 1000})
      limit 100`,

  /** Open tasks of runs by how often they lost their worker. */
  infraRequeuedFiles: async (threshold: number): Promise<number> => {
    const [row] = await db.$queryRaw<{ files: number }[]>`
      select count(distinct file_id)::int as files from task
      where status in ('pending', 'in_progress') and infra_requeues >= ${threshold}`;
    return row?.files ?? 0;
  },
});
export type RecoveryStore = ReturnType<typeof createRecoveryStore>;
