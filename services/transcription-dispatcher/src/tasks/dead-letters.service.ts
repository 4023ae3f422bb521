import type { AnswerOf, dispatcherRoutes, Queue, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { assertNever, isAppError, notFound, type Log } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Task } from '../generated/client.ts';
import { recordOperation, type Operator } from '../operator.ts';
import type { Files, Reader } from '../ports/files.ts';
import type { Runs } from '../runs/runs.ts';
import type { DeadLettersReadModel, KindRow } from './dead-letters.read-model.ts';
import { decideRetry, fileDeleted, notDead, type DeadJobs } from './dead-letters.ts';
import type { DescribeTasks } from './tasks.read-model.ts';
import type { TaskStore } from './tasks.store.ts';
import type { TaskObject } from './tasks.ts';

export type DeadLettersDeps = {
  db: Db;
  dead: DeadLettersReadModel;
  tasks: Pick<TaskStore, 'lockTask' | 'revive' | 'discardDead'>;
  runs: Pick<Runs, 'lockFile' | 'lock' | 'latest' | 'reopen' | 'retryStage'>;
  outbox: Outbox;
  files: Files;
  describe: DescribeTasks;
  log: Log;
};
type Routes = typeof dispatcherRoutes;
/** Limit of tasks per call; `remaining` tells the caller to repeat it. */
const maxPerCall = 1_000;

/** Lists, retries and discards dead jobs. */
export function createDeadLetters(deps: DeadLettersDeps) {
  const { dead, describe } = deps;
  return {
    list: async (
      jobs: DeadJobs,
      page: number,
      size: number,
      reader: Reader,
    ): Promise<AnswerOf<Routes['deadTasks']>> => {
      const [kinds, total, rows] = await Promise.all([dead.kinds(), dead.count(jobs), dead.page(jobs, page, size)]);
      const items = await describe(rows, reader);
      return { items, total, page, page_size: size, kinds: kinds.map(kindObjectOf) };
    },
    ...createRetries(deps),
    ...createDiscards(deps),
  };
}

export type DeadLetters = ReturnType<typeof createDeadLetters>;

/** Makes a dead job pending again, with its run when that has ended without it. */
function createRevival({ db, dead, tasks, runs }: DeadLettersDeps) {
  /** Locks the file's events, then the run, then the task. */
  const lock = async (tx: Tx, { id, fileId, runId }: Task) => {
    await runs.lockFile(tx, fileId);
    const run = runId ? await runs.lock(tx, runId) : null;
    const task = await tasks.lockTask(tx, id);
    if (!task) throw taskNotFound();
    return { task, run, latestRunId: (await runs.latest(tx, fileId))?.id ?? null };
  };

  /** @returns false when the task was pending or in progress already. */
  return (snapshot: Task, afterRevival: (tx: Tx) => Promise<void>): Promise<boolean> =>
    db.$transaction(async (tx) => {
      const { task, run, latestRunId } = await lock(tx, snapshot);
      const retry = decideRetry({ task, run, latestRunId, isReplaced: await dead.isReplaced(tx, task) });
      switch (retry.kind) {
        case 'refused':
          throw retry.error;
        case 'already-open':
          return false;
        case 'reopen-run':
          if (run) await runs.reopen(tx, run, task.stage as Stage, task.errorMessage ?? '');
          break;
        case 'retry-task':
          if (run) await runs.retryStage(tx, run.id, task.stage);
          break;
        default:
          return assertNever(retry);
      }
      await tasks.revive(tx, task.id);
      await afterRevival(tx);
      return true;
    });
}

function createRetries(deps: DeadLettersDeps) {
  const { dead, outbox, db, files, describe, log } = deps;
  const revive = createRevival(deps);

  const retryAll = async (tasks: Task[], operator: Operator) => {
    const existingFiles = await files.describe(
      tasks.map(({ fileId }) => fileId),
      operator,
    );
    const refused: AnswerOf<Routes['retryDead']>['refused'] = [];
    let retried = 0;
    for (const task of tasks) {
      try {
        if (!existingFiles.has(task.fileId)) throw fileDeleted();
        if (await revive(task, async () => {})) retried += 1;
      } catch (error) {
        if (!isAppError(error)) throw error;
        refused.push({ uuid: task.id, code: error.code, message: error.message });
      }
    }
    return { retried, refused };
  };

  return {
    /** Retries one task; idempotent. */
    retry: async (id: string, operator: Operator): Promise<TaskObject> => {
      const task = await dead.find(id);
      if (!task) throw taskNotFound();
      // The worker could not read the deleted recording.
      if (task.status === 'failed' && !(await files.describe([task.fileId], operator)).has(task.fileId))
        throw fileDeleted();
      const details = { task: id, stage: task.stage, error_code: task.errorCode ?? '', count: 1 };
      const revived = await revive(task, (tx) => recordOperation(tx, outbox, operator, 'jobs_retried', details));
      if (revived) log.info({ task_id: id, stage: task.stage, actor: operator.userId }, 'dead job retried');
      const [object] = await describe([(await dead.find(id)) ?? task], operator);
      if (!object) throw taskNotFound();
      return object;
    },

    retryKind: async (jobs: DeadJobs, operator: Operator): Promise<AnswerOf<Routes['retryDead']>> => {
      const { retried, refused } = await retryAll(await dead.oldest(jobs, maxPerCall), operator);
      if (retried > 0)
        await db.$transaction((tx) => recordOperation(tx, outbox, operator, 'jobs_retried', detailsOf(jobs, retried)));
      log.info({ ...jobs, retried, refused: refused.length, actor: operator.userId }, 'dead jobs retried');
      return { retried, refused, remaining: await dead.count(jobs) };
    },
  };
}

function createDiscards({ db, dead, tasks, outbox }: DeadLettersDeps) {
  const discardDead = (
    jobs: DeadJobs & { id?: string },
    operator: Operator,
    details: (count: number) => Parameters<typeof recordOperation>[4],
  ): Promise<number> =>
    db.$transaction(async (tx) => {
      const discarded = await tasks.discardDead(tx, jobs);
      if (discarded > 0) await recordOperation(tx, outbox, operator, 'jobs_discarded', details(discarded));
      return discarded;
    });

  return {
    discard: async (id: string, operator: Operator): Promise<undefined> => {
      if ((await discardDead({ id }, operator, (count) => ({ task: id, count }))) > 0) return;
      const task = await dead.find(id);
      if (!task) throw taskNotFound();
      // A repeated discard succeeds.
      if (task.discardedAt === null) throw notDead('Only dead jobs can be discarded.');
    },

    discardKind: async (jobs: DeadJobs, operator: Operator): Promise<AnswerOf<Routes['discardDead']>> => ({
      discarded: await discardDead(jobs, operator, (count) => detailsOf(jobs, count)),
    }),
  };
}

function detailsOf({ queue, task_type, error_code }: DeadJobs, count: number) {
  return {
    queue: queue ?? 'all',
    task_type: task_type ?? 'all',
    error_code: error_code ?? 'all',
    count,
  };
}

function taskNotFound() {
  return notFound('There is no such task.');
}

function kindObjectOf(row: KindRow) {
  return {
    queue: row.queue as Queue,
    task_type: row.stage as Stage,
    error_code: row.errorCode,
    count: row.count,
    newest_at: row.newest.toISOString(),
    oldest_at: row.oldest.toISOString(),
  };
}
