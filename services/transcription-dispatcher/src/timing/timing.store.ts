import type { Stage } from '@overtone/contracts';
import type { Run } from '../generated/client.ts';
import { Prisma } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { ratesFrom, type Rates } from './rates.ts';

type StageTiming = {
  runId: string;
  stage: Stage;
  seconds: number;
  engineSeconds: number;
  queueSeconds: number;
  failures: number;
};

const columns: Record<Stage, { wall: string; engine: string }> = {
  prepare: { wall: 'prepare_s', engine: 'prepare_engine_s' },
  transcribe: { wall: 'transcribe_s', engine: 'transcribe_engine_s' },
  diarize: { wall: 'diarize_s', engine: 'diarize_engine_s' },
  assemble: { wall: 'assemble_s', engine: 'assemble_engine_s' },
  index: { wall: 'index_s', engine: 'index_engine_s' },
};

/** The row of `file_pipeline_timing` of each run. */
export const createTiming = ({ db }: { db: Db }) => ({
  open: async (tx: Tx, run: Run): Promise<void> =>
    void (await tx.pipelineTiming.create({
      data: { runId: run.id, fileId: run.fileId, userId: run.ownerId, fileOpenedAt: run.orderedAt },
    })),
  stage: async (tx: Tx, t: StageTiming): Promise<void> => {
    const { wall, engine } = columns[t.stage];
    await tx.$executeRaw`
      update file_pipeline_timing set ${Prisma.raw(wall)} = ${t.seconds}, ${Prisma.raw(engine)} = ${t.engineSeconds},
        queue_s = queue_s + ${t.queueSeconds}, engine_s = engine_s + ${t.engineSeconds},
        retry_count = retry_count + ${t.failures}
      where run_id = ${t.runId}::uuid`;
  },
  audio: async (tx: Tx, runId: string, seconds: number): Promise<void> => {
    await tx.run.update({ where: { id: runId }, data: { audioDurationS: seconds } });
    await tx.pipelineTiming.updateMany({ where: { runId }, data: { audioDurationS: seconds } });
  },
  engine: async (tx: Tx, runId: string, engine: string): Promise<void> =>
    void (await tx.pipelineTiming.updateMany({ where: { runId }, data: { engine } })),
  /** A run whose index came late has ended before. */
  close: async (tx: Tx, runId: string): Promise<void> =>
    void (await tx.$executeRaw`
      update file_pipeline_timing set completed_at = now(), total_s = extract(epoch from now() - file_opened_at)
      where run_id = ${runId}::uuid and completed_at is null`),
  /** What each stage took per second of audio in the latest runs. */
  rates: async (): Promise<Rates> =>
    ratesFrom(
      await db.pipelineTiming.findMany({
        where: { completedAt: { not: null }, audioDurationS: { gt: 0 } },
        orderBy: { completedAt: 'desc' },
        take: 20,
      }),
    ),
});
export type Timing = ReturnType<typeof createTiming>;
