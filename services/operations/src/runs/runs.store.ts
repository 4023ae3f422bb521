import { Prisma } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';

export type RunTable = 'backup_run' | 'mirror_run';
export type RunRow = {
  uuid: string;
  trigger: 'manual' | 'schedule';
  status: 'queued' | 'running' | 'success' | 'failed';
  scheduled_for: Date | null;
  attempt: number;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  destination: string | null;
  error_code: string | null;
  error_message: string | null;
};
export type RunEnd = {
  runId: string;
  status: 'success' | 'failed';
  errorCode: string | null;
  errorMessage: string | null;
  /** Assignments of the columns that only this kind of run has. */
  columns: readonly Prisma.Sql[];
};

const runKinds = { backup_run: 'backup', mirror_run: 'mirror' } as const;
const leaseSeconds = 15;
/** A scheduled run that was interrupted is repeated; one that ends the process each time is given up. */
const maxAttempts = 3;

/**
 * The runs of one kind. A unique index admits one run that is queued or running, and every run starts and ends once:
 * its id is the fencing token of its writes.
 */
export function createRunStore<R extends RunRow>(table: RunTable) {
  const runs = Prisma.raw(table);
  const one = async (db: Db, where: Prisma.Sql): Promise<R | null> =>
    (await db.$queryRaw<R[]>`select * from ${runs} where ${where} order by queued_at desc limit 1`)[0] ?? null;
  return {
    kind: runKinds[table],
    /** @returns the id; null while another run is queued or running. */
    enqueue: async (db: Db | Tx, scheduledFor: Date | null): Promise<string | null> => {
      const trigger = scheduledFor === null ? 'manual' : 'schedule';
      const rows = await db.$queryRaw<{ uuid: string }[]>`
        insert into ${runs} (trigger, scheduled_for) values (${trigger}, ${scheduledFor})
        on conflict do nothing returning uuid`;
      return rows[0]?.uuid ?? null;
    },
    queued: async (db: Db): Promise<string[]> =>
      (await db.$queryRaw<{ uuid: string }[]>`select uuid from ${runs} where status = 'queued'`).map(
        ({ uuid }) => uuid,
      ),
    /** When a run was last enqueued by the schedule. */
    lastScheduledAt: async (db: Db): Promise<Date | null> =>
      (
        await db.$queryRaw<{ last: Date | null }[]>`
          select max(queued_at) as last from ${runs} where trigger = 'schedule'`
      )[0]?.last ?? null,

    /** @returns false when the run was started before. */
    begin: async (db: Db, runId: string): Promise<boolean> =>
      (await db.$executeRaw`
        update ${runs} set status = 'running', started_at = now(),
          lease_until = now() + make_interval(secs => ${leaseSeconds})
        where uuid = ${runId}::uuid and status = 'queued'`) === 1,
    /** @returns false when the lease was lost. */
    renew: async (db: Db, runId: string): Promise<boolean> =>
      (await db.$executeRaw`
        update ${runs} set lease_until = now() + make_interval(secs => ${leaseSeconds})
        where uuid = ${runId}::uuid and status = 'running' and lease_until > now()`) === 1,
    setDestination: async (db: Db, runId: string, destination: string): Promise<void> =>
      void (await db.$executeRaw`
        update ${runs} set destination = ${destination} where uuid = ${runId}::uuid and status = 'running'`),
    /** @returns false when the run has ended before. */
    end: async (tx: Tx, { runId, status, errorCode, errorMessage, columns }: RunEnd): Promise<boolean> => {
      const assignments = Prisma.join([
        Prisma.sql`status = ${status}`,
        Prisma.sql`error_code = ${errorCode}`,
        Prisma.sql`error_message = ${errorMessage}`,
        Prisma.sql`finished_at = now()`,
        ...columns,
      ]);
      const ended = await tx.$executeRaw`
        update ${runs} set ${assignments} where uuid = ${runId}::uuid and status = 'running'`;
      return ended === 1;
    },
    /** Ends the lease of a run that stops before its end. */
    release: async (db: Db, runId: string): Promise<void> =>
      void (await db.$executeRaw`
        update ${runs} set lease_until = '-infinity' where uuid = ${runId}::uuid and status = 'running'`),
    /**
     * Closes runs whose process ended, and enqueues those of the schedule again, so that no window is lost.
     * @returns the ids of those that are not repeated.
     */
    closeInterrupted: async (tx: Tx): Promise<string[]> => {
      const closed = await tx.$queryRaw<Pick<RunRow, 'uuid' | 'scheduled_for' | 'attempt'>[]>`
        update ${runs} set status = 'failed', finished_at = now(), error_code = 'interrupted',
          error_message = 'The process that ran it ended before it was finished.'
        where status = 'running' and lease_until < now() returning uuid, scheduled_for, attempt`;
      const isRepeated = (run: (typeof closed)[number]) => run.scheduled_for !== null && run.attempt < maxAttempts;
      for (const { scheduled_for: scheduledFor, attempt } of closed.filter(isRepeated))
        await tx.$executeRaw`
          insert into ${runs} (trigger, scheduled_for, attempt)
          values ('schedule', ${scheduledFor}, ${attempt + 1}) on conflict do nothing`;
      return closed.filter((run) => !isRepeated(run)).map(({ uuid }) => uuid);
    },

    page: async (db: Db, page: number, size: number): Promise<{ rows: R[]; total: number }> => {
      const [rows, counted] = await Promise.all([
        db.$queryRaw<R[]>`
          select * from ${runs} order by queued_at desc, uuid limit ${size} offset ${(page - 1) * size}`,
        db.$queryRaw<{ total: number }[]>`select count(*)::int as total from ${runs}`,
      ]);
      return { rows, total: counted[0]!.total };
    },
    active: (db: Db): Promise<R | null> => one(db, Prisma.sql`status in ('queued', 'running')`),
    last: (db: Db): Promise<R | null> => one(db, Prisma.sql`status in ('success', 'failed')`),
    lastSuccess: (db: Db): Promise<R | null> => one(db, Prisma.sql`status = 'success'`),
  };
}

export type RunStore<R extends RunRow = RunRow> = ReturnType<typeof createRunStore<R>>;
