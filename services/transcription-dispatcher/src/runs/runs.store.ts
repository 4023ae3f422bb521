import { runOptions, type RunOptions, type Stage } from '@overtone/contracts';
import type { Run } from '../generated/client.ts';
import type { Tx } from '../database.ts';
import type { Priority, RunFacts, StageResult } from '../job-requests/job-requests.ts';
import { freshStages } from './sequence.ts';

export type NewRun = {
  id: string;
  fileId: string;
  ownerId: string;
  objectKey: string;
  contentType: string;
  options: RunOptions;
  openedBy: string;
  orderedAt: Date;
  traceparent: string | null;
  priority: Priority;
  status: 'running' | 'cancelled';
};

export function factsOf(run: Run): RunFacts {
  return {
    id: run.id,
    fileId: run.fileId,
    ownerId: run.ownerId,
    objectKey: run.objectKey,
    contentType: run.contentType,
    options: runOptions.parse(run.options),
    priority: run.priority as Priority,
  };
}

/** Rows of runs; every method works in the caller's transaction. */
export const runsStore = {
  /** Serializes the handling of a file's events across durables and replicas. */
  lockFile: async (tx: Tx, fileId: string): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${fileId}, 0))`),

  /** The run, locked until the transaction ends. Always locked before its tasks. */
  lock: async (tx: Tx, runId: string): Promise<Run | null> => {
    await tx.$executeRaw`select 1 from run where uuid = ${runId}::uuid for update`;
    return tx.run.findUnique({ where: { id: runId } });
  },
  latest: (tx: Tx, fileId: string): Promise<Run | null> =>
    tx.run.findFirst({ where: { fileId }, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] }),
  running: (tx: Tx, fileId: string): Promise<Run | null> => tx.run.findFirst({ where: { fileId, status: 'running' } }),
  openedBy: (tx: Tx, openedBy: string): Promise<Run | null> => tx.run.findUnique({ where: { openedBy } }),

  insert: async (tx: Tx, run: NewRun): Promise<Run> => {
    const ended = run.status === 'cancelled';
    const row = await tx.run.create({
      data: { ...run, options: run.options, warnings: [], completedAt: ended ? new Date() : null },
    });
    const status = ended ? 'cancelled' : 'pending';
    await tx.stageRow.createMany({ data: freshStages().map((s) => ({ ...s, status, runId: run.id })) });
    return row;
  },
  results: async (tx: Tx, runId: string): Promise<StageResult[]> => {
    const rows = await tx.stageRow.findMany({ where: { runId, status: 'completed' } });
    return rows.map((r) => ({ stage: r.stage as Stage, artefact: r.artefact, output: r.output }));
  },
  failStage: async (tx: Tx, runId: string, stage: Stage): Promise<void> =>
    void (await tx.stageRow.update({
      where: { runId_stage: { runId, stage } },
      data: { status: 'failed', completedAt: new Date() },
    })),

  /** Ends a run and its open tasks and stages. @returns the cancelled tasks. */
  end: async (
    tx: Tx,
    runId: string,
    status: 'completed' | 'failed' | 'cancelled',
    warnings?: string[],
  ): Promise<string[]> => {
    await tx.run.update({
      where: { id: runId },
      data: { status, waitingFor: null, ...(warnings ? { warnings } : {}) },
    });
    // A run completes a second time when its late index is done; the first completion time stays.
    await tx.run.updateMany({ where: { id: runId, completedAt: null }, data: { completedAt: new Date() } });
    if (status === 'completed') return [];
    // Locks tasks before stages, as a claim does.
    const stopped = await tx.$queryRaw<{ uuid: string }[]>`
      with stopped as (
        update task set status = 'cancelled', token = token + 1, completed_at = now(), next_attempt_at = null
        where run_id = ${runId}::uuid and status in ('pending', 'in_progress') returning uuid
      ), ended as (
        update task_attempt a set outcome = 'cancelled', ended_at = now() from stopped
        where a.task_id = stopped.uuid and a.outcome = 'running')
      select uuid::text as uuid from stopped`;
    await tx.stageRow.updateMany({
      where: { runId, status: { in: ['pending', 'running'] } },
      data: { status: 'cancelled' },
    });
    return stopped.map((t) => t.uuid);
  },
};
