import { transcriptionEvents, type DataOf, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { outcomeOfFailure, stagesAfter, warningOf, type Runs, type RunTasks } from './runs.ts';
import { factsOf, idsOf, runsStore as store } from './runs.store.ts';
import { stopRun } from './runs.service.ts';
import type { Timing } from './timing.store.ts';

export type OutcomesDeps = { db: Db; outbox: Outbox; tasks: RunTasks; timing: Timing; log: Log };

/** What failed, retried and claimed tasks change in their run. */
export function createOutcomes({
  db,
  outbox,
  tasks,
  timing,
}: OutcomesDeps): Pick<Runs, 'giveUp' | 'reopen' | 'stopWaiting'> {
  return {
    giveUp: async (tx, run, stage, error) => {
      const outcome = outcomeOfFailure(stage, error.message);
      await store.failStage(tx, run.id, stage);
      if (outcome.kind === 'fail-run') {
        await stopRun(tx, tasks, { runId: run.id, status: 'failed' });
        await timing.close(tx, run.id);
        return outbox.add(tx, transcriptionEvents.runFailed, { ...idsOf(run), stage, ...error });
      }
      const warnings = [...run.warnings.filter((warning) => warning !== outcome.note), outcome.note];
      if (outcome.kind === 'finish-without') {
        await store.end(tx, run.id, 'completed', warnings);
        await timing.close(tx, run.id);
        return outbox.add(tx, transcriptionEvents.runCompleted, { ...idsOf(run), warnings, dropped: [] });
      }
      await tx.run.update({ where: { id: run.id }, data: { warnings } });
      const results = await store.results(tx, run.id);
      await tasks.enqueue(tx, 'assemble', factsOf(run), results, { degraded: outcome.note });
    },

    reopen: async (tx, run, stage, message) => {
      const note = warningOf(stage, message);
      const warnings = run.warnings.filter((warning) => warning !== note);
      await tasks.supersede(tx, run.id, stagesAfter(stage));
      await store.reopen(tx, run.id, stage, warnings);
      await timing.reopen(tx, run.id);
      await store.reviveStage(tx, run.id, stage, { startedAt: null });
      const dropped = run.warnings.filter((warning) => warning === note);
      await outbox.add(tx, transcriptionEvents.runResumed, { ...idsOf(run), stage, dropped });
    },

    stopWaiting: (runId) =>
      db.$transaction(async (tx) => {
        const waited = await tx.run.updateManyAndReturn({
          where: { id: runId, waitingFor: { not: null } },
          data: { waitingFor: null },
        });
        for (const run of waited) await outbox.add(tx, transcriptionEvents.runWaiting, { ...idsOf(run), reason: null });
      }),
  };
}

/** Publishes `stage.completed` again for runs whose transcript media has not stored in time. */
export function createReminders({ db, outbox, log }: Pick<OutcomesDeps, 'db' | 'outbox' | 'log'>) {
  const repeatStageCompleted = (runId: string, stage: Stage): Promise<void> =>
    db.$transaction(async (tx) => {
      const run = await store.lock(tx, runId);
      if (run?.status !== 'running') return;
      const row = await tx.stageRow.findUnique({ where: { runId_stage: { runId, stage } } });
      log.warn(
        { run_id: runId, file_id: run.fileId },
        'transcript not stored in time: stage completed published again',
      );
      await tx.run.update({ where: { id: runId }, data: { remindedAt: new Date() } });
      const completed = { ...idsOf(run), sequence: run.sequence, stage, output: row?.output };
      await outbox.add(
        tx,
        transcriptionEvents.stageCompleted,
        completed as DataOf<typeof transcriptionEvents.stageCompleted>,
      );
    });

  return {
    remindMissingTranscripts: async (): Promise<void> => {
      for (const { id } of await store.awaitingTranscript(db)) await repeatStageCompleted(id, 'assemble');
    },
  };
}
