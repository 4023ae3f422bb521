import { transcriptionEvents, type DataOf, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log, Sample } from '@overtone/service-kit';
import type { Broker } from '../broker/broker.ts';
import { claimsStore, isHeld, timeoutCode, type Claims, type PutBackStore, type SeenLease } from '../claims/claims.ts';
import { txOptions, type Db } from '../database.ts';
import { tellAudit, type Operator } from '../operator.ts';
import type { Runs } from '../runs/runs.ts';
import { runsStore } from '../runs/runs.ts';
import { canJudge, isOverdue, messageGraceMs, missingTickets } from './loss.ts';
import type { RecoveryStore, RunningTask } from './recovery.store.ts';

export type RecoveryDeps = {
  db: Db;
  store: RecoveryStore;
  outbox: Outbox;
  runs: Pick<Runs, 'giveUp'>;
  broker: Pick<Broker, 'tickets' | 'takeAway'>;
  leases: {
    of: (taskId: string) => (SeenLease & { ticket: string }) | undefined;
    since: () => number | null;
    drop: (taskId: string) => Promise<void>;
  };
  maxInfraRequeues: number;
  /** Seconds that any task may be worked on. */
  maxDurationSeconds: number;
  claims: Pick<Claims, 'fail'>;
  back: Pick<PutBackStore, 'putBack'>;
  tellCancelled: (taskId: string) => void;
  log: Log;
};
const republishBatch = 1_000;
const tookTooLong = { code: timeoutCode, message: 'It took longer than its recording can explain', retryable: true };
const lostWorker = {
  code: 'job_lost',
  message: 'The workers that tried this were lost again and again',
  retryable: true,
};

/** Brings back what a death left lying: tasks without their worker, orders without their message, events unheard. */
export const createRecovery = (d: RecoveryDeps) => {
  /** A task that costs every worker its life fails, and what depends on it. */
  const giveUp = async ({ id: taskId, token }: RunningTask): Promise<boolean> => {
    const outcome = await claimsStore.held(d.db, { taskId, token }, async (tx, task, run) => {
      if (task.status !== 'in_progress') return 'stale';
      await claimsStore.endTry(tx, task, 'lost', lostWorker);
      const ended = { status: 'failed', errorCode: lostWorker.code, errorMessage: lostWorker.message };
      await tx.task.update({
        where: { id: taskId },
        data: { ...ended, token: { increment: 1 }, infraRequeues: { increment: 1 }, completedAt: new Date() },
      });
      if (run?.status === 'running') await d.runs.giveUp(tx, run, task.stage as Stage, lostWorker);
      return 'failed';
    });
    return outcome === 'failed';
  };

  /** @returns false when it ended, or was handed out anew, since it was read. */
  const takeBack = async (task: RunningTask): Promise<boolean> => {
    const { id, token, stage, worker } = task;
    const infraRequeues = task.infraRequeues + 1;
    d.log.warn({ task_id: id, stage, worker, infra_requeues: infraRequeues }, 'worker lost');
    if (infraRequeues > d.maxInfraRequeues) return giveUp(task);
    return d.back.putBack({ id, token, outcome: 'lost', error: lostWorker });
  };

  const lost = (tasks: RunningTask[]): RunningTask[] => tasks.filter((t) => !isHeld(t, d.leases.of(t.id), Date.now()));

  /** Tickets for up to `count` tasks that wait on a durable since before `cutoff`; no transaction grows with the queue. */
  const republish = async (durable: string, count: number, cutoff: Date): Promise<number> => {
    let all = 0;
    for (let last = republishBatch; last === republishBatch && all < count; all += last) {
      last = await d.store.republish(durable, cutoff, Math.min(republishBatch, count - all));
    }
    return all;
  };

  const remind = (runId: string): Promise<void> =>
    d.db.$transaction(async (tx) => {
      const run = await runsStore.lock(tx, runId);
      if (run?.status !== 'running') return;
      const row = await tx.stageRow.findUnique({ where: { runId_stage: { runId, stage: 'assemble' } } });
      d.log.warn({ run_id: runId, file_id: run.fileId }, 'transcript not stored yet; its stage is told of again');
      await tx.run.update({ where: { id: runId }, data: { remindedAt: new Date() } });
      await d.outbox.add(tx, transcriptionEvents.stageCompleted, {
        runId,
        fileId: run.fileId,
        ownerId: run.ownerId,
        sequence: run.sequence,
        stage: 'assemble',
        output: row?.output,
      } as DataOf<typeof transcriptionEvents.stageCompleted>);
    }, txOptions);

  /** None while not all leases are known. */
  const knownLost = (tasks: RunningTask[]): RunningTask[] =>
    canJudge(d.leases.since(), Date.now()) ? lost(tasks) : [];

  const takeBackAll = async (tasks: RunningTask[]): Promise<{ found: number; reset: number }> => {
    let reset = 0;
    for (const task of tasks) {
      // It may have been heard of since it was read.
      if (lost([task]).length === 0) continue;
      const ticket = d.leases.of(task.id)?.ticket;
      if (await takeBack(task)) reset += 1;
      await d.leases.drop(task.id).catch(() => {});
      // The dead worker's own; there is a new one now.
      if (ticket) d.broker.takeAway(ticket);
    }
    return { found: tasks.length, reset };
  };

  const endOverdue = async (running: RunningTask[]): Promise<number> => {
    const overdue = running.filter((t) => isOverdue(t, d.maxDurationSeconds, Date.now()));
    for (const { id: taskId, token, stage, worker } of overdue) {
      d.log.warn({ task_id: taskId, stage, worker }, 'task takes too long');
      await d.claims.fail({ taskId, token, ...tookTooLong });
      d.tellCancelled(taskId);
    }
    return overdue.length;
  };

  const recovery = {
    /** Running tasks without a live lease, back to their queues under a new token. */
    takeBackLost: async (): Promise<{ found: number; reset: number }> =>
      takeBackAll(knownLost(await d.store.running())),

    /**
     * One look at what runs: those without a live lease go back to their queues, and those whose worker renews its lease
     * but gets nowhere have failed, to be tried again as any other.
     */
    lookAtRunning: async (): Promise<{ lost: { found: number; reset: number }; overdue: number }> => {
      const running = await d.store.running();
      const gone = new Set(knownLost(running));
      return { lost: await takeBackAll([...gone]), overdue: await endOverdue(running.filter((t) => !gone.has(t))) };
    },

    /** What is lost at this moment; no number of leases while not all of them are known. */
    signals: async (infraThreshold: number): Promise<Sample[]> => {
      const [running, files] = await Promise.all([d.store.running(), d.store.infraRequeuedFiles(infraThreshold)]);
      const judged = canJudge(d.leases.since(), Date.now());
      return [
        ...(judged ? [{ name: 'transcription_runs_without_lease', value: lost(running).length }] : []),
        { name: 'transcription_files_infra_requeued', value: files },
      ];
    },

    /** Waiting orders for which there are too few tickets get new ones. */
    replaceLostMessages: async (graceMs = messageGraceMs): Promise<number> => {
      const open = await d.store.openByDurable(graceMs);
      if (open.length === 0) return 0;
      const cutoff = await d.store.longAgo(graceMs);
      let all = 0;
      for (const [durable, count] of missingTickets(open, await d.broker.tickets()))
        all += await republish(durable, count, cutoff);
      if (all > 0) d.log.warn({ count: all }, 'orders put on the bus again');
      return all;
    },

    /** The broker came back without its store: every waiting order gets a new ticket at once. */
    rebuildQueue: async (): Promise<number> => {
      const cutoff = await d.store.longAgo(0);
      let all = 0;
      for (const { durable, open } of await d.store.openByDurable(0)) all += await republish(durable, open, cutoff);
      if (all > 0) d.log.warn({ count: all }, 'queue rebuilt from the database');
      return all;
    },

    /** Says again what media seems not to have heard. */
    remindUnheard: async (): Promise<void> => {
      for (const run of await d.store.unheard()) await remind(run.id);
    },
  };
  return {
    ...recovery,
    /** All that a look every few seconds does, at once, for an administrator who does not want to wait. */
    recoverStuck: async (operator: Operator): Promise<{ found: number; reset: number }> => {
      const { lost, overdue } = await recovery.lookAtRunning();
      const others = overdue + (await recovery.replaceLostMessages(0));
      const reset = lost.reset + others;
      // Each was put back in a transaction of its own; the record tells of the order, not of one task.
      if (reset > 0)
        await d.db.$transaction(
          (tx) => tellAudit(tx, d.outbox, operator, 'stuck_recovered', { count: reset }),
          txOptions,
        );
      return { found: lost.found + others, reset };
    },
  };
};
export type Recovery = ReturnType<typeof createRecovery>;
