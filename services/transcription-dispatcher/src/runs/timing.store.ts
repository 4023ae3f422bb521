import type { Run } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { ratesFrom, type Rates } from './progress.ts';

/** The row of `file_pipeline_timing` of each run. */
export function createTiming({ db }: { db: Db }) {
  return {
    open: async (tx: Tx, run: Run): Promise<void> =>
      void (await tx.pipelineTiming.create({
        data: { runId: run.id, fileId: run.fileId, userId: run.ownerId, fileOpenedAt: run.orderedAt },
      })),
    /** Does nothing for a run that ended before its late index. */
    close: async (tx: Tx, runId: string): Promise<void> =>
      void (await tx.$executeRaw`
      update file_pipeline_timing set completed_at = now(), total_s = extract(epoch from now() - file_opened_at)
      where run_id = ${runId}::uuid and completed_at is null`),
    reopen: async (tx: Tx, runId: string): Promise<void> =>
      void (await tx.pipelineTiming.updateMany({ where: { runId }, data: { completedAt: null, totalS: null } })),
    /** Seconds of work per second of audio of each stage in the latest runs. */
    rates: async (): Promise<Rates> =>
      ratesFrom(
        await db.pipelineTiming.findMany({
          where: { completedAt: { not: null }, audioDurationS: { gt: 0 } },
          orderBy: { completedAt: 'desc' },
          take: 20,
        }),
      ),
  };
}

export type Timing = ReturnType<typeof createTiming>;
