import type { dispatcherRpc, ReplyOf, RequestOf } from '@overtone/contracts';
import { invalid, unavailable, type Log } from '@overtone/service-kit';
import type { Runs } from '../runs/runs.ts';
import { buildAcceptance, type Output } from './accept.store.ts';
import type { Failures } from './failures.service.ts';
import { jobOf, pauseAfter } from './job-input.ts';
import { storageFullCode } from './requeue.store.ts';
import type { TaskState } from './task-state.store.ts';
import type { TaskStore } from './tasks.store.ts';

export type ClaimsDeps = {
  tasks: TaskStore;
  runs: Pick<Runs, 'stopWaiting'>;
  failures: Pick<Failures, 'failUsedUp'>;
  log: Log;
};
type Reply<K extends keyof typeof dispatcherRpc> = ReplyOf<(typeof dispatcherRpc)[K]>;
type Request<K extends keyof typeof dispatcherRpc> = RequestOf<(typeof dispatcherRpc)[K]>;
type Handlers = { [K in 'claim' | 'complete' | 'fail' | 'release']: (request: Request<K>) => Promise<Reply<K>> };

/** Delay when concurrent claims have locked all waiting tasks. */
const contentionMs = 50;
/** Interval at which an express slot asks again for a short task. */
const expressMs = 250;
const pausedMs = 1_000;
/** A task that met a full storage is retried after 4 s, 8 s and so on up to 64 s, as long as the storage is full. */
const fullStorage = { backoffMs: 4_000, maxDoublings: 5 };

/**
 * The worker's operations on a task: claim, then complete, fail or release. The fencing token in the task's row alone
 * makes them safe; every request may arrive twice.
 */
export function createClaims({ tasks, runs, failures, log }: ClaimsDeps): Handlers {
  return {
    claim: createClaim({ tasks, runs, log }),
    complete: createComplete(tasks),
    fail: createFail({ tasks, failures }),
    release: async (claimed) => {
      const { taskId: id, token, keepsPosition = false } = claimed;
      if (await tasks.requeue({ id, token, outcome: 'released', keepsPosition })) return { outcome: 'released' };
      const task = await tasks.readState(claimed.taskId);
      const released = task?.token === claimed.token && task.status === 'pending';
      return { outcome: released ? 'released' : 'stale' };
    },
  };
}

export type Claims = Handlers;

function createClaim({ tasks, runs, log }: Omit<ClaimsDeps, 'failures'>): Handlers['claim'] {
  return async (request) => {
    const { task, paused, waiting, traceparent, waitedFor } = await tasks.claimNext(request);
    if (task?.runId && waitedFor !== null)
      void runs.stopWaiting(task.runId).catch((err: unknown) => {
        log.debug({ err: err as Error, run_id: task.runId }, 'waiting reason clear failed');
      });
    if (task) {
      const { id: taskId, subject, input, token, attempt } = task;
      return { outcome: 'claimed', taskId, subject, input, token, attempt, traceparent };
    }
    // `gone` makes the worker acknowledge the signal: only allowed when no task waits that it may stand for.
    if (!waiting) return { outcome: 'gone' };
    if (paused) return { outcome: 'wait', retryInMs: pausedMs };
    return { outcome: 'wait', retryInMs: request.lane === 'express' ? expressMs : contentionMs };
  };
}

function createComplete(tasks: TaskStore): Handlers['complete'] {
  const accept = (task: TaskState, output: Output): Promise<boolean> =>
    task.run ? tasks.accept(buildAcceptance(tasks.buildTaskRow, task, task.run, output)) : tasks.acceptStandalone(task);

  return ({ output, ...claimed }) => {
    const replyFor = (status: string): Reply<'complete'> => ({
      outcome: status === 'completed' ? 'accepted' : 'stale',
    });
    return endTask(tasks, claimed, replyFor, async (task) => {
      const parsed = jobOf(task.stage).output.safeParse(output);
      if (!parsed.success) throw invalid('invalid_request', `The result of ${task.subject} does not fit its schema`);
      return (await accept(task, parsed.data as Output)) ? { outcome: 'accepted' } : undefined;
    });
  };
}

function createFail({ tasks, failures }: Pick<ClaimsDeps, 'tasks' | 'failures'>): Handlers['fail'] {
  return ({ retryable, code, message, ...claimed }) => {
    const replyFor = (status: string): Reply<'fail'> => {
      if (status === 'pending') return { outcome: 'retry' };
      return { outcome: status === 'failed' ? 'failed' : 'stale' };
    };
    return endTask(tasks, claimed, replyFor, async (task) => {
      const isStorageFull = retryable && code === storageFullCode;
      const failureCount = task.failures + 1;
      if (!isStorageFull && (!retryable || failureCount >= task.maxFailures)) {
        const outcome = await failures.failUsedUp(claimed, { code, message, retryable });
        return outcome && { outcome };
      }
      const pauseMs = isStorageFull
        ? pauseAfter(Math.min(task.token, fullStorage.maxDoublings), fullStorage.backoffMs, Math.random())
        : pauseAfter(failureCount, task.backoffMs, Math.random());
      const requeued = await tasks.requeue({ ...task, outcome: 'failed', error: { code, message }, pauseMs });
      return requeued ? { outcome: 'retry' } : undefined;
    });
  };
}

/**
 * Reads a claimed task and passes it to `end`; repeats both when the task or its run was changed concurrently.
 * @param replyFor the reply for a task that has ended already.
 */
async function endTask<T>(
  tasks: Pick<TaskStore, 'readState'>,
  { taskId, token }: { taskId: string; token: number },
  replyFor: (status: string) => T,
  end: (task: TaskState) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const task = await tasks.readState(taskId);
    if (task?.token !== token) return replyFor('stale');
    if (task.status !== 'in_progress') return replyFor(task.status);
    const ended = await end(task);
    if (ended !== undefined) return ended;
  }
  throw unavailable('service_unavailable', 'The task is being changed by other requests');
}
