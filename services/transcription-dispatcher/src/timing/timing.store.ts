import type { Stage } from '@overtone/contracts';
import type { Run } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { ratesFrom, type Rates } from './rates.ts';

const columns: Record<Stage, { wall: string; engine: string }> = {
  prepare: { wall: 'prepare_s', engine: 'prepare_engine_s' },
  transcribe: { wall: 'transcribe_s', engine: 'transcribe_engine_s' },
  diarize: { wall: 'diarize_s', engine: 'diarize_engine_s' },
  assemble: { wall: 'assemble_s', engine: 'assemble_engine_s' },
  index: { wall: 'index_s', engine: 'index_engine_s' },
};

/**
 * The part of a statement that records the duration of an accepted stage. `ended` names the relation of the ended task
 * (`claimed_at`, `published_at`, `failures`); the other arguments are SQL, and null leaves a column unchanged.
 */
export function timingPart(
  stage: Stage,
  a: { ended: string; run: string; engineSeconds: string; audioSeconds: string; engine: string; ends: string },
): string {
  const { wall, engine } = columns[stage];
  return `
    update file_pipeline_timing f set
      ${wall} = extract(epoch from now() - e.claimed_at), ${engine} = ${a.engineSeconds},
      queue_s = queue_s + greatest(0, extract(epoch from e.claimed_at - e.published_at)),
      engine_s = engine_s + ${a.engineSeconds}, retry_count = retry_count + e.failures,
      audio_duration_s = coalesce(${a.audioSeconds}, f.audio_duration_s), engine = coalesce(${a.engine}, f.engine),
      total_s = case when ${a.ends} and f.completed_at is null then extract(epoch from now() - file_opened_at)
                     else total_s end,
      completed_at = case when ${a.ends} then coalesce(f.completed_at, now()) else f.completed_at end
    from ${a.ended} e where f.run_id = ${a.run}`;
}

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
