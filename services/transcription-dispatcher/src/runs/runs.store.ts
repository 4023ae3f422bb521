import { randomUUID } from 'node:crypto';
import { runOptions, stages, type Stage } from '@overtone/contracts';
import { Prisma, type Run } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { stagesAfter, type Priority, type RunFacts, type StageResult } from './runs.ts';

export type NewRun = Omit<RunFacts, 'id'> & {
  openedBy: string;
  orderedAt: Date;
  traceparent: string | null;
  status: 'running' | 'cancelled';
};
/** Media must report the stored transcript within this time, else `stage.completed` is published again. */
const reminderMs = 60_000;

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

export function idsOf(run: Run) {
  return { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
}

/** Rows of runs and their stages. Methods with a `tx` work in the caller's transaction. */
export const runsStore = {
  lockFile: async (tx: Tx, fileId: string): Promise<void> =>
    void (await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${fileId}, 0))`),

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
      data: { ...run, id: randomUUID(), warnings: [], completedAt: ended ? new Date() : null },
    });
    const status = ended ? 'cancelled' : 'pending';
    await tx.stageRow.createMany({ data: stages.map((stage) => ({ stage, status, runId: row.id })) });
    return row;
  },
  results: async (tx: Tx, runId: string): Promise<StageResult[]> => {
    const rows = await tx.stageRow.findMany({ where: { runId, status: 'completed' } });
    return rows.map((row) => ({ stage: row.stage as Stage, artefact: row.artefact, output: row.output }));
  },
  failStage: async (tx: Tx, runId: string, stage: Stage): Promise<void> =>
    void (await tx.stageRow.update({
      where: { runId_stage: { runId, stage } },
      data: { status: 'failed', completedAt: new Date() },
    })),

  end: async (
    tx: Tx,
    runId: string,
    status: 'completed' | 'failed' | 'cancelled',
    warnings?: string[],
  ): Promise<void> => {
    await tx.run.update({
      where: { id: runId },
      data: { status, waitingFor: null, ...(warnings ? { warnings } : {}) },
    });
    // A run completes a second time when its late index is done; the first completion time stays.
    await tx.run.updateMany({ where: { id: runId, completedAt: null }, data: { completedAt: new Date() } });
  },
  cancelOpenStages: async (tx: Tx, runId: string): Promise<void> =>
    void (await tx.stageRow.updateMany({
      where: { runId, status: { in: ['pending', 'running'] } },
      data: { status: 'cancelled' },
    })),

  /** Resets a stage to pending. In a run that stays ended it keeps `startedAt`, so that no event is repeated. */
  reviveStage: async (tx: Tx, runId: string, stage: string, reset: { startedAt?: null } = {}): Promise<void> =>
    void (await tx.stageRow.updateMany({
      where: { runId, stage },
      data: { status: 'pending', completedAt: null, ...reset },
    })),

  /** Sets the run to running again and resets the stages after `stage`. */
  reopen: async (tx: Tx, runId: string, stage: Stage, warnings: string[]): Promise<void> => {
    await tx.stageRow.updateMany({
      where: { runId, stage: { in: stagesAfter(stage) } },
      data: {
        status: 'pending',
        artefact: null,
        output: Prisma.DbNull,
        engineSeconds: null,
        orderedAt: null,
        startedAt: null,
        completedAt: null,
      },
    });
    await tx.run.update({
      where: { id: runId },
      data: { status: 'running', completedAt: null, waitingFor: null, remindedAt: null, warnings },
    });
  },

  /** Running runs whose assembled transcript media has not reported as stored. */
  awaitingTranscript: (db: Db): Promise<{ id: string }[]> =>
    db.$queryRaw<{ id: string }[]>`
      select r.uuid::text as id from run r
      join stage a on a.run_id = r.uuid and a.stage = 'assemble' and a.status = 'completed'
      where r.status = 'running'
        and not exists (select 1 from task t where t.run_id = r.uuid and t.stage = 'index' and not t.superseded)
        and coalesce(r.reminded_at, a.completed_at) < now() - make_interval(secs => ${reminderMs / 1000})
      limit 100`,
};
