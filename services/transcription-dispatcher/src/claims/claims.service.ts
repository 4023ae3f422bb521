import {
  transcriptionEvents,
  type dispatcherRpc,
  type DataOf,
  type ReplyOf,
  type RequestOf,
  type Stage,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, type Log } from '@overtone/service-kit';
import { txOptions, type Db, type Json, type Tx } from '../database.ts';
import type { Run, Task } from '../generated/client.ts';
import { front, jobOf, pauseAfter, type Orders } from '../orders/orders.ts';
import type { Runs } from '../runs/runs.ts';
import { runsStore } from '../runs/runs.ts';
import type { Timing } from '../timing/timing.ts';
import type { ClaimStore } from './claim.store.ts';
import { claimsStore as store } from './claims.store.ts';

export type ClaimsDeps = {
  db: Db;
  outbox: Outbox;
  orders: Orders;
  runs: Pick<Runs, 'advance' | 'giveUp'>;
  timing: Timing;
  next: ClaimStore;
  log: Log;
  random?: () => number;
};
type Reply<K extends keyof typeof dispatcherRpc> = Promise<ReplyOf<(typeof dispatcherRpc)[K]>>;
type Request<K extends keyof typeof dispatcherRpc> = RequestOf<(typeof dispatcherRpc)[K]>;

/** Tasks that wait were all just being looked at by others. */
const soonMs = 50;
/** An express place looks again so often for something short. */
const expressMs = 250;
const pausedMs = 1_000;
/** An index order that has used up its attempts comes back after this, for ever: the file stays findable late. */
const indexRetryMs = 10 * 60_000;

/**
 * The worker's side of a task: claim, and one outcome. Safety rests on the fencing token in the task's row alone. Every
 * question may be asked twice, and every outcome told twice.
 */
export const createClaims = ({ db, outbox, orders, runs, timing, next, log, random = Math.random }: ClaimsDeps) => {
  /** Locks run and task, in this order, and runs `work` when `token` is still the latest. */
  const held = <T>(
    { taskId, token }: { taskId: string; token: number },
    work: (tx: Tx, task: Task, run: Run | null) => Promise<T>,
  ): Promise<T | 'stale'> =>
    db.$transaction(async (tx) => {
      const runId = await store.runOf(tx, taskId);
      if (runId === undefined) return 'stale';
      const run = runId ? await runsStore.lock(tx, runId) : null;
      const task = await store.lock(tx, taskId);
      return task?.token === token ? work(tx, task, run) : 'stale';
    }, txOptions);

  const accept = async (
    tx: Tx,
    task: Task,
    run: Run | null,
    output: { artefact: string | null } & Record<string, unknown>,
  ) => {
    await tx.task.update({ where: { id: task.id }, data: { status: 'completed', completedAt: new Date() } });
    await store.endTry(tx, task, 'completed');
    if (!run) return;
    const stage = task.stage as Stage;
    const { sequence } = await tx.run.update({ where: { id: run.id }, data: { sequence: { increment: 1 } } });
    const engineSeconds = Number(output['engine_seconds'] ?? 0);
    await runsStore.setStage(tx, run.id, stage, {
      status: 'completed',
      artefact: output.artefact,
      output: output as Json,
      engineSeconds,
      completedAt: new Date(),
    });
    await recordTiming(tx, timing, task, run.id, engineSeconds, output);
    const ids = { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
    const event = { ...ids, sequence, stage, output } as DataOf<typeof transcriptionEvents.stageCompleted>;
    await outbox.add(tx, transcriptionEvents.stageCompleted, event);
    await runs.advance(tx, run, stage);
  };

  const retryLater = async (tx: Tx, task: Task, error: { code: string; message: string }, pauseMs: number) => {
    await store.endTry(tx, task, 'failed', error);
    await store.toPending(tx, task, {
      failures: { increment: 1 },
      errorCode: error.code,
      errorMessage: error.message,
      nextAttemptAt: new Date(Date.now() + pauseMs),
    });
    return { outcome: 'retry' as const };
  };

  return {
    claim: async (request: Request<'claim'>): Reply<'claim'> => {
      const { task, paused, waiting, traceparent, waitedFor } = await next.take(request);
      if (task?.runId && waitedFor !== null)
        void store.stopWaiting(db, outbox, task.runId).catch((err: unknown) => {
          log.debug({ err: err as Error, run_id: task.runId }, 'run still shows that it waits');
        });
      if (task) {
        const { id: taskId, subject, input, token, attempt } = task;
        return { outcome: 'claimed', taskId, subject, input, token, attempt, traceparent };
      }
      // A ticket that is let go of is gone for good: only when nothing waits that it may have been for.
      if (!waiting) return { outcome: 'gone' };
      if (paused) return { outcome: 'wait', retryInMs: pausedMs };
      return { outcome: 'wait', retryInMs: request.lane === 'express' ? expressMs : soonMs };
    },

    complete: async ({ taskId, token, output }: Request<'complete'>): Reply<'complete'> => {
      const outcome = await held({ taskId, token }, async (tx, task, run) => {
        if (task.status === 'completed') return 'accepted' as const;
        if (task.status !== 'in_progress') return 'stale' as const;
        const parsed = jobOf(task.stage as Stage).output.safeParse(output);
        if (!parsed.success) throw invalid('invalid_request', `The result of ${task.subject} does not fit its schema`);
        await accept(tx, task, run, parsed.data as { artefact: string | null });
        return 'accepted' as const;
      });
      return { outcome };
    },

    fail: async ({ taskId, token, retryable, ...error }: Request<'fail'>): Reply<'fail'> => {
      const answer = await held({ taskId, token }, async (tx, task, run) => {
        if (task.status === 'pending') return { outcome: 'retry' as const };
        if (task.status === 'failed') return { outcome: 'failed' as const };
        if (task.status !== 'in_progress') return { outcome: 'stale' as const };
        const failures = task.failures + 1;
        if (retryable && failures < task.maxFailures)
          return retryLater(tx, task, error, pauseAfter(failures, task.backoffMs, random()));
        if (task.stage === 'index' && retryable) {
          if (run?.status === 'running') await runs.giveUp(tx, run, 'index', { ...error, retryable });
          return retryLater(tx, task, error, indexRetryMs);
        }
        await store.endTry(tx, task, 'failed', error);
        await tx.task.update({
          where: { id: task.id },
          data: {
            status: 'failed',
            failures,
            errorCode: error.code,
            errorMessage: error.message,
            completedAt: new Date(),
          },
        });
        if (run?.status === 'running') await runs.giveUp(tx, run, task.stage as Stage, { ...error, retryable });
        return { outcome: 'failed' as const };
      });
      return answer === 'stale' ? { outcome: 'stale' } : answer;
    },

    release: async ({ taskId, token }: Request<'release'>): Reply<'release'> => {
      const outcome = await held({ taskId, token }, async (tx, task) => {
        if (task.status === 'pending') return 'released' as const;
        if (task.status !== 'in_progress') return 'stale' as const;
        await store.endTry(tx, task, 'released');
        if (await store.toPending(tx, task, front)) await orders.republish(tx, [task]);
        return 'released' as const;
      });
      return { outcome };
    },
  };
};
export type Claims = ReturnType<typeof createClaims>;

const recordTiming = async (
  tx: Tx,
  timing: Timing,
  task: Task,
  runId: string,
  engineSeconds: number,
  output: Record<string, unknown>,
): Promise<void> => {
  const claimed = task.claimedAt ?? new Date();
  await timing.stage(tx, {
    runId,
    stage: task.stage as Stage,
    seconds: (Date.now() - claimed.getTime()) / 1000,
    engineSeconds,
    queueSeconds: Math.max(0, (claimed.getTime() - (task.publishedAt ?? task.createdAt).getTime()) / 1000),
    failures: task.failures,
  });
  if (task.stage === 'prepare') await timing.audio(tx, runId, Number(output['duration']));
  if (task.stage === 'transcribe') {
    const { provider, model } = output['engine'] as { provider: string; model: string };
    await timing.engine(tx, runId, `${provider} ${model}`);
  }
};
