import { transcriptionEvents, type DataOf, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log, Sample } from '@overtone/service-kit';
import type { Broker } from '../broker/broker.ts';
import {
  claimsStore,
  isHeld,
  timeoutCode,
  type Claims,
  type RequeueStore,
  type ObservedLease,
} from '../claims/claims.ts';
import { txOptions, type Db } from '../database.ts';
import { recordOperation, type Operator } from '../operator.ts';
import type { Runs } from '../runs/runs.ts';
import { runsStore } from '../runs/runs.ts';
import { isWatchSettled, isOverdue, messageGraceMs, missingSignals } from './loss.ts';
import type { RecoveryStore, RunningTask } from './recovery.store.ts';

export type RecoveryDeps = {
  db: Db;
  store: RecoveryStore;
  outbox: Outbox;
  runs: Pick<Runs, 'giveUp'>;
  broker: Pick<Broker, 'countSignals' | 'acknowledgeSignal'>;
  leases: {
    of: (taskId: string) => (ObservedLease & { ticket: string }) | undefined;
    since: () => number | null;
    drop: (taskId: string) => Promise<void>;
  };
  maxInfraRequeues: number;
  /** Minimum time limit of a task. */
  maxDurationSeconds: number;
  claims: Pick<Claims, 'fail'>;
  requeues: Pick<RequeueStore, 'requeue'>;
  notifyCancelled: (taskId: string) => void;
  log: Log;
};
const republishBatch = 1_000;
const timedOut = { code: timeoutCode, message: 'The task exceeded its time limit', retryable: true };
const lostWorker = {
  code: 'job_lost',
  message: 'The task lost its worker too often',
  retryable: true,
};

/** Repairs what a crash leaves behind: tasks of dead workers, tasks without a job signal, and unanswered events. */
export function createRecovery({
  db,
  runs,
  log,
  maxInfraRequeues,
  requeues,
  leases,
  store,
  outbox,
  broker,
  maxDurationSeconds,
  claims,
  notifyCancelled,
}: RecoveryDeps) {
  /** Fails a task that has lost too many workers, with its effect on the run. */
  const failTask = async ({ id: taskId, token }: RunningTask): Promise<boolean> => {
    const outcome = await claimsStore.withLockedTask(db, { taskId, token }, async (tx, task, run) => {
      if (task.status !== 'in_progress') return 'stale';
      await claimsStore.endAttempt(tx, task, 'lost', lostWorker);
      const ended = { status: 'failed', errorCode: lostWorker.code, errorMessage: lostWorker.message };
      await tx.task.update({
        where: { id: taskId },
        data: { ...ended, token: { increment: 1 }, infraRequeues: { increment: 1 }, completedAt: new Date() },
      });
      if (run?.status === 'running') await runs.giveUp(tx, run, task.stage as Stage, lostWorker);
      return 'failed';
    });
    return outcome === 'failed';
  };

  /** @returns false when the task ended or was claimed again since it was read. */
  const requeueOrFail = async (task: RunningTask): Promise<boolean> => {
    const { id, token, stage, worker } = task;
    const infraRequeues = task.infraRequeues + 1;
    log.warn({ task_id: id, stage, worker, infra_requeues: infraRequeues }, 'worker lost');
    if (infraRequeues > maxInfraRequeues) return failTask(task);
    return requeues.requeue({ id, token, outcome: 'lost', error: lostWorker });
  };

  const withoutLiveLease = (tasks: RunningTask[]): RunningTask[] =>
    tasks.filter((t) => !isHeld(t, leases.of(t.id), Date.now()));

  /** Publishes signals for up to `count` tasks waiting on a durable since before `cutoff`, in bounded transactions. */
  const republish = async (durable: string, count: number, cutoff: Date): Promise<number> => {
    let published = 0;
    for (let last = republishBatch; last === republishBatch && published < count; published += last) {
      last = await store.republish(durable, cutoff, Math.min(republishBatch, count - published));
    }
    return published;
  };

  const repeatStageCompleted = (runId: string): Promise<void> =>
    db.$transaction(async (tx) => {
      const run = await runsStore.lock(tx, runId);
      if (run?.status !== 'running') return;
      const row = await tx.stageRow.findUnique({ where: { runId_stage: { runId, stage: 'assemble' } } });
      log.warn(
        { run_id: runId, file_id: run.fileId },
        'transcript not stored in time: stage completed published again',
      );
      await tx.run.update({ where: { id: runId }, data: { remindedAt: new Date() } });
      await outbox.add(tx, transcriptionEvents.stageCompleted, {
        runId,
        fileId: run.fileId,
        ownerId: run.ownerId,
        sequence: run.sequence,
        stage: 'assemble',
        output: row?.output,
      } as DataOf<typeof transcriptionEvents.stageCompleted>);
    }, txOptions);

  /** Running tasks without a live lease; none while the lease watch is incomplete. */
  const findLostTasks = (tasks: RunningTask[]): RunningTask[] =>
    isWatchSettled(leases.since(), Date.now()) ? withoutLiveLease(tasks) : [];

  const requeueAll = async (tasks: RunningTask[]): Promise<{ found: number; reset: number }> => {
    let reset = 0;
    for (const task of tasks) {
      // Its lease may have been renewed since the tasks were read.
      if (withoutLiveLease([task]).length === 0) continue;
      const signal = leases.of(task.id)?.ticket;
      if (await requeueOrFail(task)) reset += 1;
      await leases.drop(task.id).catch(() => {});
      // The dead worker's signal; the requeued task has a new one.
      if (signal) broker.acknowledgeSignal(signal);
    }
    return { found: tasks.length, reset };
  };

  const failOverdueTasks = async (running: RunningTask[]): Promise<number> => {
    const overdue = running.filter((t) => isOverdue(t, maxDurationSeconds, Date.now()));
    for (const { id: taskId, token, stage, worker } of overdue) {
      log.warn({ task_id: taskId, stage, worker }, 'task time limit exceeded');
      await claims.fail({ taskId, token, ...timedOut });
      notifyCancelled(taskId);
    }
    return overdue.length;
  };

  const recovery = {
    /** Requeues running tasks without a live lease under a new token. */
    requeueLostTasks: async (): Promise<{ found: number; reset: number }> =>
      requeueAll(findLostTasks(await store.running())),

    /**
     * Requeues running tasks without a live lease, and fails those whose worker still renews the lease but has exceeded
     * the time limit; these are retried like any other failure.
     */
    checkRunningTasks: async (): Promise<{ lost: { found: number; reset: number }; overdue: number }> => {
      const running = await store.running();
      const lostTasks = new Set(findLostTasks(running));
      return {
        lost: await requeueAll([...lostTasks]),
        overdue: await failOverdueTasks(running.filter((t) => !lostTasks.has(t))),
      };
    },

    /** Gauges of lost tasks; the lease gauge is omitted while the lease watch is incomplete. */
    signals: async (infraThreshold: number): Promise<Sample[]> => {
      const [running, files] = await Promise.all([store.running(), store.infraRequeuedFiles(infraThreshold)]);
      const leasesKnown = isWatchSettled(leases.since(), Date.now());
      return [
        ...(leasesKnown ? [{ name: 'transcription_runs_without_lease', value: withoutLiveLease(running).length }] : []),
        { name: 'transcription_files_infra_requeued', value: files },
      ];
    },

    /** Publishes new job signals for waiting tasks whose signals were lost. */
    replaceLostSignals: async (graceMs = messageGraceMs): Promise<number> => {
      const open = await store.openByDurable(graceMs);
      if (open.length === 0) return 0;
      const cutoff = await store.timeBeforeNow(graceMs);
      let published = 0;
      for (const [durable, count] of missingSignals(open, await broker.countSignals()))
        published += await republish(durable, count, cutoff);
      if (published > 0) log.warn({ count: published }, 'lost job signals republished');
      return published;
    },

    /** Publishes a job signal for every waiting task after the broker has lost its store. */
    rebuildQueue: async (): Promise<number> => {
      const cutoff = await store.timeBeforeNow(0);
      let published = 0;
      for (const { durable, open } of await store.openByDurable(0)) published += await republish(durable, open, cutoff);
      if (published > 0) log.warn({ count: published }, 'queue rebuilt from the database');
      return published;
    },

    /** Publishes `stage.completed` again for runs whose transcript media has not stored in time. */
    remindMissingTranscripts: async (): Promise<void> => {
      for (const run of await store.runsAwaitingTranscript()) await repeatStageCompleted(run.id);
    },
  };
  return {
    ...recovery,
    /** Runs all periodic repairs immediately at an administrator's request. */
    recoverStuck: async (operator: Operator): Promise<{ found: number; reset: number }> => {
      const { lost, overdue } = await recovery.checkRunningTasks();
      const others = overdue + (await recovery.replaceLostSignals(0));
      const reset = lost.reset + others;
      // Every task was requeued in its own transaction; this record covers the whole request.
      if (reset > 0)
        await db.$transaction(
          (tx) => recordOperation(tx, outbox, operator, 'stuck_recovered', { count: reset }),
          txOptions,
        );
      return { found: lost.found + others, reset };
    },
  };
}

export type Recovery = ReturnType<typeof createRecovery>;
