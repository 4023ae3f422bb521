import type { dispatcherRpc, ReplyOf, RequestOf, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, unavailable, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { jobOf, pauseAfter, type JobRequests } from '../job-requests/job-requests.ts';
import type { Runs } from '../runs/runs.ts';
import type { AcceptStore } from './accept.store.ts';
import { buildAcceptance, type Output } from './acceptance.ts';
import type { ClaimStore } from './claim.store.ts';
import { claimsStore as store } from './claims.store.ts';
import { storageFullCode, type RequeueStore } from './requeue.store.ts';
import type { TaskState, TaskStateStore } from './task-state.store.ts';

export type ClaimsDeps = {
  db: Db;
  outbox: Outbox;
  jobRequests: Pick<JobRequests, 'buildTaskRow'>;
  runs: Pick<Runs, 'giveUp'>;
  next: ClaimStore;
  state: TaskStateStore;
  acceptStore: AcceptStore;
  requeues: RequeueStore;
  log: Log;
  random?: () => number;
};
type Reply<K extends keyof typeof dispatcherRpc> = Promise<ReplyOf<(typeof dispatcherRpc)[K]>>;
type Request<K extends keyof typeof dispatcherRpc> = RequestOf<(typeof dispatcherRpc)[K]>;

/** Delay when concurrent claims have locked all waiting tasks. */
const contentionMs = 50;
/** Interval at which an express slot asks again for a short task. */
const expressMs = 250;
const pausedMs = 1_000;
/** An index task that has used up its attempts is retried at this interval without a limit, so that the file becomes searchable. */
const indexRetryMs = 10 * 60_000;
/** A task that met a full storage is retried after 4 s, 8 s and so on up to 64 s, as long as the storage is full. */
const fullStorage = { backoffMs: 4_000, maxDoublings: 5 };

/**
 * The worker's operations on a task: claim, then complete, fail or release. The fencing token in the task's row alone
 * makes them safe; every request may arrive twice.
 */
export function createClaims(deps: ClaimsDeps) {
  const { random = Math.random } = deps;

  /**
   * Reads a claimed task and passes it to `end`; repeats both when the task or its run was changed concurrently.
   * @param replyFor the reply for a task that has ended already.
   */
  const endTask = async <T>(
    { taskId, token }: { taskId: string; token: number },
    replyFor: (status: string) => T,
    end: (task: TaskState) => Promise<T | undefined>,
  ): Promise<T> => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const task = await deps.state.read(taskId);
      if (task?.token !== token) return replyFor('stale');
      if (task.status !== 'in_progress') return replyFor(task.status);
      const ended = await end(task);
      if (ended !== undefined) return ended;
    }
    throw unavailable('service_unavailable', 'The task is being changed by other requests');
  };

  const accept = (task: TaskState, output: Output): Promise<boolean> =>
    task.run
      ? deps.acceptStore.accept(buildAcceptance(deps.jobRequests, task, task.run, output))
      : deps.acceptStore.acceptStandalone(task);

  const failPermanently = async (
    claimed: { taskId: string; token: number },
    error: { code: string; message: string; retryable: boolean },
  ) => {
    const outcome = await store.withLockedTask(deps.db, claimed, async (tx, task, run) => {
      if (task.status !== 'in_progress') return undefined;
      const runContinues = run?.status === 'running';
      if (task.stage === 'index' && error.retryable) {
        if (runContinues) await deps.runs.giveUp(tx, run, 'index', error);
        await deps.requeues.requeueIn(tx, {
          id: task.id,
          token: task.token,
          outcome: 'failed',
          error,
          pauseMs: indexRetryMs,
        });
        return 'retry' as const;
      }
      await store.endAttempt(tx, task, 'failed', error);
      await tx.task.update({
        where: { id: task.id },
        data: {
          status: 'failed',
          failures: { increment: 1 },
          errorCode: error.code,
          errorMessage: error.message,
          completedAt: new Date(),
        },
      });
      if (runContinues) await deps.runs.giveUp(tx, run, task.stage as Stage, error);
      return 'failed' as const;
    });
    return outcome && { outcome };
  };

  return {
    claim: async (request: Request<'claim'>): Reply<'claim'> => {
      const { task, paused, waiting, traceparent, waitedFor } = await deps.next.claimNext(request);
      if (task?.runId && waitedFor !== null)
        void store.stopWaiting(deps.db, deps.outbox, task.runId).catch((err: unknown) => {
          deps.log.debug({ err: err as Error, run_id: task.runId }, 'waiting reason clear failed');
        });
      if (task) {
        const { id: taskId, subject, input, token, attempt } = task;
        return { outcome: 'claimed', taskId, subject, input, token, attempt, traceparent };
      }
      // `gone` makes the worker acknowledge the signal: only allowed when no task waits that it may stand for.
      if (!waiting) return { outcome: 'gone' };
      if (paused) return { outcome: 'wait', retryInMs: pausedMs };
      return { outcome: 'wait', retryInMs: request.lane === 'express' ? expressMs : contentionMs };
    },

    complete: async ({ output, ...claimed }: Request<'complete'>): Reply<'complete'> => {
      const replyFor = (status: string) => ({
        outcome: status === 'completed' ? ('accepted' as const) : ('stale' as const),
      });
      return endTask(claimed, replyFor, async (task) => {
        const parsed = jobOf(task.stage).output.safeParse(output);
        if (!parsed.success) throw invalid('invalid_request', `The result of ${task.subject} does not fit its schema`);
        return (await accept(task, parsed.data as Output)) ? { outcome: 'accepted' } : undefined;
      });
    },

    fail: async ({ retryable, code, message, ...claimed }: Request<'fail'>): Reply<'fail'> => {
      const error = { code, message };
      const replyFor = (status: string): Awaited<Reply<'fail'>> => {
        if (status === 'pending') return { outcome: 'retry' };
        return { outcome: status === 'failed' ? 'failed' : 'stale' };
      };
      return endTask(claimed, replyFor, async (task) => {
        if (retryable && code === storageFullCode) {
          const pauseMs = pauseAfter(Math.min(task.token, fullStorage.maxDoublings), fullStorage.backoffMs, random());
          return (await deps.requeues.requeue({ ...task, outcome: 'failed', error, pauseMs }))
            ? { outcome: 'retry' }
            : undefined;
        }
        const failures = task.failures + 1;
        if (!retryable || failures >= task.maxFailures) return failPermanently(claimed, { ...error, retryable });
        const pauseMs = pauseAfter(failures, task.backoffMs, random());
        return (await deps.requeues.requeue({ ...task, outcome: 'failed', error, pauseMs }))
          ? { outcome: 'retry' }
          : undefined;
      });
    },

    release: async (claimed: Request<'release'>): Reply<'release'> => {
      if (await deps.requeues.requeue({ id: claimed.taskId, token: claimed.token, outcome: 'released' }))
        return { outcome: 'released' };
      const task = await deps.state.read(claimed.taskId);
      const released = task?.token === claimed.token && task.status === 'pending';
      return { outcome: released ? 'released' : 'stale' };
    },
  };
}

export type Claims = ReturnType<typeof createClaims>;
