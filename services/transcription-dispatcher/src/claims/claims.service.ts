import type { dispatcherRpc, ReplyOf, RequestOf, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, unavailable, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { jobOf, pauseAfter, type Orders } from '../orders/orders.ts';
import type { Runs } from '../runs/runs.ts';
import type { AcceptStore } from './accept.store.ts';
import { acceptanceOf, type Output } from './acceptance.ts';
import type { ClaimStore } from './claim.store.ts';
import { claimsStore as store } from './claims.store.ts';
import { storageFullCode, type PutBackStore } from './put-back.store.ts';
import type { TaskState, TaskStateStore } from './task-state.store.ts';

export type ClaimsDeps = {
  db: Db;
  outbox: Outbox;
  orders: Pick<Orders, 'rowFor'>;
  runs: Pick<Runs, 'giveUp'>;
  next: ClaimStore;
  state: TaskStateStore;
  accepting: AcceptStore;
  back: PutBackStore;
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
/** A task that met a full storage pauses 4 s, 8 s and so on up to 64 s, as long as the storage is full. */
const fullStorage = { backoffMs: 4_000, longestAt: 5 };

/**
 * The worker's side of a task: claim, and one outcome. Safety rests on the fencing token in the task's row alone. Every
 * question may be asked twice, and every outcome told twice.
 */
export const createClaims = (d: ClaimsDeps) => {
  const { random = Math.random } = d;

  /**
   * Reads a held task and hands it to `end`, again when something else changed it or its run meanwhile.
   * @param told what is answered when the task has ended already.
   */
  const ending = async <T>(
    { taskId, token }: { taskId: string; token: number },
    told: (status: string) => T,
    end: (task: TaskState) => Promise<T | undefined>,
  ): Promise<T> => {
    for (let turn = 0; turn < 5; turn += 1) {
      const task = await d.state.read(taskId);
      if (task?.token !== token) return told('stale');
      if (task.status !== 'in_progress') return told(task.status);
      const ended = await end(task);
      if (ended !== undefined) return ended;
    }
    throw unavailable('service_unavailable', 'The task is being changed by others');
  };

  const accept = (task: TaskState, output: Output): Promise<boolean> =>
    task.run ? d.accepting.accept(acceptanceOf(d.orders, task, task.run, output)) : d.accepting.acceptAlone(task);

  const failForGood = async (
    held: { taskId: string; token: number },
    error: { code: string; message: string; retryable: boolean },
  ) => {
    const outcome = await store.held(d.db, held, async (tx, task, run) => {
      if (task.status !== 'in_progress') return undefined;
      const goesOn = run?.status === 'running';
      if (task.stage === 'index' && error.retryable) {
        if (goesOn) await d.runs.giveUp(tx, run, 'index', error);
        await d.back.pauseIn(tx, { id: task.id, token: task.token, outcome: 'failed', error, pauseMs: indexRetryMs });
        return 'retry' as const;
      }
      await store.endTry(tx, task, 'failed', error);
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
      if (goesOn) await d.runs.giveUp(tx, run, task.stage as Stage, error);
      return 'failed' as const;
    });
    return outcome && { outcome };
  };

  return {
    claim: async (request: Request<'claim'>): Reply<'claim'> => {
      const { task, paused, waiting, traceparent, waitedFor } = await d.next.take(request);
      if (task?.runId && waitedFor !== null)
        void store.stopWaiting(d.db, d.outbox, task.runId).catch((err: unknown) => {
          d.log.debug({ err: err as Error, run_id: task.runId }, 'run still shows that it waits');
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

    complete: async ({ output, ...held }: Request<'complete'>): Reply<'complete'> => {
      const told = (status: string) => ({
        outcome: status === 'completed' ? ('accepted' as const) : ('stale' as const),
      });
      return ending(held, told, async (task) => {
        const parsed = jobOf(task.stage).output.safeParse(output);
        if (!parsed.success) throw invalid('invalid_request', `The result of ${task.subject} does not fit its schema`);
        return (await accept(task, parsed.data as Output)) ? { outcome: 'accepted' } : undefined;
      });
    },

    fail: async ({ retryable, code, message, ...held }: Request<'fail'>): Reply<'fail'> => {
      const error = { code, message };
      const told = (status: string): Awaited<Reply<'fail'>> => {
        if (status === 'pending') return { outcome: 'retry' };
        return { outcome: status === 'failed' ? 'failed' : 'stale' };
      };
      return ending(held, told, async (task) => {
        if (retryable && code === storageFullCode) {
          const pauseMs = pauseAfter(Math.min(task.token, fullStorage.longestAt), fullStorage.backoffMs, random());
          return (await d.back.putBack({ ...task, outcome: 'failed', error, pauseMs }))
            ? { outcome: 'retry' }
            : undefined;
        }
        const failures = task.failures + 1;
        if (!retryable || failures >= task.maxFailures) return failForGood(held, { ...error, retryable });
        const pauseMs = pauseAfter(failures, task.backoffMs, random());
        return (await d.back.putBack({ ...task, outcome: 'failed', error, pauseMs }))
          ? { outcome: 'retry' }
          : undefined;
      });
    },

    release: async (held: Request<'release'>): Reply<'release'> => {
      if (await d.back.putBack({ id: held.taskId, token: held.token, outcome: 'released' }))
        return { outcome: 'released' };
      const task = await d.state.read(held.taskId);
      const released = task?.token === held.token && task.status === 'pending';
      return { outcome: released ? 'released' : 'stale' };
    },
  };
};
export type Claims = ReturnType<typeof createClaims>;
